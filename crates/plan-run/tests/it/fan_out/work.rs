//! The calls in items: attempts, time, doubt, approvals, budgets, slots.

use plan_model::ToolName;
use plan_run::{
    Answer, Decision, DecisionRefused, Effect, FailureClass, ModelUsage, RunStatus, StepStatus,
};
use plan_validate::Policy;
use serde_json::{Map, Value, json};

use crate::harness::{
    Driver, call, call_with, failure, fan, path, plan_under, somebody, step, with,
};

use super::{each, record};

#[test]
fn case_30_each_body_step_has_its_own_attempts() {
    let steps = json!([
        fan(
            "each",
            "${conf.rows}",
            &["get"],
            &json!({ "max_parallel": 2 })
        ),
        call(
            "get",
            "read",
            &[],
            &json!({
                "retry": { "max_attempts": 3, "delay_secs": 5, "jitter": false }, "timeout_secs": 7,
            })
        ),
    ]);
    let mut run = Driver::with(&steps, &json!({ "config": { "rows": [0, 1] } }), json!({}));
    let flaky = || Err(failure(FailureClass::Transient, Effect::None));
    run.settle("each[1]/get", flaky());
    assert_eq!(run.in_flight(), ["each[0]/get"]);
    run.succeed("each[0]/get", json!({})).after(5_000);
    assert_eq!(run.attempt("each[1]/get"), 2);
    run.settle("each[1]/get", flaky())
        .after(5_000)
        .succeed("each[1]/get", json!({}));
    assert_eq!(run.status(), RunStatus::Succeeded);
    let record = run.machine.record();
    let attempts = |id| record.step_at(&path(id)).unwrap().attempts.len();
    assert_eq!((attempts("each[0]/get"), attempts("each[1]/get")), (1, 3));
}

