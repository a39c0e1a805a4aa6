//! The record of a run as it stands.

use plan_model::{Limits, StepConfig};
use serde_json::Value;

use super::Machine;
use super::basis::Basis;
use super::frame::FrameId;
use super::outputs::tail;
use super::slot::Slot;
use super::state::{AttemptState, StopCause, Stopping};
use crate::record::{AttemptRecord, Cancelled, ItemRecord, RunRecord, StepRecord};
use crate::{ModelUsage, StepStatus};

impl<P: Basis> Machine<P> {
    /// The run as it stands. Takes time in proportion to the plan; values are shared, not copied.
    pub fn record(&self) -> RunRecord {
        let state = &self.state;
        let ended = state.ended.as_ref();
        let cancelled = match &state.ending {
            Some(Stopping {
                cause: StopCause::Cancelled { by, reason },
                ..
            }) => Some(Cancelled {
                by: by.clone(),
                reason: reason.clone(),
            }),
            Some(_) | None => None,
        };
        let ids = self.main_flow().zip(0..);
        let ids = ids.map(|(slot, index)| (self.step_of(slot).id.clone(), index));
        RunRecord {
            run: self.run_id().clone(),
            status: self.status(),
            plan: state.created.plan.clone(),
            created_at: state.created_at,
            ended_at: ended.map(|ended| ended.at),
            generation: state.generation,
            forked_from: state.forked_from.clone(),
            principal: state.created.principal.clone(),
            tags: state.created.tags.clone(),
            inputs: state.masked_inputs.clone(),
            usage: state.used,
            steps: self
                .main_flow()
                .map(|slot| self.step_record(slot))
                .collect(),
            index: ids.collect(),
            outputs: ended.map(|ended| ended.outputs.clone()).unwrap_or_default(),
            waiting: self.requests().into_iter().cloned().collect(),
            failure: ended.and_then(|ended| ended.failure.clone()),
            cancelled,
        }
    }

    fn step_record(&self, slot: Slot) -> StepRecord {
        let step = self.step_of(slot);
        let state = self.state.steps.at(slot);
        let attempts = state
            .attempts
            .iter()
            .zip(1..)
            .map(|(attempt, number)| AttemptRecord {
                attempt: number,
                started_at: attempt.started_at,
                arguments: attempt.arguments.clone(),
                end: attempt.end.clone(),
                late: attempt.late.clone(),
                usage: attempt.usage(),
                calls: attempt
                    .asked
                    .as_deref()
                    .map_or_else(Vec::new, |asked| asked.calls.clone()),
            });
        let outputs = state.outputs.clone().unwrap_or_default();
        let end = state
            .attempts
            .last()
            .and_then(|attempt| attempt.end.as_deref());
        let stream = |own: Option<&String>, of_failure: Option<&String>, name: &str| {
            let is_code = matches!(step.config, StepConfig::CodeCall(_));
            let output = outputs
                .get(name)
                .and_then(Value::as_str)
                .filter(|_| is_code);
            own.or(of_failure)
                .cloned()
                .or_else(|| output.map(|text| tail(text.to_owned(), Limits::default().tail_bytes)))
        };
        let failure = end.and_then(|end| end.failure.as_deref());
        let items = self.item_records(slot);
        let own = state.attempts.iter().filter_map(AttemptState::usage);
        let of_items = items.iter().flat_map(|item| &item.steps);
        let usage = sum(own.chain(of_items.filter_map(|step| step.usage)));
        StepRecord {
            id: step.id.clone(),
            status: state.phase.status(),
            attempts: attempts.collect(),
            stdout: stream(
                end.and_then(|end| end.stdout.as_ref()),
                failure.and_then(|failure| failure.stdout_tail.as_ref()),
                "stdout",
            ),
            stderr: stream(
                end.and_then(|end| end.stderr.as_ref()),
                failure.and_then(|failure| failure.stderr_tail.as_ref()),
                "stderr",
            ),
            outputs,
            usage,
            answered_by: state.answered_by.clone(),
            failure: state.failure.clone(),
            items,
        }
    }

    // recursion is bounded by the nesting of fan-outs, which the check bounds
    fn item_records(&self, slot: Slot) -> Vec<ItemRecord> {
        let frames = self.fan(slot).map_or(&[][..], |fan| fan.frames.as_slice());
        let record = |id: &FrameId| ItemRecord {
            index: self.frame(*id).item,
            status: self.item_status(*id),
            steps: self
                .instances(*id)
                .map(|slot| self.step_record(slot))
                .collect(),
        };
        frames.iter().map(record).collect()
    }

    fn item_status(&self, id: FrameId) -> StepStatus {
        let frame = self.frame(id);
        if frame.left == 0 {
            return match (frame.failed, frame.cut) {
                (Some(_), _) => StepStatus::Failed,
                (None, true) => StepStatus::Cancelled,
                (None, false) => StepStatus::Succeeded,
            };
        }
        let under_way = self
            .instances(id)
            .map(|slot| self.state.steps.at(slot).phase.status())
            .find(|status| !status.is_ended());
        match under_way {
            Some(status @ (StepStatus::Waiting | StepStatus::InDoubt)) => status,
            Some(_) | None => StepStatus::Running,
        }
    }
}

impl AttemptState {
    /// What its models counted; `None` where none answered.
    fn usage(&self) -> Option<ModelUsage> {
        let asked = self.asked.as_deref()?;
        (asked.answers > 0).then_some(asked.usage)
    }
}

/// All of them together; `None` where there are none.
fn sum(usages: impl Iterator<Item = ModelUsage>) -> Option<ModelUsage> {
    usages.reduce(ModelUsage::plus)
}
