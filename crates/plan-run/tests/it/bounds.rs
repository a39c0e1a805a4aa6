//! Bounds on the whole run.

use std::time::Duration;

use insta::assert_snapshot;
use plan_run::{Answer, Effect, Ending, FailureClass, RunStatus};
use serde_json::{Value, json};

use plan_validate::Policy;

use crate::harness::{Driver, call, failure, fan, plan, plan_under, somebody, step};

fn chain() -> Value {
    json!([
        call("a", "read", &[], &json!({})),
        call("b", "read", &["a"], &json!({})),
        call("c", "read", &["b"], &json!({})),
    ])
}

#[test]
fn case_38_a_deadline_stops_work_and_everything_known_is_reported() {
    let plan = plan(&chain(), &json!({}));
    let mut run = Driver::start(plan, json!({}), |new| {
        new.deadline = Some(plan_model::Timestamp::from_millis(
            1_767_225_600_000 + 10_000,
        ));
    });
    run.after(1).succeed("a", json!({}));
    assert_eq!(run.machine.due(), run.machine.created().deadline);
    run.after(9_999);
    assert_eq!(run.machine.ending(), Some(Ending::Abort));
    run.settle("b", Err(failure(FailureClass::Cancelled, Effect::Unknown)));
    assert_snapshot!(run.statuses(), @"failed: a succeeded, b cancelled, c skipped(run_failed)");
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::LimitExceeded);
    assert_eq!(
        failure.message,
        "the run had not ended by its deadline, 2026-01-01T00:00:10Z"
    );
}

#[test]
fn driven_time_is_bounded_and_waiting_does_not_count() {
    let ask = json!({ "type": "HUMAN_INTERACTION", "prompt": "?", "response_field": "r" });
    let steps = json!([
        call("a", "read", &[], &json!({})),
        step("ask", ask, &["a"]),
        call("b", "read", &["ask"], &json!({})),
    ]);
    let mut run = Driver::with(
        &steps,
        &json!({ "limits": { "max_wall_secs": 10 } }),
        json!({}),
    );
    run.after(4_000).succeed("a", json!({}));
    assert_eq!(
        (run.status(), run.machine.due()),
        (RunStatus::Waiting, None)
    );
    run.after(86_400_000)
        .answer("ask", Answer::Text("x".into()));
    assert_eq!(
        run.machine.due(),
        Some(run.now.plus(Duration::from_secs(6)))
    );
    run.after(5_999);
    assert_eq!(run.machine.ending(), None);
    run.after(1);
    assert_eq!(run.machine.ending(), Some(Ending::Abort));
}

#[test]
fn the_time_between_two_processes_is_not_driven() {
    let mut run = Driver::with(
        &chain(),
        &json!({ "limits": { "max_wall_secs": 10 } }),
        json!({}),
    );
    run.after(3_000).succeed("a", json!({}));
    run.now = run.now.plus(Duration::from_hours(1));
    run.crash();
    assert_eq!(run.machine.ending(), None);
    assert_eq!(
        run.machine.due(),
        Some(run.now.plus(Duration::from_secs(7)))
    );
}

#[test]
fn the_time_in_which_people_answer_and_nobody_drives_is_not_driven() {
    let ask = json!({ "type": "HUMAN_INTERACTION", "prompt": "?", "response_field": "r" });
    let steps = json!([
        step("one", ask.clone(), &[]),
        step("two", ask, &[]),
        call("a", "read", &["one"], &json!({})),
    ]);
    let mut run = Driver::with(
        &steps,
        &json!({ "limits": { "max_wall_secs": 10 } }),
        json!({}),
    );
    // each answer comes from a process that puts it into the journal and drives nothing
    for id in ["one", "two"] {
        run.now = run.now.plus(Duration::from_hours(1));
        let request = run.request(id);
        let answer = Answer::Text("x".into());
        let event = run
            .machine
            .answer(&request, answer, somebody(), run.now)
            .unwrap();
        run.push(event);
    }
    run.now = run.now.plus(Duration::from_hours(1));
    run.crash();
    assert_eq!(run.machine.ending(), None);
    assert_eq!(
        run.machine.due(),
        Some(run.now.plus(Duration::from_secs(10)))
    );
}

#[test]
fn the_time_up_to_a_word_from_outside_is_driven_where_somebody_drives() {
    let ask = json!({ "type": "HUMAN_INTERACTION", "prompt": "?", "response_field": "r" });
    let steps = json!([step("ask", ask, &[]), call("a", "read", &[], &json!({}))]);
    let mut run = Driver::with(
        &steps,
        &json!({ "limits": { "max_wall_secs": 10 } }),
        json!({}),
    );
    let began = run.now;
    run.after(4_000).answer("ask", Answer::Text("x".into()));
    assert_eq!(run.machine.due(), Some(began.plus(Duration::from_secs(10))));
    run.after(5_999);
    assert_eq!(run.machine.ending(), None);
    run.after(1);
    assert_eq!(run.machine.ending(), Some(Ending::Abort));
}

