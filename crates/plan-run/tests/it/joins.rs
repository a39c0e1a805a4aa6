//! Which endings of its dependencies let a step run.

use insta::assert_snapshot;
use plan_run::StepStatus;
use serde_json::{Value, json};

use crate::harness::{Driver, call, condition};

const GO_ON: &str = "finish_independent";

fn go_on() -> Value {
    json!({ "failure_policy": GO_ON })
}

/// `a` succeeds, `b` fails, `c` is skipped because `b` failed.
fn three(join: &str, after: &[&str]) -> String {
    let steps = json!([
        call("a", "read", &[], &json!({})),
        call("b", "read", &[], &json!({ "on_error": "continue" })),
        call("c", "read", &["b"], &json!({})),
        call("t", "read", after, &json!({ "join": join })),
    ]);
    let mut run = Driver::with(&steps, &go_on(), json!({}));
    run.succeed("a", json!({})).fail("b");
    if run.of("t") == StepStatus::Running {
        run.succeed("t", json!({}));
    }
    run.statuses()
}

#[test]
fn all_runs_only_after_successes() {
    assert_snapshot!(three("all", &["a"]), @"succeeded: a succeeded, b failed, c skipped(upstream_failed), t succeeded");
    assert_snapshot!(three("all", &["a", "b"]), @"succeeded: a succeeded, b failed, c skipped(upstream_failed), t skipped(upstream_failed)");
    assert_snapshot!(three("all", &["a", "c"]), @"succeeded: a succeeded, b failed, c skipped(upstream_failed), t skipped(upstream_skipped)");
    assert_snapshot!(three("all", &["b", "c"]), @"succeeded: a succeeded, b failed, c skipped(upstream_failed), t skipped(upstream_skipped)");
}

#[test]
fn any_runs_after_one_success() {
    assert_snapshot!(three("any", &["a", "b", "c"]), @"succeeded: a succeeded, b failed, c skipped(upstream_failed), t succeeded");
    assert_snapshot!(three("any", &["b", "c"]), @"succeeded: a succeeded, b failed, c skipped(upstream_failed), t skipped(upstream_failed)");
    assert_snapshot!(three("any", &["c"]), @"succeeded: a succeeded, b failed, c skipped(upstream_failed), t skipped(upstream_skipped)");
}

#[test]
fn settled_runs_whatever_happened() {
    assert_snapshot!(three("settled", &["a", "b", "c"]), @"succeeded: a succeeded, b failed, c skipped(upstream_failed), t succeeded");
}

#[test]
fn a_join_waits_for_the_last_dependency() {
    let steps = json!([
        call("a", "read", &[], &json!({})),
        call("b", "read", &[], &json!({})),
        call("t", "read", &["a", "b"], &json!({ "join": "any" })),
    ]);
    let mut run = Driver::new(&steps);
    run.succeed("a", json!({}));
    assert_eq!(run.of("t"), StepStatus::Pending);
    run.succeed("b", json!({}));
    assert_eq!(run.of("t"), StepStatus::Running);
}

#[test]
fn a_root_runs_whatever_its_join() {
    for join in ["all", "any", "settled"] {
        let run = Driver::new(&json!([call("a", "read", &[], &json!({ "join": join }))]));
        assert_eq!(run.of("a"), StepStatus::Running, "{join}");
    }
}

fn branches(flag: bool) -> Driver {
    let mut after = call("after", "read", &["x", "y"], &json!({ "join": "any" }));
    after["config"]["arguments"] = json!({ "taken": "${step.x.v ?? step.y.v}" });
    let steps = json!([
        condition("c", "${input.flag}", &["x"], &["y"], &[]),
        call("x", "read", &["c"], &json!({})),
        call("y", "read", &["c"], &json!({})),
        after,
    ]);
    let inputs = json!({ "inputs": [{ "name": "flag", "value_type": "boolean" }] });
    Driver::with(&steps, &inputs, json!({ "flag": flag }))
}

#[test]
fn case_28_a_join_any_after_a_branch_has_the_taken_value() {
    for (flag, taken, other) in [(true, "x", "y"), (false, "y", "x")] {
        let mut run = branches(flag);
        assert_eq!(run.in_flight(), [taken]);
        run.succeed(taken, json!({ "v": taken }));
        assert_eq!(
            Value::Object(run.arguments("after")),
            json!({ "taken": taken })
        );
        run.succeed("after", json!({}));
        let record = serde_json::to_value(run.machine.record()).unwrap();
        assert_eq!(record["status"], "succeeded");
        assert_eq!(record["steps"][other]["status"], "skipped");
        assert_eq!(record["steps"][other]["skipped_reason"], "not_taken");
    }
}

#[test]
fn the_branch_of_a_condition_is_its_result() {
    let run = branches(true);
    assert_eq!(
        Value::Object(run.outputs_of("c")),
        json!({ "result": true })
    );
}

#[test]
fn a_branch_target_of_a_condition_that_did_not_run_is_skipped_whatever_its_join() {
    let steps = json!([
        call("a", "read", &[], &json!({ "on_error": "continue" })),
        condition("c", "${step.a.ok} == true", &["x"], &[], &[]),
        call("x", "read", &["c"], &json!({ "join": "settled" })),
        call("y", "read", &["x"], &json!({ "join": "settled" })),
    ]);
    let mut run = Driver::new(&steps);
    run.fail("a");
    assert_snapshot!(run.statuses(), @"running: a failed, c skipped(upstream_failed), x skipped(upstream_skipped), y running");
}

#[test]
fn a_condition_that_has_no_value_fails() {
    let steps = json!([
        call("a", "read", &[], &json!({})),
        condition("c", "${step.a.n} > 3", &["x"], &[], &[]),
        call("x", "read", &["c"], &json!({})),
    ]);
    let mut run = Driver::new(&steps);
    run.succeed("a", json!({ "n": "many" }));
    assert_snapshot!(run.statuses(), @"failed: a succeeded, c failed, x skipped(run_failed)");
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(failure.step, Some("c".parse().unwrap()));
    assert!(
        failure.message.starts_with("the expression has no value: "),
        "{failure}"
    );
}
