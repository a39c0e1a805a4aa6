//! Items that fail, and what goes on beside them.

use plan_run::{Effect, FailureClass, RunStatus};
use serde_json::{Value, json};

use crate::harness::{Driver, call, failure, fan, path, with};

use super::{each, record};

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