#[test]
fn a_fan_out_out_of_time_gives_up_its_items() {
    let steps = json!([
        with(
            fan(
                "each",
                "${conf.rows}",
                &["get", "put"],
                &json!({ "max_parallel": 2 })
            ),
            &json!({ "timeout_secs": 10, "on_error": "continue" }),
        ),
        call(
            "get",
            "read",
            &[],
            &json!({ "retry": { "max_attempts": 2, "delay_secs": 60, "jitter": false } })
        ),
        call("put", "read", &["get"], &json!({})),
        call("next", "read", &["each"], &json!({ "join": "settled" })),
    ]);
    let more = json!({ "config": { "rows": [0, 1, 2] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.settle(
        "each[1]/get",
        Err(failure(FailureClass::Transient, Effect::None)),
    )
    .after(10_001);
    assert_eq!(run.in_flight(), ["each[0]/get"], "it is told to end");
    run.settle(
        "each[0]/get",
        Err(failure(FailureClass::Cancelled, Effect::None)),
    );
    assert_eq!(run.in_flight(), ["next"]);
    assert_eq!(
        run.statuses(),
        "running: each failed, each[0]/get cancelled, each[0]/put skipped(out_of_time), \
         each[1]/get failed, each[1]/put skipped(out_of_time), next running"
    );
    let record = run.machine.record();
    let failure = record.step("each").unwrap().failure.clone().unwrap();
    assert_eq!(failure.class, FailureClass::Timeout);
    assert_eq!(
        failure.message,
        "the items did not end within 10 s: 0 of 3 had"
    );
}

#[test]
fn a_retry_that_is_given_up_with_its_item_fails_the_run_before_the_rest_is_given_up() {
    let steps = json!([
        with(
            fan("each", "${conf.rows}", &["get", "put"], &json!({})),
            &json!({ "timeout_secs": 10 }),
        ),
        call(
            "get",
            "read",
            &[],
            &json!({ "retry": { "max_attempts": 2, "delay_secs": 60, "jitter": false } })
        ),
        call("put", "read", &["get"], &json!({})),
    ]);
    let more = json!({ "config": { "rows": [0] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.settle(
        "each[0]/get",
        Err(failure(FailureClass::Transient, Effect::None)),
    )
    .after(10_001);
    assert_eq!(
        run.statuses(),
        "failed: each failed, each[0]/get failed, each[0]/put skipped(run_failed)"
    );
    let failure = run.machine.record().failure().cloned().unwrap();
    assert_eq!(failure.class, FailureClass::Timeout);
}

#[test]
fn an_attempt_in_doubt_is_addressed_in_its_item() {
    let steps = json!([
        fan(
            "each",
            "${conf.rows}",
            &["send"],
            &json!({ "max_parallel": 2 })
        ),
        call("send", "send", &[], &json!({})),
    ]);
    let mut run = Driver::with(
        &steps,
        &json!({ "config": { "rows": [0, 1, 2] } }),
        json!({}),
    );
    run.succeed("each[0]/send", json!({ "n": 0 })).crash();
    assert_eq!(run.status(), RunStatus::Waiting);
    assert_eq!(run.of("each[1]/send"), StepStatus::InDoubt);
    assert_eq!(record(&run, "each")["items"][1]["status"], "in_doubt");
    run.decide(
        "each[1]/send",
        Decision::MarkSucceeded(Map::from_iter([("n".to_owned(), json!(1))]).into()),
    )
    .decide("each[2]/send", Decision::Retry);
    assert_eq!(run.in_flight(), ["each[2]/send"]);
    run.succeed("each[2]/send", json!({ "n": 2 }));
    assert_eq!(
        run.outputs_of("each")["results"],
        json!([{ "n": 0 }, { "n": 1 }, { "n": 2 }])
    );
}

#[test]
fn the_time_of_a_fan_out_is_up_also_while_the_run_is_ending_and_within_another_one() {
    let timed = |mut fan: Value, secs: u8| {
        fan["timeout_secs"] = json!(secs);
        fan
    };
    let outer = fan(
        "outer",
        "${conf.lists}",
        &["inner"],
        &json!({ "item_var": "list" }),
    );
    let steps = json!([
        timed(outer, 4),
        timed(fan("inner", "${item.list}", &["send"], &json!({})), 6),
        call("send", "send", &[], &json!({})),
        call("other", "read", &[], &json!({})),
    ]);
    let more = json!({ "config": { "lists": [[0]] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.fail("other").after(4_001);
    assert_eq!(
        run.machine.due().map(|_| ()),
        Some(()),
        "the inner one has its own"
    );
    run.after(3_000);
    assert_eq!(run.machine.due(), None, "nothing is left to be due");
    run.settle(
        "outer[0]/inner[0]/send",
        Err(failure(FailureClass::Cancelled, Effect::Unknown)),
    );
    assert_eq!(
        run.statuses(),
        "failed: outer failed, outer[0]/inner failed, outer[0]/inner[0]/send cancelled, other failed"
    );
    assert_eq!(run.replayed().record(), run.machine.record());
}

#[test]
fn an_attempt_in_doubt_outlasts_the_time_of_its_fan_out_and_cannot_be_made_again() {
    let mut each = fan("each", "${conf.rows}", &["send"], &json!({}));
    each["timeout_secs"] = json!(5);
    let steps = json!([each, call("send", "send", &[], &json!({}))]);
    let more = json!({ "config": { "rows": [0, 1] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.crash().after(6_000);
    assert_eq!(run.status(), RunStatus::Waiting);
    let retried = run
        .machine
        .decide(&path("each[0]/send"), Decision::Retry, somebody());
    assert!(
        matches!(retried, Err(DecisionRefused::RunEnding(_))),
        "{retried:?}"
    );
    run.decide("each[0]/send", Decision::MarkSucceeded(Map::new().into()));
    assert_eq!(
        run.statuses(),
        "failed: each failed, each[0]/send succeeded"
    );
    let record = run.machine.record();
    assert_eq!(record.failure().unwrap().class, FailureClass::Timeout);
}

#[test]
fn a_read_in_flight_is_repeated_under_its_key_after_a_crash() {
    let mut run = each(&json!([0, 1]), &json!({}), &json!({}));
    let key = |run: &Driver| {
        let attempt = run.attempt("each[0]/get");
        let effect = run.machine.effect(&path("each[0]/get"), attempt, &|_| None);
        effect.unwrap().key().clone()
    };
    let before = key(&run);
    run.crash();
    assert_eq!((run.attempt("each[0]/get"), key(&run)), (2, before));
}

#[test]
fn a_call_in_a_body_is_approved_for_its_item() {
    let policy = Policy::default().require_approval_of(ToolName::new("send").unwrap());
    let steps = json!([
        fan(
            "each",
            "${conf.rows}",
            &["send"],
            &json!({ "max_parallel": 2 })
        ),
        call_with("send", "send", &json!({ "to": "${item.row}" })),
    ]);
    let more = json!({ "config": { "rows": ["ada", "eve"] } });
    let mut run = Driver::start(plan_under(&steps, &more, &policy), json!({}), |_| {});
    let asked: Vec<String> = run
        .machine
        .requests()
        .iter()
        .map(|it| it.step.to_string())
        .collect();
    assert_eq!(asked, ["each[0]/send", "each[1]/send"]);
    assert_ne!(run.request("each[0]/send"), run.request("each[1]/send"));
    run.answer("each[1]/send", Answer::Approve);
    assert_eq!(run.in_flight(), ["each[1]/send"]);
    run.succeed("each[1]/send", json!({}));
    assert_eq!(run.status(), RunStatus::Waiting);
    run.answer("each[0]/send", Answer::Reject);
    assert_eq!(run.status(), RunStatus::Cancelled);
    assert_eq!(
        run.statuses(),
        "cancelled: each cancelled, each[0]/send cancelled, each[1]/send succeeded"
    );
}

#[test]
fn case_41_a_cancelled_run_has_no_open_item() {
    let mut run = each(&json!([0, 1, 2]), &json!({ "max_parallel": 2 }), &json!({}));
    run.succeed("each[0]/get", json!({ "v": 0 })).cancel();
    for id in ["each[1]/get", "each[2]/get"] {
        run.settle(id, Err(failure(FailureClass::Cancelled, Effect::Unknown)));
    }
    assert_eq!(
        run.statuses(),
        "cancelled: each cancelled, each[0]/get succeeded, each[1]/get cancelled, each[2]/get cancelled"
    );
}

#[test]
fn calls_in_items_count_against_the_budget() {
    let steps = json!([
        call("rows", "read", &[], &json!({})),
        fan("each", "rows.found", &["get"], &json!({})),
        call("get", "read", &[], &json!({})),
    ]);
    let more = json!({ "limits": { "max_tool_calls": 3 } });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.succeed("rows", json!({ "found": [0, 1, 2] }))
        .succeed("each[0]/get", json!({}))
        .succeed("each[1]/get", json!({}));
    assert_eq!(
        run.statuses(),
        "failed: rows succeeded, each cancelled, each[0]/get succeeded, each[1]/get succeeded, \
         each[2]/get skipped(run_failed)"
    );
}

#[test]
fn items_share_the_slots_of_the_run_and_of_their_tool() {
    let steps = json!([
        fan(
            "each",
            "${conf.rows}",
            &["get"],
            &json!({ "max_parallel": 9 })
        ),
        call("get", "slow", &[], &json!({})),
    ]);
    let more = json!({ "config": { "rows": [0, 1, 2, 3] } });
    let run = Driver::with(&steps, &more, json!({}));
    assert_eq!(run.in_flight(), ["each[0]/get", "each[1]/get"]);
}

#[test]
fn what_models_counted_in_items_is_counted_for_the_fan_out_and_the_run() {
    let ask = json!({
        "type": "PROMPT_CALL", "model": "m", "user_prompt": "${item.row}", "output_field": "text",
    });
    let steps = json!([
        fan("each", "${conf.rows}", &["ask"], &json!({})),
        step("ask", ask, &[]),
    ]);
    let mut run = Driver::with(&steps, &json!({ "config": { "rows": [1, 2] } }), json!({}));
    for (item, usage) in [(0, ModelUsage::new(10, 1)), (1, ModelUsage::new(20, 2))] {
        let id = format!("each[{item}]/ask");
        let answered = run.machine.answered(&path(&id), 1, usage).unwrap();
        run.push(answered);
        let answer = plan_run::ModelAnswer::Text("x".to_owned());
        run.settle(&id, Ok(plan_run::AttemptSuccess::Answer(answer)));
    }
    let record = run.machine.record();
    let all = Some(ModelUsage::new(30, 3));
    assert_eq!(record.usage(), all);
    assert_eq!(record.step("each").unwrap().usage, all);
    let second = record.step_at(&path("each[1]/ask")).unwrap();
    assert_eq!(second.usage, Some(ModelUsage::new(20, 2)));
}
