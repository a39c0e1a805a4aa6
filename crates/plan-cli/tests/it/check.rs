//! `check`, `explain` and `schema`.

use serde_json::{Value, json};

use crate::command::Folder;
use crate::plans::{PLAN_ID, approval, plan, prepared, tool_call};

fn steps() -> Value {
    json!([
        tool_call("a", "say", json!({"text": "x"}), &[]),
        tool_call("b", "say", json!({"text": "${step.a.said}"}), &[]),
        tool_call("c", "note", json!({"text": "y"}), &["a"]),
    ])
}

/// What `check --format json` says of the plan of a folder.
fn report(folder: &Folder) -> Value {
    let command = [
        "check",
        "plan.json",
        "--tools",
        "tools.yaml",
        "--format",
        "json",
    ];
    folder.planwright(command).expect(0).json()
}

#[test]
fn a_good_plan_passes_with_the_whole_report() {
    let folder = prepared(steps());
    let ended = folder
        .planwright([
            "check",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--format",
            "json",
        ])
        .expect(0);
    let report = ended.json();
    let members: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "bounds",
            "edges",
            "findings",
            "grant",
            "parallel_groups",
            "plan",
            "truncated",
            "valid"
        ]
    );
    assert_eq!(report["valid"], true);
    assert_eq!(report["plan"]["id"], PLAN_ID);
    assert_eq!(report["plan"]["version"], 1);
    assert_eq!(report["plan"]["name"], "a plan");
    assert_eq!(report["plan"]["digest"].as_str().unwrap().len(), 64);
    assert_eq!(report["parallel_groups"], json!([["a"], ["b", "c"]]));
    assert_eq!(report["edges"], json!({"a": [], "b": ["a"], "c": ["a"]}));
    assert_eq!(report["truncated"], 0);
    assert!(report["grant"].is_object());
    assert!(report["bounds"].is_object());
}

#[test]
fn a_bad_plan_is_refused_with_every_finding() {
    let folder = prepared(json!([
        tool_call("a", "say", json!({"text": 1}), &["b"]),
        tool_call("b", "sey", json!({}), &["a"]),
    ]));
    let ended = folder
        .planwright([
            "check",
            "plan.json",
            "--tools",
            "tools.yaml",
            "--format",
            "json",
        ])
        .expect(1);
    let report = ended.json();
    assert_eq!(report["valid"], false);
    assert_eq!(report["grant"], Value::Null);
    assert_eq!(report["plan"]["name"], "a plan");
    let codes: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect();
    for code in ["P203", "P301"] {
        assert!(codes.contains(&code), "{codes:?}");
    }
    let pretty = folder
        .planwright(["check", "plan.json", "--tools", "tools.yaml"])
        .expect(1);
    assert!(pretty.stderr.contains("P203"), "{}", pretty.stderr);
    assert!(pretty.stdout.is_empty());
}

#[test]
fn a_good_plan_says_the_most_that_it_can_use() {
    let mut plan_steps = steps();
    for step in plan_steps.as_array_mut().unwrap() {
        step["timeout_secs"] = json!(45);
    }
    plan_steps[0]["retry"] = json!({"max_attempts": 2, "delay_secs": 0});
    let folder = prepared(plan_steps);
    let ended = folder
        .planwright(["check", "plan.json", "--tools", "tools.yaml"])
        .expect(0);
    let block =
        "it can use at most\n  tool calls   4\n  attempts     4\n  time         2 min 15.704 s\n";
    assert!(ended.stderr.contains(block), "{}", ended.stderr);
    let json = report(&folder);
    assert_eq!(json["bounds"]["tool_calls"], 4);
    assert!(json["bounds"]["wall_secs"].is_number());
}

