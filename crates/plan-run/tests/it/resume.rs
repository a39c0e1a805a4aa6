//! A failed run starts anew from what did not succeed.

use insta::assert_snapshot;
use plan_run::{Effect, FailureClass, Refused, ResumeRefused, RunStatus, StepPath};
use serde_json::{Value, json};

use crate::harness::{Driver, call, condition, failure, path};

fn names(paths: &[StepPath]) -> String {
    paths
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

fn sample(tool: &str) -> Value {
    json!([
        call("a", "read", &[], &json!({})),
        condition("c", "${step.a.go}", &["x"], &["y"], &[]),
        call("x", tool, &["c"], &json!({})),
        call("y", "read", &["c"], &json!({})),
        call("z", "read", &["x"], &json!({})),
        call("beside", "read", &["a"], &json!({})),
        call("later", "read", &["beside"], &json!({})),
    ])
}

fn failed(tool: &str, effect: Effect) -> Driver {
    let mut run = Driver::new(&sample(tool));
    run.succeed("a", json!({ "go": true }));
    run.settle("x", Err(failure(FailureClass::Timeout, effect)));
    run.succeed("beside", json!({}));
    assert_eq!(run.status(), RunStatus::Failed);
    run
}

#[test]
fn case_46a_steps_that_never_started_are_run_by_the_resume() {
    let mut run = failed("read", Effect::Unknown);
    assert_snapshot!(run.statuses(), @"failed: a succeeded, c succeeded, x failed, y skipped(not_taken), z skipped(run_failed), beside succeeded, later skipped(run_failed)");
    let resumption = run.machine.resumption().unwrap();
    assert_snapshot!(names(&resumption.reset), @"x z later");
    assert_snapshot!(names(&resumption.kept), @"a c y beside");
    assert_snapshot!(names(&resumption.may_repeat), @"");
    run.push(resumption.event());
    run.pump();
    assert_snapshot!(run.statuses(), @"running: a succeeded, c succeeded, x running, y skipped(not_taken), z pending, beside succeeded, later running");
    for step in ["x", "z", "later"] {
        run.succeed(step, json!({}));
    }
    assert_eq!(run.status(), RunStatus::Succeeded);
    let record = run.machine.record();
    assert_eq!(
        record.step("a").unwrap().attempts.len(),
        1,
        "a completed step does not run again"
    );
    assert_eq!(
        record.step("x").unwrap().attempts.len(),
        2,
        "what happened before stays on record"
    );
    assert_eq!(record.generation(), 1);
}

#[test]
fn case_46a_an_unsafe_call_whose_effect_is_unknown_is_named_before_it_is_repeated() {
    let run = failed("send", Effect::Unknown);
    assert_eq!(run.machine.resumption().unwrap().may_repeat, [path("x")]);
    let run = failed("send", Effect::None);
    assert!(run.machine.resumption().unwrap().may_repeat.is_empty());
}

#[test]
fn a_reset_gives_a_call_another_key() {
    let mut run = Driver::new(&json!([call("a", "read", &[], &json!({}))]));
    let key = |run: &Driver| {
        run.machine
            .effect(&path("a"), run.attempt("a"), &|_| None)
            .unwrap()
            .key()
            .clone()
    };
    let before = key(&run);
    run.fail("a");
    let event = run.machine.resumption().unwrap().event();
    run.push(event);
    run.pump();
    assert_ne!(key(&run), before);
}

#[test]
fn what_runs_downstream_of_a_reset_runs_again() {
    let steps = json!([
        call("a", "read", &[], &json!({ "on_error": "continue" })),
        call("b", "send", &["a"], &json!({ "join": "settled" })),
        call("c", "read", &["b"], &json!({})),
    ]);
    let mut run = Driver::new(&steps);
    run.fail("a").succeed("b", json!({})).fail("c");
    let resumption = run.machine.resumption().unwrap();
    assert_eq!(names(&resumption.reset), "a b c");
    assert_eq!(
        resumption.may_repeat,
        [path("b")],
        "it was made, and would be made again"
    );
}

#[test]
fn only_a_failed_run_is_reset() {
    let mut run = Driver::new(&json!([call("a", "read", &[], &json!({}))]));
    assert_eq!(
        run.machine.resumption(),
        Err(ResumeRefused::NotEnded(RunStatus::Running))
    );
    run.succeed("a", json!({}));
    assert_eq!(
        run.machine.resumption(),
        Err(ResumeRefused::Final(RunStatus::Succeeded))
    );
    let event = plan_run::Event {
        at: run.now,
        kind: plan_run::EventKind::RunResumed {
            generation: 1,
            plan: run.plan.digest(),
            reset: vec![path("a")],
        },
    };
    let refused = run.machine.apply(&event).unwrap_err();
    assert_eq!(
        refused,
        Refused::RunEnded {
            status: RunStatus::Succeeded
        }
    );
}

#[test]
fn a_run_is_resumed_again_and_again() {
    let mut run = Driver::new(&json!([call("a", "read", &[], &json!({}))]));
    for generation in 1..4 {
        run.fail("a");
        let event = run.machine.resumption().unwrap().event();
        run.push(event);
        run.pump();
        assert_eq!(run.machine.generation(), generation);
    }
    run.succeed("a", json!({}));
    assert_eq!(run.status(), RunStatus::Succeeded);
    assert_eq!(run.replayed().record(), run.machine.record());
}