#[test]
fn calls_over_the_budget_are_not_made() {
    let mut step = call("a", "read", &[], &json!({}));
    step["retry"] = json!({ "max_attempts": 2, "delay_secs": 0 });
    let mut run = Driver::with(
        &json!([step]),
        &json!({ "limits": { "max_tool_calls": 2 } }),
        json!({}),
    );
    run.crash();
    run.crash();
    assert_snapshot!(run.statuses(), @"failed: a skipped(run_failed)");
    assert_eq!(
        run.machine.record().failure().unwrap().message,
        "the run may make 2 tool calls and would make more"
    );
}

/// A policy under which a run has these limits.
fn within(set: impl FnOnce(&mut plan_model::Limits)) -> Policy {
    let mut limits = plan_model::Limits::default();
    set(&mut limits);
    Policy::default().limits(limits)
}

#[test]
fn case_57_the_items_of_all_fan_outs_together_are_bounded() {
    let steps = json!([
        fan("outer", "${conf.rows}", &["inner"], &json!({})),
        fan(
            "inner",
            "${conf.rows}",
            &["get"],
            &json!({ "item_var": "cell" })
        ),
        call("get", "read", &[], &json!({})),
    ]);
    let more = json!({ "config": { "rows": [1, 2, 3] } });
    // three, and three within each of them
    for (most, ends) in [(12, RunStatus::Succeeded), (11, RunStatus::Failed)] {
        let policy = within(|limits| limits.run_items = most);
        let mut run = Driver::start(plan_under(&steps, &more, &policy), json!({}), |_| {});
        while let Some(next) = run.in_flight().first().cloned() {
            run.succeed(&next, json!({}));
        }
        assert_eq!(run.status(), ends);
        if ends == RunStatus::Failed {
            let record = run.machine.record();
            let failure = record.failure().unwrap();
            assert_eq!(failure.class, FailureClass::LimitExceeded);
            assert_eq!(
                failure.message,
                "the run may have 11 items of fan-outs, and with the 3 of `${conf.rows}` it would have 12"
            );
        }
    }
}

#[test]
fn case_57_items_that_a_resume_keeps_count_once_and_others_again() {
    let steps = json!([
        call("rows", "read", &[], &json!({})),
        fan("each", "${step.rows.found}", &["get"], &json!({})),
        call("get", "read", &[], &json!({})),
    ]);
    let policy = within(|limits| limits.run_items = 4);
    let mut run = Driver::start(plan_under(&steps, &json!({}), &policy), json!({}), |_| {});
    run.succeed("rows", json!({ "found": ["a", "b", "c"] }));
    run.succeed("each[0]/get", json!({})).fail("each[1]/get");
    for _ in 0..3 {
        run.crash();
        let resumed = run.machine.resumption().unwrap().event();
        run.push(resumed);
        run.pump();
        run.fail("each[1]/get");
    }
    let failure = run.machine.record().failure().unwrap().class;
    assert_eq!(failure, FailureClass::Permission);
}

#[test]
fn case_57_bytes_of_every_result_count_over_resumes() {
    let steps = json!([
        call("a", "read", &[], &json!({})),
        call("b", "read", &["a"], &json!({})),
        call("c", "read", &["b"], &json!({})),
    ]);
    let policy = within(|limits| limits.run_output_bytes = 250);
    let mut run = Driver::start(plan_under(&steps, &json!({}), &policy), json!({}), |_| {});
    let hundred = json!({ "v": "x".repeat(99) });
    run.succeed("a", hundred.clone());
    run.crash();
    run.succeed("b", hundred.clone());
    run.crash();
    assert_eq!(run.status(), RunStatus::Running);
    run.succeed("c", hundred);
    // what was delivered stands, and the run says why it goes no further
    assert_snapshot!(run.statuses(), @"failed: a succeeded, b succeeded, c succeeded");
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::LimitExceeded);
    assert_eq!(
        failure.message,
        "what its steps deliver may come to 250 bytes, and came to more"
    );
}

#[test]
fn case_57_calls_and_driven_time_count_over_resumes() {
    let limits = json!({ "limits": { "max_tool_calls": 3, "max_wall_secs": 10 } });
    let mut run = Driver::with(&chain(), &limits, json!({}));
    run.after(3_000)
        .succeed("a", json!({}))
        .after(3_000)
        .fail("b");
    let resumed = run.machine.resumption().unwrap().event();
    run.now = run.now.plus(Duration::from_hours(1));
    run.push(resumed);
    run.pump();
    assert_eq!(
        run.machine.due(),
        Some(run.now.plus(Duration::from_secs(4)))
    );
    run.succeed("b", json!({}));
    // a, b twice, and no fourth
    assert_snapshot!(run.statuses(), @"failed: a succeeded, b succeeded, c skipped(run_failed)");
    assert_eq!(
        run.machine.record().failure().unwrap().message,
        "the run may make 3 tool calls and would make more"
    );
}
