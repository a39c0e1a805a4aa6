//! Drives a run through one interleaving of its results.

use plan_run::{Answer, AttemptSuccess, Decision, Effect, Failure, FailureClass, StepPath};
use plan_validate::ValidatedPlan;
use serde_json::{Map, json};

use super::sample::Sample;
use crate::harness::{Driver, failure};

/// What the run may be told next.
enum Open {
    Result(StepPath, u32),
    Question(StepPath),
    Doubt(StepPath),
    Time,
}

pub(super) fn drive(sample: &Sample, plan: ValidatedPlan, choices: &[u16]) -> Driver {
    disturbed(sample, plan, choices, None, None)
}

/// As [`drive`], with a crash and a cancellation at these turns.
pub(super) fn disturbed(
    sample: &Sample,
    plan: ValidatedPlan,
    choices: &[u16],
    crash_at: Option<usize>,
    cancel_at: Option<usize>,
) -> Driver {
    let mut run = Driver::start(plan, json!({}), |_| {});
    for (turn, choice) in choices.iter().cycle().enumerate() {
        if run.status().is_finished() {
            return run;
        }
        if crash_at == Some(turn) {
            run.crash();
        } else if cancel_at == Some(turn) {
            run.cancel();
        } else {
            turn_of(sample, &mut run, *choice);
        }
        assert!(turn < 2000, "the run goes on for ever: {}", run.statuses());
    }
    run
}

/// Drives a run that has begun to its end, always with the first of what is open.
pub(super) fn go_on(sample: &Sample, mut run: Driver) -> Driver {
    run.pump();
    for _ in 0..2000 {
        if run.status().is_finished() {
            break;
        }
        turn_of(sample, &mut run, 0);
    }
    run
}

fn turn_of(sample: &Sample, run: &mut Driver, choice: u16) {
    let mut open: Vec<Open> = Vec::new();
    open.extend(
        run.machine
            .started()
            .into_iter()
            .map(|(step, attempt)| Open::Result(step, attempt)),
    );
    open.extend(
        run.machine
            .requests()
            .iter()
            .map(|request| Open::Question(request.step.clone())),
    );
    open.extend(
        run.machine
            .in_doubt()
            .into_iter()
            .map(|(step, _)| Open::Doubt(step)),
    );
    if run.machine.due().is_some() {
        open.push(Open::Time);
    }
    assert!(!open.is_empty(), "nothing is open: {}", run.statuses());
    match &open[usize::from(choice) % open.len()] {
        Open::Result(step, attempt) => {
            let result = result_of(sample, run, step);
            run.settle_attempt(step.step().as_str(), *attempt, result);
        }
        Open::Question(step) => {
            let kind = run
                .machine
                .requests()
                .iter()
                .find(|request| request.step == *step)
                .unwrap()
                .kind;
            let answer = match kind {
                plan_run::RequestKind::Question => Answer::Text(step.to_string()),
                // the same for a step whatever the interleaving
                _ if step.to_string().len().is_multiple_of(2) => Answer::Approve,
                _ => Answer::Reject,
            };
            run.answer(step.step().as_str(), answer);
        }
        Open::Doubt(step) => {
            let decision = match sample.fate(step.step().as_str()) {
                (_, true) => Decision::MarkSucceeded(Map::new().into()),
                (_, false) => Decision::MarkFailed,
            };
            run.decide(step.step().as_str(), decision);
        }
        Open::Time => {
            run.now = run.machine.due().unwrap();
            run.pump();
        }
    }
}

/// What the current attempt of a step comes to: the same whatever the interleaving.
fn result_of(sample: &Sample, run: &Driver, step: &StepPath) -> Result<AttemptSuccess, Failure> {
    let id = step.step().as_str();
    let (transient, succeeds) = sample.fate(id);
    let failures = u32::try_from(run.outcomes(id).len()).unwrap();
    if failures < transient {
        return Err(failure(FailureClass::Transient, Effect::None));
    }
    if succeeds {
        let is_code = matches!(
            run.machine.effect(step, run.attempt(id), &|_| None),
            Ok(plan_run::EffectCall::Code(_))
        );
        if is_code {
            return Ok(AttemptSuccess::Process {
                stdout: id.into(),
                stderr: String::new(),
                exit_code: 0,
                confinement: None,
            });
        }
        Ok(json!({ "v": id }).into())
    } else {
        Err(failure(FailureClass::Permission, Effect::None))
    }
}
