//! Fan-outs: items in order, their results, their failures, their end.

use plan_model::ToolName;
use plan_run::{
    Answer, Decision, DecisionRefused, Effect, EventKind, FailureClass, Refused, RunStatus,
    SkipReason, StepStatus,
};
use plan_validate::Policy;
use serde_json::{Map, Value, json};

use crate::harness::{
    Driver, call, call_with, condition, failure, fan, path, plan_under, somebody, with,
};

/// A fan-out `each` over `rows`, whose body is one call of `read` that delivers `v`.
fn each(rows: &Value, config: &Value, more: &Value) -> Driver {
    let body = with(
        call_with("get", "read", &json!({ "row": "${item.row}" })),
        &json!({ "outputs": [{ "name": "v" }] }),
    );
    let steps = json!([fan("each", "${conf.rows}", &["get"], config), body]);
    Driver::with(
        &steps,
        &with(json!({ "config": { "rows": rows } }), more),
        json!({}),
    )
}

fn record(run: &Driver, id: &str) -> Value {
    let record = serde_json::to_value(run.machine.record()).unwrap();
    record["steps"][id].clone()
}

#[test]
fn items_run_one_after_the_other_and_results_are_bare_values_in_item_order() {
    let mut run = each(&json!(["a", "b", "c"]), &json!({}), &json!({}));
    for (index, row) in ["a", "b", "c"].into_iter().enumerate() {
        let get = format!("each[{index}]/get");
        assert_eq!(run.in_flight(), [get.as_str()]);
        assert_eq!(Value::Object(run.arguments(&get)), json!({ "row": row }));
        run.succeed(&get, json!({ "v": row, "more": 1 }));
    }
    assert_eq!(run.status(), RunStatus::Succeeded);
    let outputs = Value::Object(run.outputs_of("each"));
    assert_eq!(outputs, json!({ "results": ["a", "b", "c"] }));
    let each = record(&run, "each");
    assert_eq!(each["items"][1]["index"], 1);
    assert_eq!(each["items"][1]["status"], "succeeded");
    assert_eq!(each["items"][1]["steps"]["get"]["outputs"]["v"], "b");
    assert_eq!(
        run.machine.record().steps().len(),
        1,
        "a body step stands in its items alone"
    );
}

#[test]
fn so_many_items_run_at_one_time_and_their_order_of_ending_changes_nothing() {
    let mut run = each(
        &json!([0, 1, 2, 3]),
        &json!({ "max_parallel": 3 }),
        &json!({}),
    );
    assert_eq!(
        run.in_flight(),
        ["each[0]/get", "each[1]/get", "each[2]/get"]
    );
    run.succeed("each[2]/get", json!({ "v": 2 }));
    assert_eq!(
        run.in_flight(),
        ["each[0]/get", "each[1]/get", "each[3]/get"]
    );
    for index in [3, 1, 0] {
        run.succeed(&format!("each[{index}]/get"), json!({ "v": index }));
    }
    assert_eq!(run.outputs_of("each")["results"], json!([0, 1, 2, 3]));
}

