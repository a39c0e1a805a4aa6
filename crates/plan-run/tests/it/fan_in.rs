//! Fan-ins: one list of what several steps delivered.

use plan_run::{FailureClass, RunStatus};
use serde_json::{Value, json};

use crate::harness::{Driver, call, condition, fan, step, with};

fn collect(from: &[&str]) -> Value {
    let config = json!({ "type": "FAN_IN", "from_steps": from, "collect_field": "all" });
    step("all", config, &[])
}

#[test]
fn elements_are_in_the_order_in_which_the_steps_are_named() {
    let steps = json!([
        with(
            call("a", "read", &[], &json!({})),
            &json!({ "outputs": [{ "name": "v" }] })
        ),
        call("b", "read", &[], &json!({})),
        collect(&["b", "a"]),
    ]);
    let mut run = Driver::new(&steps);
    run.succeed("a", json!({ "v": 1, "w": 2 }))
        .succeed("b", json!({ "x": 3 }));
    assert_eq!(run.status(), RunStatus::Succeeded);
    assert_eq!(
        Value::Object(run.outputs_of("all")),
        json!({ "all": [{ "x": 3 }, 1] })
    );
}

#[test]
fn what_was_skipped_or_failed_is_null() {
    let steps = json!([
        condition("yes", "true", &["a"], &["b"], &[]),
        call("a", "read", &["yes"], &json!({ "on_error": "continue" })),
        call("b", "read", &["yes"], &json!({})),
        with(collect(&["a", "b"]), &json!({ "join": "settled" })),
    ]);
    let mut run = Driver::new(&steps);
    run.fail("a");
    assert_eq!(run.outputs_of("all")["all"], json!([null, null]));
}

#[test]
fn a_fan_in_within_a_body_collects_from_its_own_item() {
    let steps = json!([
        fan(
            "each",
            "${conf.rows}",
            &["a", "b", "all"],
            &json!({ "max_parallel": 2 })
        ),
        call("a", "read", &[], &json!({})),
        call("b", "read", &[], &json!({})),
        collect(&["b", "a"]),
    ]);
    let more = json!({ "config": { "rows": [0, 1] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    for id in ["each[1]/a", "each[0]/a", "each[0]/b", "each[1]/b"] {
        run.succeed(id, json!({ "from": id }));
    }
    assert_eq!(
        run.outputs_of("each")["results"],
        json!([
            { "all": [{ "from": "each[0]/b" }, { "from": "each[0]/a" }] },
            { "all": [{ "from": "each[1]/b" }, { "from": "each[1]/a" }] },
        ])
    );
}

#[test]
fn derived_lists_may_be_larger_than_a_value_and_are_bounded_too() {
    let large = "x".repeat(1_000_000);
    for (count, expected) in [(3, RunStatus::Succeeded), (70, RunStatus::Failed)] {
        let rows: Vec<usize> = (0..count).collect();
        let steps = json!([
            fan(
                "each",
                "${conf.rows}",
                &["get"],
                &json!({ "max_parallel": 99 })
            ),
            call("get", "read", &[], &json!({})),
        ]);
        let more = json!({ "config": { "rows": rows } });
        let mut run = Driver::with(&steps, &more, json!({}));
        for index in 0..count {
            run.succeed(&format!("each[{index}]/get"), json!({ "v": large }));
        }
        assert_eq!(run.status(), expected);
        let last = run.journal.iter().rev().take(2);
        assert!(
            last.into_iter().all(|record| record.len() < 1000),
            "nothing is written again"
        );
        if expected == RunStatus::Failed {
            let record = run.machine.record();
            let failure = record.failure().unwrap();
            assert_eq!(failure.class, FailureClass::LimitExceeded);
            assert_eq!(failure.message, "`results` has more than 67108864 bytes");
        }
    }
}
