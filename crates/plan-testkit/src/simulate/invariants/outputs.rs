//! Outputs: nothing that a call returned is lost or changed on the way into the record.

use std::collections::BTreeMap;

use plan_run::event::{AttemptOutcome, Consequence};
use plan_run::{
    AttemptSuccess, Decision, EventKind, FailureClass, JsonObject, ModelAnswer, StepPath,
    StepStatus,
};
use serde_json::Value;

use crate::simulate::Simulation;
use crate::simulate::simulated::Run;

pub(super) fn kept(_of: &Simulation, run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    let mut last: BTreeMap<&StepPath, &JsonObject> = BTreeMap::new();
    for entry in &run.journal {
        match &entry.event.kind {
            EventKind::AttemptEnded {
                step,
                attempt,
                outcome,
            } => {
                let returned = returned(run, step, *attempt);
                match outcome {
                    AttemptOutcome::Succeeded(delivered) => {
                        last.insert(step, &delivered.outputs);
                        if let Some(returned) = returned
                            && !holds(&delivered.outputs, returned)
                        {
                            broken.push(format!("{step} #{attempt} returned something else"));
                        }
                    }
                    AttemptOutcome::Failed(failure) | AttemptOutcome::Retrying(failure)
                        if returned.is_some() && !is_refusal(failure.class) =>
                    {
                        broken.push(format!("{step} #{attempt} succeeded, and counts as failed"));
                    }
                    _ => {}
                }
            }
            EventKind::Decided {
                step,
                decision: Decision::MarkSucceeded(outputs),
                ..
            } => {
                last.insert(step, outputs);
            }
            EventKind::RequestAnswered(answered) => {
                if let Consequence::Delivers(outputs) = &answered.consequence {
                    last.insert(&answered.step, outputs);
                }
            }
            EventKind::RunResumed { reset, .. } => {
                // steps of items keep their last outputs until their item is opened again
                last.retain(|step, _| !is_within(reset, step));
            }
            _ => {}
        }
    }
    for (step, outputs) in last {
        let kept = run.record.step_at(step).is_some_and(|record| {
            record.status == StepStatus::Succeeded && record.outputs == *outputs
        });
        if !kept {
            broken.push(format!("{step} has other outputs in the record"));
        }
    }
    broken
}

/// Whether a step is one of these, or in an item of one of them.
fn is_within(reset: &[StepPath], step: &StepPath) -> bool {
    let owners = step.items().iter().map(|(owner, _)| owner);
    let mut around = owners.chain([step.step()]);
    around.any(|id| reset.iter().any(|reset| reset.step() == id))
}

/// What a call returned to a living process.
fn returned<'r>(run: &'r Run, step: &StepPath, attempt: u32) -> Option<&'r AttemptSuccess> {
    let call = run
        .effects
        .iter()
        .find(|call| call.attempt == attempt && call.step == *step);
    call.and_then(|call| call.delivered.as_ref())
}

/// Whether a result was refused for what it is.
fn is_refusal(class: FailureClass) -> bool {
    matches!(
        class,
        FailureClass::OutputContract
            | FailureClass::LimitExceeded
            | FailureClass::ExitStatus
            | FailureClass::Timeout
            | FailureClass::Cancelled
    )
}

/// Whether outputs hold all that was returned.
fn holds(outputs: &JsonObject, returned: &AttemptSuccess) -> bool {
    match returned {
        AttemptSuccess::Value {
            value: Value::Object(members),
            ..
        } => members
            .iter()
            .all(|(name, member)| outputs.get(name) == Some(member)),
        AttemptSuccess::Value { .. } => !outputs.is_empty(),
        AttemptSuccess::Process { stdout, .. } => outputs
            .get("stdout")
            .is_some_and(|printed| printed == stdout),
        AttemptSuccess::Answer(ModelAnswer::Json(value)) => {
            outputs.values().any(|output| output == value)
        }
        AttemptSuccess::Answer(ModelAnswer::Text(_)) => !outputs.is_empty(),
        AttemptSuccess::Report { .. } => outputs.contains_key("report"),
    }
}
