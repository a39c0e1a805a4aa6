//! The inputs of a run.

use plan_validate::{Context, Finding, Policy, ToolCatalog, check, check_inputs};
use serde_json::{Value, json};

use crate::sample;

fn run(inputs: &Value, supplied: Value) -> Result<Value, Vec<Finding>> {
    let catalog = ToolCatalog::from_names(["search"]).unwrap();
    let policy = Policy::default();
    let plan = sample::with(json!({"inputs": inputs, "steps": [
        {"id": "a", "name": "A", "config": {"type": "TOOL_CALL", "tool": "search", "arguments": {}}}]}));
    let plan = check(&plan.to_string(), &Context::new(&catalog, &policy)).expect("a valid plan");
    check_inputs(&plan, serde_json::from_value(supplied).unwrap()).map(Value::Object)
}

#[test]
fn defaults_stand_in_for_null_and_empty_text() {
    let inputs = json!([
        {"name": "a", "value_type": "string", "default": "x"},
        {"name": "b", "value_type": "string", "default": "y"},
        {"name": "c", "required": false},
        {"name": "d", "value_type": "string"},
    ]);
    assert_eq!(
        run(&inputs, json!({"a": null, "b": "", "d": ""})).unwrap(),
        json!({"a": "x", "b": "y", "c": null, "d": ""})
    );
}

#[test]
fn every_problem_is_told_at_once() {
    let inputs = json!([
        {"name": "count", "value_type": "integer", "schema": {"minimum": 1}},
        {"name": "kind", "value_type": "string", "schema": {"enum": ["a", "b"]}},
        {"name": "file", "value_type": "string", "input_kind": "file_path"},
        {"name": "topic", "value_type": "string"},
    ]);
    let found = run(
        &inputs,
        json!({"count": 0, "kind": "c", "file": "", "topik": "x"}),
    )
    .unwrap_err();
    let lines: Vec<String> = found.iter().map(Finding::line).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
        P905 /count: the input `count`: `0` is not at least 1
        P905 /file: the input `file` is an empty path
        P905 /kind: the input `kind`: `"c"` is none of `a`, `b`
        P904 /topic: the input `topic` is required and was not given
        P903 /topik: the plan has no input `topik`
        "#);
}

#[test]
fn a_sensitive_value_is_in_no_finding() {
    let inputs = json!([
        {"name": "pin", "value_type": "string", "sensitive": true, "schema": {"pattern": "^[0-9]{4}$", "enum": ["1111"]}},
        {"name": "key", "value_type": "integer", "sensitive": true},
    ]);
    let found = run(&inputs, json!({"pin": "canary-1", "key": "canary-2"})).unwrap_err();
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(found.len(), 3);
    assert!(!text.contains("canary"), "{text}");
}

#[test]
fn a_value_nested_too_deep_is_refused() {
    let deep = (0..100).fold(json!(1), |value, _| json!([value]));
    let found = run(&json!([{"name": "a"}]), json!({"a": deep})).unwrap_err();
    assert_eq!(found[0].code, "P905");
}
