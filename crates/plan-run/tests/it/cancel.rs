//! A run that somebody ends.

use insta::assert_snapshot;
use plan_run::{Effect, Ending, Event, FailureClass, Refused, RunStatus};
use serde_json::{Value, json};

use crate::harness::{Driver, call, failure, somebody, step};

fn sample() -> Value {
    json!([
        call("a", "send", &[], &json!({})),
        call("b", "read", &["a"], &json!({})),
        step(
            "ask",
            json!({ "type": "HUMAN_INTERACTION", "prompt": "Why?", "response_field": "why" }),
            &[]
        ),
        call(
            "again",
            "read",
            &[],
            &json!({ "retry": { "max_attempts": 3, "delay_secs": 60 } })
        ),
    ])
}

#[test]
fn case_41_cancel_starts_nothing_more_and_cancelled_steps_say_so() {
    let mut run = Driver::new(&sample());
    run.settle("again", Err(failure(FailureClass::Transient, Effect::None)));
    run.cancel();
    assert_eq!(run.machine.ending(), Some(Ending::Abort));
    assert_snapshot!(run.statuses(), @"running: a running, b skipped(run_cancelled), ask cancelled, again cancelled");
    run.settle("a", Err(failure(FailureClass::Cancelled, Effect::Unknown)));
    assert_snapshot!(run.statuses(), @"cancelled: a cancelled, b skipped(run_cancelled), ask cancelled, again cancelled");
    let record = run.machine.record();
    let cancelled = record.cancelled().unwrap();
    assert_eq!(
        (cancelled.by.as_str(), cancelled.reason.as_deref()),
        ("ada", Some("enough"))
    );
}

#[test]
fn what_ends_on_its_own_after_a_cancel_keeps_its_result() {
    let mut run = Driver::new(&sample());
    run.cancel();
    run.succeed("a", json!({ "v": 1 })).fail("again");
    assert_snapshot!(run.statuses(), @"cancelled: a succeeded, b skipped(run_cancelled), ask cancelled, again failed");
    assert_eq!(run.outputs_of("a")["v"], 1);
}

#[test]
fn a_failed_attempt_is_not_repeated_after_a_cancel() {
    let mut run = Driver::new(&sample());
    run.cancel();
    run.settle("again", Err(failure(FailureClass::Transient, Effect::None)));
    assert_eq!(run.outcomes("again").len(), 1);
    assert_eq!(run.in_flight(), ["a"]);
}

#[test]
fn cancel_overrides_a_failure_that_is_still_draining() {
    let mut run = Driver::new(&sample());
    run.fail("again");
    assert_eq!(run.machine.ending(), Some(Ending::Drain));
    run.cancel();
    assert_eq!(run.machine.ending(), Some(Ending::Abort));
    run.succeed("a", json!({}));
    assert_eq!(run.status(), RunStatus::Cancelled);
}

#[test]
fn a_run_that_has_ended_cannot_be_cancelled() {
    let mut run = Driver::new(&json!([call("a", "read", &[], &json!({}))]));
    run.succeed("a", json!({}));
    let event = Event {
        at: run.now,
        kind: run.machine.cancel(somebody(), "late"),
    };
    let refused = run.machine.apply(&event).unwrap_err();
    assert_eq!(
        refused,
        Refused::RunEnded {
            status: RunStatus::Succeeded
        }
    );
}