#[test]
fn a_body_runs_in_its_order_and_reads_its_own_item() {
    let steps = json!([
        call_with("sum", "read", &json!({ "all": "${step.each.results}" })),
        call_with(
            "b",
            "read",
            &json!({ "of": "${step.a.v}", "row": "${item.row.id}" })
        ),
        call("a", "read", &[], &json!({})),
        fan(
            "each",
            "${conf.rows}",
            &["a", "b"],
            &json!({ "max_parallel": 2 })
        ),
    ]);
    let more = json!({ "config": { "rows": [{ "id": 7 }, { "id": 8 }] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    assert_eq!(run.in_flight(), ["each[0]/a", "each[1]/a"]);
    run.succeed("each[1]/a", json!({ "v": "one" }))
        .succeed("each[0]/a", json!({ "v": "nought" }));
    let arguments = Value::Object(run.arguments("each[1]/b"));
    assert_eq!(arguments, json!({ "of": "one", "row": 8 }));
    run.succeed("each[0]/b", json!({ "w": 1 }))
        .succeed("each[1]/b", json!({ "w": 2 }));
    let arguments = Value::Object(run.arguments("sum"));
    assert_eq!(arguments, json!({ "all": [{ "w": 1 }, { "w": 2 }] }));
}

#[test]
fn an_empty_list_has_empty_results() {
    let run = each(
        &json!([]),
        &json!({ "on_item_error": "collect" }),
        &json!({}),
    );
    assert_eq!(run.status(), RunStatus::Succeeded);
    let outputs = Value::Object(run.outputs_of("each"));
    assert_eq!(outputs, json!({ "results": [], "errors": [] }));
}

#[test]
fn what_is_no_list_fails_the_step_and_says_what_it_is() {
    let steps = json!([
        call("rows", "read", &[], &json!({})),
        fan("each", "rows.found", &["get"], &json!({})),
        call("get", "read", &[], &json!({})),
    ]);
    for (found, said) in [
        (
            json!({ "found": "ab" }),
            "`${step.rows.found}` is a string, and no list",
        ),
        (
            json!({ "found": null }),
            "`${step.rows.found}` is null, and no list",
        ),
        (
            json!({ "found": { "a": 1 } }),
            "`${step.rows.found}` is an object, and no list",
        ),
        (
            json!({ "other": 1 }),
            "there is no list: `step.rows.found` leads nowhere",
        ),
    ] {
        let mut run = Driver::new(&steps);
        run.succeed("rows", found);
        assert_eq!(run.statuses(), "failed: rows succeeded, each failed");
        let record = run.machine.record();
        let failure = record.failure().unwrap();
        assert_eq!(failure.class, FailureClass::InvalidArguments);
        assert!(failure.message.starts_with(said), "{}", failure.message);
    }
}

#[test]
fn more_items_than_a_fan_out_may_have_are_a_typed_failure() {
    let steps = json!([
        call("rows", "read", &[], &json!({})),
        fan("each", "rows.found", &["get"], &json!({})),
        call("get", "read", &[], &json!({})),
    ]);
    let more = json!({ "limits": { "max_fan_out_items": 2 } });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.succeed("rows", json!({ "found": [1, 2, 3] }));
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::LimitExceeded);
    assert_eq!(
        failure.message,
        "`${step.rows.found}` has 3 items, and a fan-out may have 2"
    );
}

#[test]
fn under_stop_a_failed_item_ends_the_run_once_work_in_flight_has_ended() {
    let mut run = each(
        &json!([0, 1, 2, 3]),
        &json!({ "max_parallel": 2 }),
        &json!({}),
    );
    run.fail("each[1]/get");
    assert_eq!(run.in_flight(), ["each[0]/get"]);
    run.succeed("each[0]/get", json!({ "v": 0 }));
    assert_eq!(
        run.statuses(),
        "failed: each failed, each[0]/get succeeded, each[1]/get failed"
    );
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::Permission);
    assert_eq!(failure.step, Some(path("each[1]/get")));
    assert_eq!(failure.attempt, Some(1));
}

#[test]
fn where_the_run_goes_on_so_do_the_other_items() {
    for (more, run_status) in [
        (json!({ "failure_policy": "finish_independent" }), "failed"),
        (json!({}), "succeeded"),
    ] {
        let on_error = if run_status == "succeeded" {
            "continue"
        } else {
            "fail"
        };
        let mut each = fan("each", "${conf.rows}", &["get", "put"], &json!({}));
        each["on_error"] = json!(on_error);
        let steps = json!([
            each,
            call("get", "read", &[], &json!({})),
            call("put", "read", &["get"], &json!({})),
        ]);
        let more = with(json!({ "config": { "rows": [0, 1] } }), &more);
        let mut run = Driver::with(&steps, &more, json!({}));
        run.fail("each[0]/get")
            .succeed("each[1]/get", json!({}))
            .succeed("each[1]/put", json!({}));
        assert_eq!(
            run.statuses(),
            format!(
                "{run_status}: each failed, each[0]/get failed, each[0]/put skipped(upstream_failed), \
                 each[1]/get succeeded, each[1]/put succeeded"
            )
        );
    }
}

#[test]
fn collect_has_null_for_a_failed_item_and_says_why() {
    let mut run = each(
        &json!([0, 1, 2]),
        &json!({ "on_item_error": "collect", "max_parallel": 3 }),
        &json!({}),
    );
    run.fail("each[2]/get")
        .succeed("each[1]/get", json!({ "v": 1 }))
        .settle(
            "each[0]/get",
            Err(failure(FailureClass::NotFound, Effect::None)),
        );
    assert_eq!(run.status(), RunStatus::Succeeded);
    assert_eq!(
        Value::Object(run.outputs_of("each")),
        json!({
            "results": [null, 1, null],
            "errors": [
                { "index": 0, "class": "not_found", "message": "it broke" },
                { "index": 2, "class": "permission", "message": "it broke" },
            ],
        })
    );
    assert_eq!(record(&run, "each")["items"][2]["status"], "failed");
}

#[test]
fn in_a_failed_item_nothing_more_starts_under_stop_and_what_is_independent_under_the_other_policy()
{
    for (policy, last) in [
        ("stop", "each[0]/log skipped(item_failed)"),
        ("finish_independent", "each[0]/log succeeded"),
    ] {
        let steps = json!([
            fan(
                "each",
                "${conf.rows}",
                &["get", "use", "log"],
                &json!({ "on_item_error": "collect" })
            ),
            call("get", "read", &[], &json!({})),
            call("use", "read", &["get"], &json!({})),
            call("log", "read", &[], &json!({})),
        ]);
        let more = json!({ "config": { "rows": [0] }, "failure_policy": policy });
        let mut run = Driver::with(&steps, &more, json!({}));
        run.fail("each[0]/get");
        if policy == "finish_independent" {
            run.succeed("each[0]/log", json!({}));
        }
        assert_eq!(
            run.statuses(),
            format!(
                "succeeded: each succeeded, each[0]/get failed, each[0]/use skipped(upstream_failed), {last}"
            )
        );
        assert_eq!(run.outputs_of("each")["results"], json!([null]), "{policy}");
    }
}

#[test]
fn a_body_step_that_lets_go_on_does_not_fail_its_item() {
    let steps = json!([
        fan("each", "${conf.rows}", &["get", "use"], &json!({})),
        call("get", "read", &[], &json!({ "on_error": "continue" })),
        with(
            call("use", "read", &["get"], &json!({ "join": "settled" })),
            &json!({})
        ),
    ]);
    let mut run = Driver::with(&steps, &json!({ "config": { "rows": [0] } }), json!({}));
    run.fail("each[0]/get")
        .succeed("each[0]/use", json!({ "x": 1 }));
    assert_eq!(run.status(), RunStatus::Succeeded);
    assert_eq!(run.outputs_of("each")["results"], json!([{ "x": 1 }]));
}

#[test]
fn case_28_conditions_decide_for_each_item_and_a_join_takes_the_taken_side() {
    let join = with(
        call_with(
            "both",
            "read",
            &json!({ "v": "${step.big.v ?? step.small.v}" }),
        ),
        &json!({ "join": "any" }),
    );
    let steps = json!([
        fan(
            "each",
            "${conf.rows}",
            &["large", "big", "small", "both"],
            &json!({})
        ),
        condition("large", "item.row > 5", &["big"], &["small"], &[]),
        call("big", "read", &["large"], &json!({})),
        call("small", "read", &["large"], &json!({})),
        join,
    ]);
    let mut run = Driver::with(&steps, &json!({ "config": { "rows": [9, 1] } }), json!({}));
    run.succeed("each[0]/big", json!({ "v": "B" }));
    assert_eq!(
        Value::Object(run.arguments("each[0]/both")),
        json!({ "v": "B" })
    );
    run.succeed("each[0]/both", json!({}))
        .succeed("each[1]/small", json!({ "v": "S" }));
    assert_eq!(
        Value::Object(run.arguments("each[1]/both")),
        json!({ "v": "S" })
    );
    run.succeed("each[1]/both", json!({}));
    assert_eq!(run.status(), RunStatus::Succeeded);
    assert_eq!(
        run.of("each[0]/small"),
        StepStatus::Skipped(SkipReason::NotTaken)
    );
    assert_eq!(
        run.of("each[1]/big"),
        StepStatus::Skipped(SkipReason::NotTaken)
    );
}

#[test]
fn an_item_whose_last_step_is_skipped_is_null() {
    let steps = json!([
        fan("each", "${conf.rows}", &["large", "big"], &json!({})),
        condition("large", "item.row > 5", &["big"], &[], &[]),
        call("big", "read", &["large"], &json!({})),
    ]);
    let mut run = Driver::with(&steps, &json!({ "config": { "rows": [1, 9] } }), json!({}));
    run.succeed("each[1]/big", json!({ "v": 1 }));
    assert_eq!(run.outputs_of("each")["results"], json!([null, { "v": 1 }]));
    assert_eq!(record(&run, "each")["items"][0]["status"], "succeeded");
}

fn until() -> Value {
    json!({ "until": "step.get.v > 10" })
}

#[test]
fn case_33_until_holds_on_the_third_of_five() {
    let mut run = each(&json!([0, 1, 2, 3, 4]), &until(), &json!({}));
    for (index, v) in [1, 2, 30].into_iter().enumerate() {
        run.succeed(&format!("each[{index}]/get"), json!({ "v": v }));
    }
    assert_eq!(run.status(), RunStatus::Succeeded);
    assert_eq!(run.outputs_of("each")["results"], json!([1, 2, 30]));
    assert_eq!(record(&run, "each")["items"].as_array().unwrap().len(), 3);
}

#[test]
fn case_33_until_that_never_holds_is_a_failure_with_the_reason() {
    let mut run = each(&json!([0, 1]), &until(), &json!({}));
    run.succeed("each[0]/get", json!({ "v": 1 }))
        .succeed("each[1]/get", json!({ "v": 2 }));
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::OutputContract);
    assert_eq!(
        failure.message,
        "`until` (`step.get.v > 10`) held for none of the 2 items"
    );
    let empty = each(&json!([]), &until(), &json!({}));
    assert_eq!(empty.statuses(), "failed: each failed");
    let mut odd = each(&json!([0, 1]), &until(), &json!({}));
    odd.succeed("each[0]/get", json!({ "v": "text" }));
    assert_eq!(odd.statuses(), "failed: each failed, each[0]/get succeeded");
    let record = odd.machine.record();
    let said = &record.failure().unwrap().message;
    assert!(
        said.starts_with("`until` has no value for item 0: "),
        "{said}"
    );
}

