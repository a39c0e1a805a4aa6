//! Calls against the schemas of their tools.

use plan_validate::{Finding, ToolCatalog};
use serde_json::{Map, Value, json};

use crate::catalogs::catalog;
use crate::sample;

fn tools() -> ToolCatalog {
    catalog(&json!({"planwright": 1, "tools": [
        {"name": "make", "output_schema": {"type": "object", "properties": {
            "text": {"type": "string"}, "count": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}},
        }, "additionalProperties": false}},
        {"name": "take", "input_schema": {"type": "object", "properties": {
            "text": {"type": "string"}, "count": {"type": "integer"}, "note": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
            "mode": {"enum": ["fast", "slow"]},
            "where": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": false},
        }, "required": ["text"]}},
    ]}))
}

/// What is found when `take` is called with these arguments, after `make`.
fn found(arguments: &Value) -> Vec<String> {
    let plan = json!({"steps": [
        {"name": "m", "tool": "make", "args": {}},
        {"name": "t", "tool": "take", "args": arguments, "after": ["m"]},
    ]});
    let findings = sample::findings_under(&plan, &tools());
    findings.iter().map(Finding::line).collect()
}

#[test]
fn case_05_text_into_an_integer_is_refused_with_both_places() {
    let plan = sample::plan(json!([
        {"id": "m", "name": "M", "config": {"type": "TOOL_CALL", "tool": "make", "arguments": {}},
         "outputs": [{"name": "text", "value_type": "string"}]},
        {"id": "t", "name": "T", "config": {"type": "TOOL_CALL", "tool": "take",
         "arguments": {"text": "x", "count": "${step.m.text}"}}},
    ]));
    let findings = sample::findings_under(&plan, &tools());
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].code, "P305");
    assert_eq!(
        findings[0].pointer.as_str(),
        "/steps/1/config/arguments/count"
    );
    assert_eq!(
        findings[0].related[0].pointer.as_str(),
        "/steps/0/outputs/0"
    );
}

#[test]
fn case_06_an_argument_that_a_closed_schema_lacks_is_refused() {
    assert_eq!(
        found(&json!({"text": "x", "colour": "red"})),
        ["P304 /steps/1/args/colour: the tool `take` has no argument `colour`"]
    );
}

#[test]
fn a_misspelt_required_argument_is_one_finding() {
    let found = found(&json!({"txt": "x"}));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("its required argument `text` is missing"));
}

