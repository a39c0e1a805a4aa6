//! What a crash means for work that was in flight.

use insta::assert_snapshot;
use plan_run::event::AttemptOutcome;
use plan_run::{
    Decision, DecisionRefused, Effect, FailureClass, JsonObject, RunStatus, StepStatus,
};
use serde_json::{Map, Value, json};

use crate::harness::{Driver, call, path, somebody, with};

fn in_flight(tool: &str) -> Driver {
    Driver::new(&json!([
        call("a", tool, &[], &json!({})),
        call("b", "read", &["a"], &json!({}))
    ]))
}

fn outputs(value: Value) -> JsonObject {
    let Value::Object(members) = value else {
        return Map::new().into();
    };
    members.into()
}

#[test]
fn work_that_is_safe_to_repeat_is_made_again_under_its_key() {
    for tool in ["read", "put", "keyed"] {
        let mut run = in_flight(tool);
        let key = |run: &Driver| {
            run.machine
                .effect(&path("a"), run.attempt("a"), &|_| None)
                .unwrap()
                .key()
                .clone()
        };
        let before = key(&run);
        run.crash();
        assert_eq!(run.attempt("a"), 2, "{tool}");
        assert_eq!(key(&run), before);
        assert_eq!(run.outcomes("a"), [AttemptOutcome::Interrupted]);
    }
}

#[test]
fn case_45_unsafe_work_is_in_doubt_and_asks() {
    let mut run = in_flight("send");
    run.crash();
    assert_snapshot!(run.statuses(), @"waiting: a in_doubt, b pending");
    assert!(run.in_flight().is_empty(), "it is not repeated");
    assert_eq!(run.machine.in_doubt(), [(path("a"), 1)], "nor forgotten");
    run.crash();
    assert_snapshot!(run.statuses(), @"waiting: a in_doubt, b pending");
}

#[test]
fn a_script_is_never_taken_for_safe() {
    let code = json!({ "type": "CODE_CALL", "language": "python", "inline": "print(1)" });
    let mut run = Driver::new(&json!([crate::harness::step("a", code, &[])]));
    run.crash();
    assert_eq!(run.of("a"), StepStatus::InDoubt);
}

#[test]
fn a_decision_to_retry_makes_the_call_again() {
    let mut run = in_flight("send");
    run.crash().decide("a", Decision::Retry);
    assert_eq!(run.attempt("a"), 2);
    run.succeed("a", json!({})).succeed("b", json!({}));
    assert_eq!(run.status(), RunStatus::Succeeded);
}

#[test]
fn a_decision_that_it_succeeded_brings_the_outputs() {
    let mut run = in_flight("send");
    run.crash()
        .decide("a", Decision::MarkSucceeded(outputs(json!({ "id": 7 }))));
    assert_eq!(run.outputs_of("a")["id"], 7);
    assert_eq!(run.of("b"), StepStatus::Running);
}

#[test]
fn outputs_of_a_decision_are_checked() {
    let declared = json!({ "outputs": [{ "name": "id", "value_type": "integer" }] });
    let mut run = Driver::new(&json!([with(
        call("a", "send", &[], &json!({})),
        &declared
    )]));
    run.crash();
    let decision = Decision::MarkSucceeded(outputs(json!({ "id": "seven" })));
    let refused = run.machine.decide(&path("a"), decision, somebody());
    assert!(
        matches!(refused, Err(DecisionRefused::DoesNotFit { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_decision_that_it_failed_fails_the_step_with_its_effect_unknown() {
    let mut run = in_flight("send");
    run.crash().decide("a", Decision::MarkFailed);
    assert_snapshot!(run.statuses(), @"failed: a failed, b skipped(run_failed)");
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(
        (failure.class, failure.effect),
        (FailureClass::OutcomeUnknown, Effect::Unknown)
    );
}

#[test]
fn only_what_is_in_doubt_is_decided() {
    let run = in_flight("send");
    let refused = run
        .machine
        .decide(&path("a"), Decision::Retry, somebody())
        .unwrap_err();
    assert_eq!(
        refused,
        DecisionRefused::NotInDoubt {
            step: path("a"),
            status: StepStatus::Running
        }
    );
    let refused = run
        .machine
        .decide(&path("x"), Decision::Retry, somebody())
        .unwrap_err();
    assert_eq!(refused, DecisionRefused::UnknownStep(path("x")));
}

#[test]
fn a_run_does_not_end_while_something_is_in_doubt() {
    let mut run = in_flight("send");
    run.crash().cancel();
    assert_snapshot!(run.statuses(), @"waiting: a in_doubt, b skipped(run_cancelled)");
    let refused = run
        .machine
        .decide(&path("a"), Decision::Retry, somebody())
        .unwrap_err();
    assert_eq!(refused, DecisionRefused::RunEnding(path("a")));
    run.decide("a", Decision::MarkSucceeded(outputs(json!({}))));
    assert_snapshot!(run.statuses(), @"cancelled: a succeeded, b skipped(run_cancelled)");
}

#[test]
fn the_result_of_an_attempt_in_doubt_comes_too_late() {
    let mut run = in_flight("send");
    run.crash();
    run.settle_attempt("a", 1, Ok(json!({}).into()));
    assert_eq!(run.of("a"), StepStatus::InDoubt);
}

#[test]
fn the_record_says_who_decided() {
    for decision in [
        Decision::Retry,
        Decision::MarkFailed,
        Decision::MarkSucceeded(outputs(json!({}))),
    ] {
        let mut run = in_flight("send");
        run.crash();
        run.decide("a", decision);
        let record = serde_json::to_value(run.machine.record()).unwrap();
        let attempt = &record["steps"]["a"]["attempts"][0];
        assert_eq!(attempt["decided_by"], somebody().as_str(), "{attempt}");
    }
}
