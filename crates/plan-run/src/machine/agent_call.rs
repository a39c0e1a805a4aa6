//! `AGENT_CALL`: what an agent is given, what it calls, and what its report becomes.

use std::time::Duration;

use plan_model::{AgentCall, AgentName, Output, Step, ToolName};
use serde_json::{Map, Value};

use super::Machine;
use super::build::Builder;
use super::measure::dismantle;
use super::outputs::read_text;
use super::phase::Phase;
use super::scope::RunScope;
use super::slot::Slot;
use super::spoken::last_object;
use crate::event::{AgentCalled, EventKind};
use crate::{Effect, Failure, FailureClass, IdempotencyKey, JsonObject, RetryAdvice, StepPath};

/// The output that every agent has.
const REPORT: &str = "report";

/// An objective for an agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AgentEffect {
    /// The agent; absent: the host's default.
    pub agent: Option<AgentName>,
    /// What it is to reach.
    pub objective: String,
    /// Where it works.
    pub working_dir: String,
    /// The tools that it may call.
    pub tools: Vec<ToolName>,
    /// What it is to deliver.
    pub outputs: Vec<Output>,
    /// The most turns of its loop.
    pub max_turns: Option<u64>,
    /// The most tokens that its models may use; absent: no bound.
    pub tokens: Option<u64>,
    /// The key under which the other side recognises a repeated call.
    pub key: IdempotencyKey,
    /// The most that this attempt may take.
    pub timeout: Option<Duration>,
}

/// What an agent delivered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentReport {
    /// Its last words. Declared outputs are looked for in their last JSON object.
    pub report: String,
    /// What it said and did on its way.
    pub transcript: Option<String>,
}

/// What is filled in of an agent's step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AgentValues {
    objective: String,
    working_dir: String,
}

impl Machine {
    /// What an agent is given, as records show it.
    pub(super) fn agent_values(
        &self,
        slot: Slot,
        call: &AgentCall,
    ) -> Result<AgentValues, Failure> {
        let shown = RunScope::shown(self, slot);
        let mut build = Builder::new(&shown, self.limits());
        let values = AgentValues {
            objective: build.text(|| "the objective".to_owned(), &call.objective),
            working_dir: build.text(|| "the working directory".to_owned(), &call.working_dir),
        };
        build.finish()?;
        Ok(values)
    }

    /// The objective of an attempt. A sensitive input is hidden from agents as it is from models.
    pub(super) fn agent_effect(
        &self,
        slot: Slot,
        call: &AgentCall,
        key: IdempotencyKey,
        timeout: Option<Duration>,
    ) -> Result<AgentEffect, Failure> {
        let objective = self.agent_values(slot, call)?.objective;
        let plain = RunScope::plain(self, slot);
        let mut build = Builder::new(&plain, self.limits());
        let working_dir = build.text(|| "the working directory".to_owned(), &call.working_dir);
        build.finish()?;
        let attempt = self.state.steps.at(slot).attempts.last();
        Ok(AgentEffect {
            agent: call.agent.clone(),
            objective,
            working_dir,
            tools: call.tools.clone().unwrap_or_default(),
            outputs: self.step_of(slot).outputs.clone(),
            max_turns: call.max_turns,
            tokens: attempt.and_then(|attempt| attempt.asked.as_deref()?.tokens),
            key,
            timeout,
        })
    }

    /// The event of a call that an agent asks for, and whether it may be made.
    ///
    /// `refusal` is what the driver has against it. A call that is not refused is made once the event is in the journal.
    ///
    /// # Errors
    /// A failure without an event, when the attempt is not in flight: nothing may be called.
    pub fn agent_calls(
        &self,
        step: &StepPath,
        attempt: u32,
        tool: String,
        arguments: JsonObject,
        refusal: Option<Failure>,
    ) -> Result<AgentCalled, Failure> {
        let over = || {
            Failure::new(FailureClass::Cancelled, "the attempt of the agent is over")
                .with_effect(Effect::None)
                .with_retry(RetryAdvice::Never)
        };
        let slot = self.slot(step).map_err(|_| over())?;
        let state = self.state.steps.at(slot);
        if state.phase != Phase::InFlight || state.last_attempt() != attempt {
            return Err(over());
        }
        let calls = state.attempts.last().and_then(|last| last.asked.as_deref());
        let made = calls.map_or(0, |asked| asked.calls.len());
        let spent = self
            .layout
            .max_tool_calls
            .filter(|limit| self.state.tool_calls >= *limit)
            .map(|limit| {
                let message = format!("the run may make {limit} tool calls, and has made them");
                Failure::new(FailureClass::LimitExceeded, message)
                    .with_effect(Effect::None)
                    .with_retry(RetryAdvice::Never)
            });
        Ok(AgentCalled {
            step: step.clone(),
            attempt,
            call: u32::try_from(made).unwrap_or(u32::MAX).saturating_add(1),
            tool,
            arguments,
            refusal: refusal.or(spent).map(Box::new),
        })
    }

    /// The event of the end of such a call; `None` once the attempt is over.
    pub fn agent_call_ends(
        &self,
        step: &StepPath,
        attempt: u32,
        call: u32,
        failure: Option<Failure>,
    ) -> Option<EventKind> {
        let slot = self.slot(step).ok()?;
        let state = self.state.steps.at(slot);
        let in_flight = state.phase == Phase::InFlight && state.last_attempt() == attempt;
        in_flight.then(|| EventKind::AgentCallEnded {
            step: step.clone(),
            attempt,
            call,
            failure: failure.map(Box::new),
        })
    }
}

impl AgentValues {
    /// The values as the journal records them.
    pub(super) fn into_object(self) -> Map<String, Value> {
        Map::from_iter([
            ("objective".to_owned(), self.objective.into()),
            ("working_dir".to_owned(), self.working_dir.into()),
        ])
    }
}

/// The outputs of a step whose agent reported.
pub(super) fn of_report(step: &Step, report: String) -> Result<Map<String, Value>, Failure> {
    let mut outputs = Map::new();
    if let Some(mut said) = last_object(&report) {
        for output in &step.outputs {
            if let Some((name, value)) = said.remove_entry(output.name.as_str()) {
                outputs.insert(name, value);
            }
        }
        dismantle(Value::Object(said));
    }
    if let [output] = step.outputs.as_slice() {
        let name = output.name.as_str();
        if name != REPORT && !outputs.contains_key(name) {
            outputs.insert(name.to_owned(), read_text(output, report.trim())?);
        }
    }
    outputs
        .entry(REPORT)
        .or_insert_with(|| Value::String(report));
    Ok(outputs)
}