#[test]
fn every_violation_stands_at_its_own_place() {
    insta::assert_snapshot!(found(&json!({
        "text": ["no"], "mode": "quick", "tags": ["a", 1, "c", "d"], "where": {"town": "x"},
    })).join("\n"), @r#"
        P305 /steps/1/args/mode: the argument `mode`: `"quick"` is none of `fast`, `slow`
        P305 /steps/1/args/tags: the argument `tags`: it has more than 3 elements
        P305 /steps/1/args/tags/1: the argument `tags`: `1` is a number, not a string
        P305 /steps/1/args/text: the argument `text`: `["no"]` is an array, not a string
        P305 /steps/1/args/where: the argument `where`: the member `city` is missing
        P305 /steps/1/args/where/town: the argument `where`: there is no member `town`
        "#);
}

#[test]
fn a_scalar_becomes_text_and_text_never_a_number() {
    insta::assert_snapshot!(found(&json!({"text": 5, "count": "5"})).join("\n"), @r#"
        P305 /steps/1/args/count: the argument `count`: `"5"` is a string, not an integer
        P305 /steps/1/args/text: `5` is sent as text
        "#);
    insta::assert_snapshot!(found(&json!({"text": "${step.m.count}"})).join("\n"), @"P305 /steps/1/args/text: the value of ${step.m.count} is sent as text");
}

#[test]
fn null_for_an_optional_argument_is_dropped_and_for_a_required_one_refused() {
    insta::assert_snapshot!(found(&json!({"text": null, "note": null})).join("\n"), @r#"
        P305 /steps/1/args/note: null is not sent: the argument takes no null
        P305 /steps/1/args/text: the argument `text`: null is not a string
        "#);
}

#[test]
fn what_is_unknown_before_the_run_is_not_scolded() {
    let none: [&str; 0] = [];
    assert_eq!(
        found(&json!({"text": "see ${step.m.text}", "tags": ["a", "${step.m.text}"]})),
        none
    );
    assert_eq!(found(&json!({"text": "x", "tags": "${step.m.tags}"})), none);
    assert_eq!(
        found(&json!({"text": "x", "where": {"city": "${step.m.text}"}})),
        none
    );
}

#[test]
fn what_is_known_around_a_reference_is_checked() {
    insta::assert_snapshot!(found(&json!({
        "text": "x", "tags": ["a", "b", "c", "${step.m.text}"], "where": {"town": "${step.m.text}"},
    })).join("\n"), @r#"
        P305 /steps/1/args/tags: the argument `tags`: it has more than 3 elements
        P305 /steps/1/args/where: the argument `where`: the member `city` is missing
        "#);
    insta::assert_snapshot!(found(&json!({"text": "x", "count": "n: ${step.m.count}"})).join("\n"), @r#"
        P305 /steps/1/args/count: the argument `count`: `""` is a string, not an integer
        "#);
    insta::assert_snapshot!(found(&json!({"text": "x", "tags": ["${step.m.tags}"]})).join("\n"), @"P305 /steps/1/args/tags/0: the argument `tags` takes string, and ${step.m.tags} does not fit: array of string is never string");
}

#[test]
fn a_schema_with_open_members_takes_any_argument() {
    let open = catalog(&json!({"planwright": 1, "tools": [
        {"name": "open", "input_schema": {"type": "object", "properties": {"a": {}}, "additionalProperties": true}},
        {"name": "silent", "input_schema": {"type": "object"}},
    ]}));
    for tool in ["open", "silent"] {
        let plan = json!({"steps": [{"tool": tool, "args": {"b": 1}}]});
        assert!(sample::findings_under(&plan, &open).is_empty(), "{tool}");
    }
}

#[test]
fn the_executor_gets_the_form_that_was_checked() {
    let catalog = tools();
    let policy = plan_validate::Policy::default();
    let text = json!({"steps": [{"name": "t", "tool": "take", "args": {"text": 5, "note": null}}]})
        .to_string();
    let plan =
        plan_validate::check(&text, &plan_validate::Context::new(&catalog, &policy)).unwrap();
    let step = plan.plan().steps[0].id.clone();
    let given: Map<String, Value> =
        serde_json::from_value(json!({"text": 5, "note": null})).unwrap();
    assert!(plan.check_arguments(&step, &given).is_err());
    let sent = plan.normalise(&step, given);
    assert_eq!(Value::Object(sent.clone()), json!({"text": "5"}));
    assert_eq!(plan.check_arguments(&step, &sent), Ok(()));
    let tool = plan.tool(&step).unwrap().name.clone();
    assert_eq!(
        plan.grant().permits_call(&step, &tool, &sent, &|_| None),
        Ok(())
    );
}

#[test]
fn an_unknown_argument_is_one_finding_and_what_the_table_does_not_know_is_told_by_the_schema() {
    let found = |schema: Value, arguments: Value| {
        let catalog = catalog(&json!({"planwright": 1, "tools": [
            {"name": "take", "input_schema": schema},
        ]}));
        let config = json!({"tool": "take", "arguments": arguments});
        let plan = sample::plan(json!([sample::step("a", "TOOL_CALL", config, json!({}))]));
        let findings = sample::findings_under(&plan, &catalog);
        let lines: Vec<String> = findings.iter().map(Finding::line).collect();
        lines.join("\n")
    };
    let closed = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false});
    insta::assert_snapshot!(
        found(closed, json!({"a": 1, "tone": "dry"})),
        @"P304 /steps/0/config/arguments/tone: the tool `take` has no argument `tone`"
    );
    let patterns = json!({"type": "object", "properties": {"a": {}}, "patternProperties": {"^x": {}}, "additionalProperties": false});
    insta::assert_snapshot!(
        found(patterns, json!({"x1": 1, "tone": "dry"})),
        @"P305 /steps/0/config/arguments/tone: the argument `tone`: there is no member `tone`"
    );
    let composed = json!({"type": "object", "allOf": [{"required": ["b"]}]});
    insta::assert_snapshot!(
        found(composed, json!({"a": 1})),
        @"P305 /steps/0/config/arguments: the arguments together: the member `b` is missing"
    );
}
