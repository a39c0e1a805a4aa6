//! Conditions, `until` and fan-outs within the items.

use plan_run::{FailureClass, RunStatus, SkipReason, StepStatus};
use serde_json::{Value, json};

use crate::harness::{Driver, call, call_with, condition, fan, path, with};

use super::{each, record};

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
