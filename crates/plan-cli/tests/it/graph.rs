//! `graph`.

use serde_json::json;

use crate::command::Folder;
use crate::plans::{prepared, tool_call};

fn folder() -> Folder {
    prepared(json!([
        tool_call("a", "say", json!({"text": "x"}), &[]),
        tool_call("b", "say", json!({"text": "${step.a.said}"}), &[]),
    ]))
}

#[test]
fn every_notation_is_the_same_on_every_call() {
    let folder = folder();
    for format in ["mermaid", "dot", "json"] {
        let first = folder
            .planwright(["graph", "plan.json", "--format", format])
            .expect(0);
        let second = folder
            .planwright(["graph", "plan.json", "--format", format])
            .expect(0);
        assert_eq!(first.stdout, second.stdout);
        assert!(first.stderr.is_empty(), "{}", first.stderr);
    }
    let mermaid = folder.planwright(["graph", "plan.json"]).expect(0).stdout;
    assert!(mermaid.starts_with("flowchart TD\n"), "{mermaid}");
    let json = folder
        .planwright(["graph", "plan.json", "--format", "json"])
        .expect(0)
        .json();
    assert_eq!(json["edges"], json!([{"from": "a", "to": "b"}]));
    assert_eq!(json["groups"], json!([["a"], ["b"]]));
}

#[test]
fn a_plan_with_a_cycle_is_drawn() {
    let folder = prepared(json!([
        tool_call("a", "say", json!({"text": "x"}), &["b"]),
        tool_call("b", "say", json!({"text": "y"}), &["a"]),
    ]));
    let dot = folder
        .planwright(["graph", "plan.json", "--format", "dot"])
        .expect(0)
        .stdout;
    assert!(
        dot.contains("s1 -> s0") && dot.contains("s0 -> s1"),
        "{dot}"
    );
}