#[test]
fn without_a_catalog_tools_are_taken_by_name_and_that_is_said() {
    let folder = prepared(steps());
    let ended = folder.planwright(["check", "plan.json"]).expect(0);
    assert!(
        ended.stderr.contains("no catalog was given"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_bundle_brings_its_own_tools() {
    let folder = Folder::new();
    let mut call = tool_call("a", "say", json!({"text": "x"}), &[]);
    call["config"]["arguments"] = json!({"txt": "x"});
    let bundle = |call: &Value| {
        json!({"format_version": 1, "exported_at": "2026-01-01T00:00:00Z", "app_version": "1",
               "plan": plan(json!([call])),
               "tools": [{"name": "say", "allowlisted": true,
                          "input_schema": {"type": "object", "properties": {"text": {"type": "string"}},
                                           "additionalProperties": false},
                          "effects": {"read_only": true},
                          "config": {"kind": "subprocess", "command": "sh",
                                     "args": ["-c", "printf '{\"said\": \"%s\"}' \"$INXM_ARG_TEXT\""]}}]})
    };
    folder.write_json("bad.json", &bundle(&call));
    folder.write_json(
        "good.json",
        &bundle(&tool_call("a", "say", json!({"text": "x"}), &[])),
    );
    let ended = folder.planwright(["check", "bad.json"]).expect(1);
    assert!(
        ended.stderr.contains("P303") || ended.stderr.contains("P304"),
        "{}",
        ended.stderr
    );
    folder.planwright(["check", "good.json"]).expect(0);
    let record = folder
        .planwright(["run", "good.json", "--json"])
        .expect(0)
        .json();
    assert_eq!(record["steps"]["a"]["outputs"]["said"], "x");
}

#[test]
fn a_plan_comes_from_standard_input_too() {
    let folder = prepared(steps());
    let text = plan(steps()).to_string();
    folder
        .planwright_with(["check", "-", "--tools", "tools.yaml"], text.as_bytes())
        .expect(0);
    let ended = folder
        .planwright_with(["check", "-"], b"nonsense")
        .expect(1);
    assert!(
        ended.stderr.contains("`standard input` is refused"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_planners_list_takes_its_edges_as_it_is_told() {
    let folder = Folder::new();
    folder.write_json(
        "list.json",
        &json!({"steps": [
            {"name": "a", "tool": "say", "args": {"text": "x"}},
            {"name": "b", "tool": "say", "args": {"text": "y"}},
            {"name": "c", "tool": "say", "args": {"text": "${step.a.said}"}},
        ]}),
    );
    let edges = |args: &[&str]| {
        let mut all = vec!["check", "list.json", "--format", "json"];
        all.extend(args);
        let output = folder.command(&all).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["edges"].clone()
    };
    assert_eq!(edges(&[]), json!({"a": [], "b": ["a"], "c": ["a", "b"]}));
    assert_eq!(edges(&["--edges", "dataflow"])["c"], json!(["a"]));
    assert_eq!(edges(&["--as", "planner"]), edges(&[]));
    folder
        .planwright(["check", "list.json", "--as", "plan"])
        .expect(1);
}

#[test]
fn the_grant_is_printed_in_words() {
    let folder = prepared(steps());
    let ended = folder
        .planwright(["check", "plan.json", "--tools", "tools.yaml", "--grant"])
        .expect(0);
    assert!(ended.stdout.contains("note"), "{}", ended.stdout);
}

#[test]
fn what_will_be_asked_is_listed() {
    let folder = prepared(json!([
        approval("gate", "Go on?", &[]),
        tool_call("a", "note", json!({"text": "x"}), &["gate"]),
    ]));
    let report = report(&folder);
    assert!(report["bounds"]["asks"].is_array(), "{}", report["bounds"]);
}

#[test]
fn a_rules_page_is_found_by_code_and_by_name() {
    let folder = Folder::new();
    let page = folder.planwright(["explain", "P203"]).expect(0).stdout;
    assert!(page.contains("P203"), "{page}");
    assert_eq!(
        folder.planwright(["explain", "p203"]).expect(0).stdout,
        page
    );
    assert_eq!(
        folder
            .planwright(["explain", "dependency-cycle"])
            .expect(0)
            .stdout,
        page
    );
}

#[test]
fn every_document_has_a_schema() {
    let folder = prepared(steps());
    for document in ["plan", "planner", "catalog", "policy"] {
        let schema = folder.planwright(["schema", document]).expect(0).json();
        assert!(schema.is_object(), "{document}");
    }
    for document in ["plan", "planner"] {
        let schema = folder
            .planwright(["schema", document, "--tools", "tools.yaml"])
            .expect(0)
            .stdout;
        assert!(
            schema.contains("\"fail\""),
            "{document}: the tools are named"
        );
    }
}

#[test]
fn help_and_version_are_on_standard_output() {
    let folder = Folder::new();
    for args in [["--help"], ["--version"]] {
        let ended = folder.planwright(args).expect(0);
        assert!(ended.stdout.contains("planwright"));
        assert!(ended.stderr.is_empty());
    }
}