#[test]
fn until_is_not_asked_about_an_item_that_failed() {
    let config = with(until(), &json!({ "on_item_error": "collect" }));
    let mut run = each(&json!([0, 1, 2]), &config, &json!({}));
    run.fail("each[0]/get")
        .succeed("each[1]/get", json!({ "v": 11 }));
    assert_eq!(run.status(), RunStatus::Succeeded);
    assert_eq!(run.outputs_of("each")["results"], json!([null, 11]));
}

/// `outer` over lists, `inner` over each of them.
fn nested() -> Driver {
    let inner = with(
        fan(
            "inner",
            "${item.list}",
            &["get"],
            &json!({ "item_var": "row" }),
        ),
        &json!({}),
    );
    let steps = json!([
        fan(
            "outer",
            "${conf.lists}",
            &["first", "inner"],
            &json!({ "item_var": "list" })
        ),
        call("first", "read", &[], &json!({})),
        inner,
        call_with(
            "get",
            "read",
            &json!({
                "row": "${item.row}", "list": "${item.list}", "first": "${step.first.v}",
            })
        ),
    ]);
    let more = json!({ "config": { "lists": [["a", "b"], [], ["c"]] } });
    Driver::with(&steps, &more, json!({}))
}

#[test]
fn fan_outs_nest_and_see_the_items_around_them() {
    let mut run = nested();
    run.succeed("outer[0]/first", json!({ "v": "x" }));
    let arguments = Value::Object(run.arguments("outer[0]/inner[0]/get"));
    assert_eq!(
        arguments,
        json!({ "row": "a", "list": ["a", "b"], "first": "x" })
    );
    run.succeed("outer[0]/inner[0]/get", json!({ "v": 1 }))
        .succeed("outer[0]/inner[1]/get", json!({ "v": 2 }))
        .succeed("outer[1]/first", json!({}))
        .succeed("outer[2]/first", json!({ "v": "z" }));
    let arguments = Value::Object(run.arguments("outer[2]/inner[0]/get"));
    assert_eq!(
        arguments,
        json!({ "row": "c", "list": ["c"], "first": "z" })
    );
    run.succeed("outer[2]/inner[0]/get", json!({ "v": 3 }));
    assert_eq!(run.status(), RunStatus::Succeeded);
    assert_eq!(
        run.outputs_of("outer")["results"],
        json!([{ "results": [{ "v": 1 }, { "v": 2 }] }, { "results": [] }, { "results": [{ "v": 3 }] }])
    );
}

