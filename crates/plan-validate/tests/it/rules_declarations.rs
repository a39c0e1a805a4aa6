//! What steps declare to deliver: P413.

use serde_json::{Value, json};

use crate::sample::{call, codes, lines, plan, step};

#[test]
fn case_25b_declarations_that_a_step_can_fill_are_fine() {
    let code = |outputs: Value| {
        step(
            "c",
            "CODE_CALL",
            json!({"language": "bash", "inline": "echo 1"}),
            json!({"outputs": outputs}),
        )
    };
    let ask = |approval: bool, value_type: &str| {
        let config =
            json!({"prompt": "Go on?", "response_field": "ok", "approval_required": approval});
        step(
            "h",
            "HUMAN_INTERACTION",
            config,
            json!({"outputs": [{"name": "ok", "value_type": value_type}]}),
        )
    };
    for step in [
        code(json!([{"name": "text", "value_type": "string"}])),
        code(json!([{"name": "stdout", "value_type": "integer"}])),
        code(
            json!([{"name": "exit_code", "value_type": "string"}, {"name": "x", "value_type": "object"}]),
        ),
        ask(true, "boolean"),
        ask(true, "string"),
        ask(true, "any"),
        ask(false, "string"),
    ] {
        assert_eq!(lines(&plan(json!([step]))), [""; 0], "{step}");
    }
    assert_eq!(codes(&plan(json!([ask(true, "integer")]))), ["P413"]);
    assert_eq!(codes(&plan(json!([ask(false, "boolean")]))), ["P413"]);
}

#[test]
fn what_a_kind_never_delivers_is_refused() {
    let condition = json!({"expression": "true"});
    let declared = |outputs: Value| {
        plan(json!([step(
            "c",
            "CONDITION",
            condition.clone(),
            json!({"outputs": outputs})
        )]))
    };
    assert_eq!(
        lines(&declared(
            json!([{"name": "result", "value_type": "boolean"}, {"name": "why"}])
        )),
        ["P413 /steps/0/outputs/1/name: `c` delivers `result`, and never `why`"]
    );
    assert_eq!(
        lines(&declared(
            json!([{"name": "result", "value_type": "string"}])
        )),
        [
            "P413 /steps/0/outputs/0/value_type: the output `result` is declared as string, and `c` delivers boolean"
        ]
    );
    assert_eq!(
        lines(&declared(json!([{"name": "a"}, {"name": "b"}]))),
        ["P413 /steps/0/outputs: a CONDITION step delivers `result`, which is not declared"]
    );
}

#[test]
fn a_declaration_is_held_against_the_closed_schema_of_its_tool() {
    let catalog = plan_model::document::parse(
        json!({"planwright": 1, "tools": [{"name": "search", "output_schema": {
            "type": "object", "properties": {"hits": {"type": "array"}, "count": {"type": "integer"}}, "additionalProperties": false}}]})
        .to_string()
        .as_bytes(),
        &plan_model::Limits::default(),
    );
    let catalog = plan_validate::ToolCatalog::from_document(&catalog.document.unwrap()).unwrap();
    let found = |outputs: Value| -> Vec<String> {
        let document = plan(json!([call("a", json!({}), json!({"outputs": outputs}))]));
        let found = crate::sample::findings_under(&document, &catalog);
        found.iter().map(plan_validate::Finding::line).collect()
    };
    assert_eq!(
        found(json!([{"name": "hits"}, {"name": "count", "value_type": "number"}])),
        [""; 0]
    );
    assert_eq!(
        found(json!([{"name": "everything", "value_type": "object"}])),
        [""; 0]
    );
    assert_eq!(
        found(json!([{"name": "hits"}, {"name": "counts"}])),
        ["P413 /steps/0/outputs/1/name: `a` delivers `count`, `hits`, and never `counts`"]
    );
    assert_eq!(
        found(json!([{"name": "count", "value_type": "string"}])),
        [
            "P413 /steps/0/outputs/0/value_type: the output `count` is declared as string, and `a` delivers integer"
        ]
    );
}
