//! The record of a run.

use insta::assert_snapshot;
use plan_run::Answer;
use serde_json::json;

use crate::harness::{Driver, call, somebody, step};

#[test]
fn a_record_says_where_everything_stands() {
    let ask = json!({ "type": "HUMAN_INTERACTION", "prompt": "Which?", "response_field": "r" });
    let steps = json!([
        call("z", "read", &[], &json!({})),
        step("ask", ask, &["z"]),
        call("a", "read", &["ask"], &json!({})),
    ]);
    let more = json!({ "inputs": [{ "name": "n", "value_type": "integer", "default": 3 }] });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.after(250).succeed("z", json!({ "v": "1" }));
    let text = serde_json::to_string_pretty(&run.machine.record()).unwrap();
    let digest = run.plan.digest().to_string();
    let request = run.request("ask").to_string();
    let text = text
        .replace(&digest, "<digest>")
        .replace(&request, "<request>");
    assert_snapshot!(text, @r#"
    {
      "run_id": "run-1",
      "status": "waiting",
      "plan": {
        "id": "3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90",
        "version": 1,
        "name": "sample",
        "digest": "<digest>"
      },
      "created_at": "2026-01-01T00:00:00Z",
      "generation": 0,
      "inputs": {
        "n": 3
      },
      "steps": {
        "z": {
          "status": "succeeded",
          "attempts": [
            {
              "attempt": 1,
              "started_at": "2026-01-01T00:00:00Z",
              "ended_at": "2026-01-01T00:00:00.25Z",
              "outcome": "succeeded",
              "arguments": {}
            }
          ],
          "outputs": {
            "v": "1"
          }
        },
        "ask": {
          "status": "waiting",
          "attempts": [],
          "outputs": {}
        },
        "a": {
          "status": "pending",
          "attempts": [],
          "outputs": {}
        }
      },
      "outputs": {},
      "waiting": [
        {
          "request_id": "<request>",
          "kind": "question",
          "step": "ask",
          "prompt": "Which?",
          "schema": {
            "type": "string"
          }
        }
      ]
    }
    "#);
}

#[test]
fn a_record_is_the_same_however_it_came_about() {
    let ask = json!({ "type": "HUMAN_INTERACTION", "prompt": "Which?", "response_field": "r" });
    let mut run = Driver::new(&json!([
        step("ask", ask, &[]),
        call("a", "read", &["ask"], &json!({}))
    ]));
    run.answer("ask", Answer::Text("that one".into()))
        .succeed("a", json!({ "v": 1.5 }));
    let answered = run.machine.record();
    assert_eq!(answered.step("ask").unwrap().answered_by, Some(somebody()));
    let first = serde_json::to_string(&answered).unwrap();
    let second = serde_json::to_string(&run.replayed().record()).unwrap();
    assert_eq!(first, second);
}
