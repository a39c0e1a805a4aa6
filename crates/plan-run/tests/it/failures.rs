//! What a failed step means for the rest.

use insta::assert_snapshot;
use plan_run::{AttemptSuccess, Effect, FailureClass, RunStatus};
use serde_json::{Value, json};

use crate::harness::{Driver, call, call_with, failure, path};

fn sample() -> Value {
    json!([
        call("a", "read", &[], &json!({})),
        call("b", "read", &["a"], &json!({})),
        call("c", "read", &[], &json!({})),
        call("d", "read", &["c"], &json!({})),
    ])
}

#[test]
fn case_27_a_failure_is_a_failed_step_and_a_failed_run() {
    for class in [
        FailureClass::Permission,
        FailureClass::Panicked,
        FailureClass::ToolNotFound,
        FailureClass::Internal,
    ] {
        let mut run = Driver::new(&sample());
        run.settle("a", Err(failure(class, Effect::Unknown)));
        run.succeed("c", json!({}));
        let said = "failed: a failed, b skipped(run_failed), c succeeded, d skipped(run_failed)";
        assert_eq!(run.statuses(), said);
        let record = run.machine.record();
        let failure = record.failure().unwrap();
        assert_eq!(
            (failure.class, &failure.step, failure.attempt),
            (class, &Some(path("a")), Some(1))
        );
    }
}

#[test]
fn stop_lets_work_in_flight_end_and_starts_nothing_more() {
    let mut run = Driver::new(&sample());
    run.fail("a");
    assert_snapshot!(run.statuses(), @"running: a failed, b skipped(run_failed), c running, d skipped(run_failed)");
    run.succeed("c", json!({}));
    assert_eq!(run.status(), RunStatus::Failed);
}

#[test]
fn finish_independent_goes_on_beside_the_failure() {
    let mut run = Driver::with(
        &sample(),
        &json!({ "failure_policy": "finish_independent" }),
        json!({}),
    );
    run.fail("a")
        .succeed("c", json!({}))
        .succeed("d", json!({}));
    assert_snapshot!(run.statuses(), @"failed: a failed, b skipped(upstream_failed), c succeeded, d succeeded");
}

#[test]
fn a_failure_that_may_go_on_fails_no_run_and_reads_as_null() {
    let steps = json!([
        call("a", "read", &[], &json!({ "on_error": "continue" })),
        crate::harness::with(
            call_with(
                "b",
                "read",
                &json!({ "v": "${step.a.v}", "w": "${step.a.v ?? conf.w}" })
            ),
            &json!({ "join": "settled" })
        ),
    ]);
    let more =
        json!({ "config": { "w": 7 }, "outputs": [{ "name": "v", "source": "${step.a.v}" }] });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.fail("a");
    assert_eq!(
        Value::Object(run.arguments("b")),
        json!({ "v": null, "w": 7 })
    );
    run.succeed("b", json!({}));
    assert_snapshot!(run.statuses(), @"succeeded: a failed, b succeeded");
    assert_eq!(run.machine.record().outputs()["v"], Value::Null);
}

#[test]
fn the_run_reports_the_first_failure_in_plan_order() {
    let mut run = Driver::with(
        &sample(),
        &json!({ "failure_policy": "finish_independent" }),
        json!({}),
    );
    run.fail("c").fail("a");
    assert_eq!(
        run.machine.record().failure().unwrap().step,
        Some(path("a"))
    );
}

#[test]
fn a_path_that_leads_nowhere_fails_the_step_and_says_what_was_there() {
    let steps = json!([
        call("a", "read", &[], &json!({})),
        call_with("b", "read", &json!({ "v": "${step.a.v.deep}" })),
    ]);
    let mut run = Driver::new(&steps);
    run.succeed("a", json!({ "v": { "shallow": 1 } }));
    assert_snapshot!(run.statuses(), @"failed: a succeeded, b failed");
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::InvalidArguments);
    assert_eq!(failure.effect, Effect::None);
    assert!(failure.message.contains("shallow"), "{failure}");
    assert!(
        record.step("b").unwrap().attempts.is_empty(),
        "nothing was called"
    );
}

#[test]
fn case_29_a_finished_run_has_no_open_step() {
    let steps = json!([
        call("a", "read", &[], &json!({})),
        call("b", "read", &["a"], &json!({ "join": "settled" })),
        crate::harness::step(
            "ask",
            json!({ "type": "HUMAN_INTERACTION", "prompt": "Why?", "response_field": "why" }),
            &[]
        ),
        call("late", "read", &["ask"], &json!({})),
        call(
            "again",
            "read",
            &[],
            &json!({ "retry": { "max_attempts": 3, "delay_secs": 60 } })
        ),
    ]);
    let mut run = Driver::new(&steps);
    run.settle("again", Err(failure(FailureClass::Transient, Effect::None)));
    run.fail("a");
    assert_snapshot!(run.statuses(), @"failed: a failed, b skipped(run_failed), ask cancelled, late skipped(run_failed), again failed");
    assert!(run.machine.requests().is_empty());
    assert_eq!(run.machine.due(), None);
}

#[test]
fn case_40_a_late_result_of_a_timed_out_attempt_changes_nothing() {
    let retry = json!({ "retry": { "max_attempts": 2, "delay_secs": 0 } });
    let mut run = Driver::new(&json!([call("a", "read", &[], &retry)]));
    run.settle("a", Err(failure(FailureClass::Timeout, Effect::Unknown)));
    assert_eq!(run.attempt("a"), 2);
    let before = run.statuses();
    run.settle_attempt("a", 1, Ok(AttemptSuccess::from(json!({ "v": "late" }))));
    assert_eq!(run.statuses(), before);
    run.succeed("a", json!({ "v": "in time" }));
    run.settle_attempt("a", 2, Ok(AttemptSuccess::from(json!({ "v": "twice" }))));
    assert_eq!(run.outputs_of("a")["v"], "in time");
    let record = serde_json::to_value(run.machine.record()).unwrap();
    let attempts = &record["steps"]["a"]["attempts"];
    assert_eq!(attempts[0]["outcome"], "failed");
    assert_eq!(attempts[0]["late_result"], "succeeded");
    assert_eq!(attempts[1]["late_result"], "succeeded", "it is on record");
}

#[test]
fn case_40_a_panic_fails_that_step_alone() {
    let mut run = Driver::with(
        &sample(),
        &json!({ "failure_policy": "finish_independent" }),
        json!({}),
    );
    run.settle("a", Err(failure(FailureClass::Panicked, Effect::Unknown)));
    run.succeed("c", json!({})).succeed("d", json!({}));
    assert_snapshot!(run.statuses(), @"failed: a failed, b skipped(upstream_failed), c succeeded, d succeeded");
}
