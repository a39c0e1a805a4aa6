//! The end of a run: its status, and what the plan publishes.

use serde_json::Map;

use super::Machine;
use super::measure::weigh;
use super::scope::RunScope;
use super::state::StopCause;
use crate::event::EventKind;
use crate::{Effect, Failure, FailureClass, JsonObject, RunStatus};

impl Machine {
    /// The end of a run in which every step has ended.
    pub(super) fn publish(&self) -> EventKind {
        match self.state.ending.as_ref().map(|stopping| &stopping.cause) {
            Some(StopCause::Cancelled { .. }) => {
                ended(RunStatus::Cancelled, JsonObject::default(), None)
            }
            Some(StopCause::Crossed(budget, limit)) => failed(budget.failure(*limit)),
            Some(StopCause::Failed) => failed(self.first_failure()),
            None if !self.state.failed.is_empty() => failed(self.first_failure()),
            None => match self.outputs() {
                Ok(outputs) => ended(RunStatus::Succeeded, outputs, None),
                Err(failure) => failed(failure),
            },
        }
    }

    /// The failure that the run reports: of the first failed step in plan order.
    fn first_failure(&self) -> Failure {
        self.state
            .failed
            .first()
            .and_then(|slot| self.state.steps.at(*slot).failure.as_deref().cloned())
            .unwrap_or_else(|| {
                Failure::new(FailureClass::Internal, "a step failed and did not say why")
            })
    }

    fn outputs(&self) -> Result<JsonObject, Failure> {
        let scope = RunScope::plain_within(self, None);
        let most = self.limits().derived_bytes;
        let mut left = most;
        let mut outputs = Map::new();
        for output in &self.plan.plan().outputs {
            let value = output.source.resolve(&scope).map_err(|error| {
                let message = format!("plan output `{}` has no value: {error}", output.name);
                Failure::new(FailureClass::OutputContract, message).with_effect(Effect::None)
            })?;
            left = weigh(&value, usize::MAX, left).map_err(|_| {
                let message = format!(
                    "with plan output `{}` the outputs have more than {most} bytes",
                    output.name
                );
                Failure::new(FailureClass::LimitExceeded, message).with_effect(Effect::None)
            })?;
            outputs.insert(output.name.to_string(), value.into_owned());
        }
        Ok(outputs.into())
    }
}

fn failed(failure: Failure) -> EventKind {
    ended(
        RunStatus::Failed,
        JsonObject::default(),
        Some(Box::new(failure)),
    )
}

fn ended(status: RunStatus, outputs: JsonObject, failure: Option<Box<Failure>>) -> EventKind {
    EventKind::RunEnded {
        status,
        outputs,
        failure,
    }
}