#[test]
fn a_failure_deep_inside_is_the_failure_of_the_run() {
    let mut run = nested();
    run.succeed("outer[0]/first", json!({ "v": "x" }))
        .succeed("outer[0]/inner[0]/get", json!({}))
        .fail("outer[0]/inner[1]/get");
    assert_eq!(
        run.statuses(),
        "failed: outer failed, outer[0]/first succeeded, outer[0]/inner failed, \
         outer[0]/inner[0]/get succeeded, outer[0]/inner[1]/get failed"
    );
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(failure.step, Some(path("outer[0]/inner[1]/get")));
}

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
fn events_that_do_not_follow_are_refused() {
    let mut run = each(&json!([0, 1]), &json!({}), &json!({}));
    let mut refused = |kind: EventKind| {
        let at = run.now;
        let before = run.machine.record();
        let refused = run
            .machine
            .apply(&plan_run::Event { at, kind })
            .unwrap_err();
        assert_eq!(run.machine.record(), before);
        refused
    };
    let each = path("each");
    assert!(matches!(
        refused(EventKind::ListCollected {
            step: each.clone(),
            count: 2
        }),
        Refused::ItemsOpen { active: 1, .. }
    ));
    assert!(matches!(
        refused(EventKind::UntilEvaluated {
            step: each.clone(),
            index: 0,
            result: true
        }),
        Refused::OtherItems { .. }
    ));
    assert!(matches!(
        refused(EventKind::FanOutDropped {
            step: each,
            reason: plan_run::event::StopReason::RunFailed
        }),
        Refused::WrongReason { .. }
    ));
    assert!(matches!(
        refused(EventKind::StepSkipped {
            step: path("each[1]/get"),
            reason: SkipReason::NotTaken
        }),
        Refused::UnknownStep { .. }
    ));
    assert!(matches!(
        refused(EventKind::StepSkipped {
            step: path("get"),
            reason: SkipReason::NotTaken
        }),
        Refused::UnknownStep { .. }
    ));
}

