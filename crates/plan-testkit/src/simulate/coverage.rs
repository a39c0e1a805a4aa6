//! What simulated runs have seen: a campaign that never gets somewhere says nothing about it.

use std::collections::BTreeMap;
use std::fmt;

use plan_run::event::Budget;
use plan_run::{EventKind, StepStatus};

use super::{Simulated, Simulation};

/// How often each kind of step came to its outputs, each event was journaled, and each of some turns was taken.
///
/// ```
/// use plan_testkit::simulate::{Coverage, subject};
///
/// let mut seen = Coverage::default();
/// let world = subject(3).simulation;
/// seen.take(&world, &world.run());
/// assert!(seen.count("run_created") > 0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage(BTreeMap<String, u64>);

/// What a campaign over plans of every shape has to see.
const EXPECTED: &[&str] = &[
    "TOOL_CALL",
    "CODE_CALL",
    "PROMPT_CALL",
    "AGENT_CALL",
    "HUMAN_INTERACTION",
    "CONDITION",
    "FAN_OUT",
    "FAN_IN",
    "run_created",
    "attempt_started",
    "attempt_ended",
    "model_answered",
    "agent_called",
    "agent_call_ended",
    "retry_scheduled",
    "retry_dropped",
    "step_skipped",
    "step_failed",
    "branch_taken",
    "items_expanded",
    "until_evaluated",
    "items_stopped",
    "list_collected",
    "fan_out_dropped",
    "request_opened",
    "request_answered",
    "request_withdrawn",
    "in_doubt_found",
    "decided",
    "cancel_requested",
    "budget_crossed",
    "late_result",
    "run_resumed",
    "run_ended",
    "an item in an item",
    "a question",
    "an approval",
    "an approval of an effect",
    "a call of an agent refused",
    "a bound on calls",
    "a bound on tokens",
    "a bound on driven time",
    "a bound on output",
    "a deadline",
    "a run succeeded",
    "a run failed",
    "a run cancelled",
];

impl Coverage {
    /// Takes in a run.
    pub fn take(&mut self, of: &Simulation, run: &Simulated) {
        let plan = of.plan.plan();
        for (path, step) in run.record.all_steps() {
            if path.items().len() > 1 {
                self.add("an item in an item");
            }
            if step.status == StepStatus::Succeeded
                && let Some((_, declared)) = plan.step(path.step())
            {
                self.add(declared.config.kind().as_str());
            }
        }
        for entry in &run.journal {
            let kind = &entry.event.kind;
            self.add(kind.name());
            match kind {
                EventKind::RequestOpened(request) => match request.kind {
                    plan_run::RequestKind::Question => self.add("a question"),
                    plan_run::RequestKind::Approval => self.add("an approval"),
                    plan_run::RequestKind::Effect => self.add("an approval of an effect"),
                },
                EventKind::AgentCalled(called) if called.refusal.is_some() => {
                    self.add("a call of an agent refused");
                }
                EventKind::BudgetCrossed { budget, .. } => self.add(match budget {
                    Budget::ToolCalls => "a bound on calls",
                    Budget::ModelTokens => "a bound on tokens",
                    Budget::WallTime => "a bound on driven time",
                    Budget::Deadline => "a deadline",
                    Budget::OutputBytes => "a bound on output",
                }),
                EventKind::RunEnded { status, .. } => self.add(&format!("a run {status}")),
                _ => {}
            }
        }
    }

    /// Takes in what others have seen.
    pub fn merge(&mut self, other: Self) {
        for (what, count) in other.0 {
            *self.0.entry(what).or_default() += count;
        }
    }

    /// How often this was seen: the name of a kind, of an event, or one of the turns that its text lists.
    pub fn count(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }

    /// What a campaign has to see and this one never did.
    pub fn missing(&self) -> Vec<&'static str> {
        let never = |what: &&&str| self.count(what) == 0;
        EXPECTED.iter().filter(never).copied().collect()
    }

    fn add(&mut self, what: &str) {
        match self.0.get_mut(what) {
            Some(count) => *count += 1,
            None => {
                self.0.insert(what.to_owned(), 1);
            }
        }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, what) in EXPECTED.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{what} {}", self.count(what))?;
        }
        Ok(())
    }
}
