//! Fan-outs: items in order, their results, their failures, their end.

mod failures;
mod flow;
mod work;

use plan_run::{EventKind, FailureClass, Refused, RunStatus, SkipReason};
use serde_json::{Value, json};

use crate::harness::{Driver, call, call_with, condition, fan, path, with};

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
