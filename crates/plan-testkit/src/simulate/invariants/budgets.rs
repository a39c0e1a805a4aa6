//! Bounds on a whole run, counted from its journal alone.

use std::time::Duration;

use plan_model::{StepConfig, StepId};
use plan_run::event::{AttemptOutcome, Delivered};
use plan_run::{EventKind, RunStatus};
use serde_json::Value;

use crate::simulate::journal::Rest;
use crate::simulate::simulated::Run;
use crate::simulate::{Performed, Simulation, Writer};

pub(super) fn hold(of: &Simulation, run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    let limits = of.plan.grant().budgets();
    let most_bytes = of.plan.policy().limits.run_output_bytes;
    let (mut calls, mut tokens, mut bytes) = (0, 0, 0);
    let mut clock = Clock::default();
    for entry in &run.journal {
        clock.hears(entry);
        match &entry.event.kind {
            EventKind::ModelAnswered { usage, .. } => tokens += usage.total(),
            EventKind::AttemptEnded {
                outcome: AttemptOutcome::Succeeded(delivered),
                ..
            } => bytes += delivered_bytes(delivered),
            EventKind::AgentCalled(called) if called.refusal.is_none() => {
                calls += 1;
                if limits.max_tool_calls.is_some_and(|most| calls > most) {
                    broken.push(format!(
                        "{} #{} is call {calls}",
                        called.step, called.attempt
                    ));
                }
            }
            _ => {}
        }
        let EventKind::AttemptStarted(started) = &entry.event.kind else {
            continue;
        };
        calls += u64::from(is_tool_call(of, started.step.step()));
        let what = format!("{} #{}", started.step, started.attempt);
        if limits.max_tool_calls.is_some_and(|most| calls > most) {
            broken.push(format!("{what} is call {calls}"));
        }
        if bytes > most_bytes {
            broken.push(format!("{what} starts after {bytes} bytes"));
        }
        let asks = asks_models(of, started.step.step());
        if asks && limits.max_model_tokens.is_some_and(|most| tokens >= most) {
            broken.push(format!("{what} starts after {tokens} tokens"));
        }
        let most = limits.max_wall_secs.map(plan_model::Seconds::as_duration);
        if most.is_some_and(|most| clock.driven >= most) {
            broken.push(format!("{what} starts after {:?}", clock.driven));
        }
        if of
            .deadline
            .is_some_and(|deadline| entry.event.at >= deadline)
        {
            broken.push(format!("{what} starts after the deadline"));
        }
    }
    broken.extend(promised(of, run));
    broken
}

/// Questions that were promised more tokens than nothing had used and nothing else might use.
///
/// A process that slept while another took the run up asks with what it was promised before: what the others have
/// used since, it cannot know.
fn promised(of: &Simulation, run: &Run) -> Vec<String> {
    let Some(most) = of.plan.grant().budgets().max_model_tokens else {
        return Vec::new();
    };
    let mut broken = Vec::new();
    for call in &run.effects {
        let Some(tokens) = call.tokens else { continue };
        let before = run.journal.get(..call.journal).unwrap_or_default();
        if is_overtaken(before, call) {
            continue;
        }
        let used: u64 = before
            .iter()
            .map(|entry| match &entry.event.kind {
                EventKind::ModelAnswered { usage, .. } => usage.total(),
                _ => 0,
            })
            .sum();
        if used.saturating_add(tokens) > most {
            let (step, attempt) = (&call.step, call.attempt);
            broken.push(format!(
                "{step} #{attempt} may use {tokens} tokens after {used}"
            ));
        }
    }
    broken
}

/// Whether another process took the run up between the start of a call's attempt and the call.
fn is_overtaken(before: &[crate::simulate::Entry], call: &Performed) -> bool {
    let mut since = before.iter().rev().map(|entry| &entry.event.kind);
    since
        .find_map(|kind| match kind {
            EventKind::RunResumed { .. } => Some(true),
            EventKind::AttemptStarted(started)
                if started.step == call.step && started.attempt == call.attempt =>
            {
                Some(false)
            }
            _ => None,
        })
        .unwrap_or_default()
}

/// The texts and the names that an attempt delivered, and what it printed: no less counts against the bound.
fn delivered_bytes(delivered: &Delivered) -> u64 {
    let printed = [&delivered.stdout, &delivered.stderr];
    let mut bytes: usize = printed.into_iter().flatten().map(String::len).sum();
    let mut open: Vec<&Value> = delivered.outputs.values().collect();
    bytes += delivered.outputs.keys().map(String::len).sum::<usize>();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => bytes += text.len(),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                bytes += members.keys().map(String::len).sum::<usize>();
                open.extend(members.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

fn asks_models(of: &Simulation, step: &StepId) -> bool {
    let step = of.plan.plan().step(step);
    step.is_some_and(|(_, step)| {
        matches!(
            step.config,
            StepConfig::PromptCall(_) | StepConfig::AgentCall(_)
        )
    })
}

fn is_tool_call(of: &Simulation, step: &StepId) -> bool {
    let step = of.plan.plan().step(step);
    step.is_some_and(|(_, step)| matches!(step.config, StepConfig::ToolCall(_)))
}

/// Driven time: while a process drove the run and it did not wait.
#[derive(Default)]
struct Clock {
    driven: Duration,
    from: Duration,
    waits: bool,
}

impl Clock {
    fn hears(&mut self, entry: &crate::simulate::Entry) {
        let millis = u64::try_from(entry.event.at.as_millis()).unwrap_or(0);
        let at = Duration::from_millis(millis);
        let is_resumed = matches!(entry.event.kind, EventKind::RunResumed { .. });
        // a word of a person proves no driver, not even where one took it down
        let is_word = matches!(
            entry.event.kind,
            EventKind::RequestAnswered { .. }
                | EventKind::Decided { .. }
                | EventKind::CancelRequested { .. }
        );
        if self.waits || is_resumed {
            self.from = self.from.max(at);
        } else if !is_word {
            self.driven += at.saturating_sub(self.from);
            self.from = self.from.max(at);
        }
        match (entry.writer, entry.said) {
            (Writer::Driver(_), Some(said)) => self.waits = said != RunStatus::Running,
            // a word from outside that lets nothing begin leaves the run waiting, and no driver has more to say
            (Writer::External, _) => self.waits = entry.rest.is_some_and(Rest::is_stuck),
            (Writer::Driver(_), None) => {}
        }
    }
}
