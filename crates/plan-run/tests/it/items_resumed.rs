//! Items of a fan-out that is reset: what is finished is kept, if the item is the same.

use plan_run::{Effect, EventKind, FailureClass, Refused, RunStatus};
use serde_json::{Value, json};

use crate::harness::{Driver, call, call_with, failure, fan, path, with};

fn texts(paths: &[plan_run::StepPath]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

fn resume(run: &mut Driver) {
    let event = run.machine.resumption().unwrap().event();
    run.push(event);
    run.pump();
}

/// Two steps for each of three items, of which the second fails in item 1.
fn failed() -> Driver {
    let steps = json!([
        fan("each", "${conf.rows}", &["get", "put"], &json!({})),
        call_with("get", "read", &json!({ "row": "${item.row}" })),
        call("put", "read", &["get"], &json!({})),
        call_with("sum", "read", &json!({ "all": "${step.each.results}" })),
    ]);
    let more = json!({ "config": { "rows": ["a", "b", "c"] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.succeed("each[0]/get", json!({}))
        .succeed("each[0]/put", json!({ "v": 0 }))
        .succeed("each[1]/get", json!({}))
        .fail("each[1]/put");
    assert_eq!(run.status(), RunStatus::Failed);
    run
}

#[test]
fn case_51_finished_items_and_finished_steps_of_others_survive_a_failure() {
    let mut run = failed();
    let resumption = run.machine.resumption().unwrap();
    assert_eq!(texts(&resumption.reset), ["each", "each[1]/put", "sum"]);
    assert_eq!(
        texts(&resumption.kept),
        ["each[0]/get", "each[0]/put", "each[1]/get"]
    );
    resume(&mut run);
    assert_eq!(run.in_flight(), ["each[1]/put"]);
    assert_eq!(run.attempt("each[1]/put"), 2);
    run.succeed("each[1]/put", json!({ "v": 1 }))
        .succeed("each[2]/get", json!({}))
        .succeed("each[2]/put", json!({ "v": 2 }));
    let arguments = Value::Object(run.arguments("sum"));
    assert_eq!(
        arguments,
        json!({ "all": [{ "v": 0 }, { "v": 1 }, { "v": 2 }] })
    );
    run.succeed("sum", json!({}));
    assert_eq!(run.status(), RunStatus::Succeeded);
    let record = run.machine.record();
    let attempts = |id| record.step_at(&path(id)).unwrap().attempts.len();
    assert_eq!((attempts("each[0]/put"), attempts("each[1]/put")), (1, 2));
    assert_eq!(run.replayed().record(), record);
}

#[test]
fn a_resumed_run_that_fails_before_its_items_begin_has_no_open_step() {
    let steps = json!([
        call("gate", "read", &[], &json!({})),
        with(
            fan("each", "${conf.rows}", &["get"], &json!({})),
            &json!({ "depends_on": ["gate"] })
        ),
        call("get", "read", &[], &json!({})),
    ]);
    let more = json!({ "config": { "rows": [0, 1] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.succeed("gate", json!({}))
        .succeed("each[0]/get", json!({ "v": 0 }))
        .fail("each[1]/get");
    resume(&mut run);
    assert_eq!(run.in_flight(), ["each[1]/get"]);
    run.cancel().settle(
        "each[1]/get",
        Err(failure(FailureClass::Cancelled, Effect::None)),
    );
    assert_eq!(run.status(), RunStatus::Cancelled);
    for (path, step) in run.machine.record().all_steps() {
        assert!(step.status.is_ended(), "{path}");
    }
}

/// The list comes from `rows`, which fails and lets the run go on: the configured one is taken then.
fn changed(body: &Value) -> Driver {
    let steps = json!([
        call("rows", "read", &[], &json!({ "on_error": "continue" })),
        with(
            fan(
                "each",
                "${step.rows.found ?? conf.rows}",
                &["get"],
                &json!({})
            ),
            &json!({ "join": "settled" }),
        ),
        body,
    ]);
    let more = json!({ "config": { "rows": ["a", "b", "c"] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.fail("rows")
        .succeed("each[0]/get", json!({ "v": "A" }))
        .succeed("each[1]/get", json!({ "v": "B" }))
        .fail("each[2]/get");
    run
}

#[test]
fn an_item_is_kept_by_its_place_and_its_digest() {
    let mut run = changed(&call("get", "read", &[], &json!({})));
    let resumption = run.machine.resumption().unwrap();
    assert_eq!(texts(&resumption.reset), ["rows", "each", "each[2]/get"]);
    resume(&mut run);
    // the first is the same, the second another, the third is gone
    run.succeed("rows", json!({ "found": ["a", "x"] }));
    assert_eq!(run.in_flight(), ["each[1]/get"]);
    run.succeed("each[1]/get", json!({ "v": "X" }));
    assert_eq!(run.status(), RunStatus::Succeeded);
    assert_eq!(
        run.outputs_of("each")["results"],
        json!([{ "v": "A" }, { "v": "X" }])
    );
    let record = run.machine.record();
    assert_eq!(record.step("each").unwrap().items.len(), 2);
    assert_eq!(run.replayed().record(), record);
}

#[test]
fn nothing_is_kept_where_the_body_itself_reads_what_was_reset() {
    let body = call_with(
        "get",
        "read",
        &json!({ "from": "${step.rows.at ?? conf.rows}" }),
    );
    let run = changed(&body);
    let resumption = run.machine.resumption().unwrap();
    assert_eq!(
        texts(&resumption.reset),
        ["rows", "each", "each[0]/get", "each[1]/get", "each[2]/get"]
    );
}

#[test]
fn nothing_is_kept_where_until_held_for_no_item() {
    let steps = json!([
        fan(
            "each",
            "${conf.rows}",
            &["get"],
            &json!({ "until": "step.get.v > 1" })
        ),
        call("get", "read", &[], &json!({})),
    ]);
    let more = json!({ "config": { "rows": [0, 1] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.succeed("each[0]/get", json!({ "v": 0 }))
        .succeed("each[1]/get", json!({ "v": 0 }));
    assert_eq!(run.status(), RunStatus::Failed);
    resume(&mut run);
    assert_eq!(run.in_flight(), ["each[0]/get"]);
    run.succeed("each[0]/get", json!({ "v": 2 }));
    assert_eq!(run.status(), RunStatus::Succeeded);
    assert_eq!(run.outputs_of("each")["results"], json!([{ "v": 2 }]));
}

#[test]
fn an_unsafe_call_of_an_item_that_would_be_made_again_is_told() {
    let steps = json!([
        fan(
            "each",
            "${conf.rows}",
            &["send"],
            &json!({ "max_parallel": 2 })
        ),
        call("send", "send", &[], &json!({})),
    ]);
    let more = json!({ "config": { "rows": [0, 1] } });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.succeed("each[0]/send", json!({})).settle(
        "each[1]/send",
        Err(failure(FailureClass::Timeout, Effect::Unknown)),
    );
    let resumption = run.machine.resumption().unwrap();
    assert_eq!(texts(&resumption.may_repeat), ["each[1]/send"]);
}

#[test]
fn an_unsafe_call_of_a_finished_item_is_told_where_its_list_may_become_another() {
    // an item that turns out to be another is sent anew, though its place had its call
    let run = changed(&call("get", "send", &[], &json!({})));
    let resumption = run.machine.resumption().unwrap();
    assert_eq!(texts(&resumption.reset), ["rows", "each", "each[2]/get"]);
    assert_eq!(
        texts(&resumption.may_repeat),
        ["each[0]/get", "each[1]/get"]
    );
    // nothing is asked about calls that are safe to repeat
    let run = changed(&call("get", "read", &[], &json!({})));
    assert!(run.machine.resumption().unwrap().may_repeat.is_empty());
}

#[test]
fn a_reset_of_an_item_alone_is_refused() {
    let mut run = failed();
    let kind = EventKind::RunResumed {
        generation: 1,
        plan: run.plan.digest(),
        reset: vec![path("each[1]/put")],
    };
    let refused = run.machine.apply(&plan_run::Event { at: run.now, kind });
    assert!(
        matches!(refused, Err(Refused::WrongReason { .. })),
        "{refused:?}"
    );
}