#[test]
fn items_of_a_sensitive_list_are_used_and_never_shown() {
    let steps = json!([
        fan(
            "each",
            "${input.people}",
            &["inner"],
            &json!({ "item_var": "person" })
        ),
        fan(
            "inner",
            "${item.person.codes}",
            &["get"],
            &json!({ "item_var": "code" })
        ),
        call_with("get", "read", &json!({ "code": "${item.code}" })),
    ]);
    let more =
        json!({ "inputs": [{ "name": "people", "value_type": "array", "sensitive": true }] });
    let inputs = json!({ "people": [{ "codes": ["canary-1"] }] });
    let run = Driver::with(&steps, &more, inputs);
    let get = "each[0]/inner[0]/get";
    assert_eq!(
        Value::Object(run.arguments(get)),
        json!({ "code": "canary-1" })
    );
    for bytes in &run.journal[1..] {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("canary"), "{text}");
    }
    let shown = serde_json::to_string(&run.machine.record()).unwrap();
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn a_long_body_and_many_items_take_time_in_proportion() {
    let ids: Vec<String> = (0..200).map(|index| format!("s{index}")).collect();
    let body: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut steps = vec![fan(
        "each",
        "${conf.rows}",
        &body,
        &json!({ "max_parallel": 4 }),
    )];
    steps.extend(
        body.iter()
            .map(|id| condition(id, "item.row > 5", &[], &[], &[])),
    );
    let rows: Vec<usize> = (0..40).collect();
    let more = json!({ "config": { "rows": rows } });
    let run = Driver::with(&json!(steps), &more, json!({}));
    assert_eq!(run.status(), RunStatus::Succeeded);
    assert_eq!(run.journal.len(), 1 + 1 + 200 * 40 + 1 + 1);
}
