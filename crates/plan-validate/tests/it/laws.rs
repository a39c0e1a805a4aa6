//! Laws: nothing panics, and the same input gives the same bytes.

use plan_model::document::ReadOptions;
use plan_validate::render::{Colour, json, pretty};
use plan_validate::{Context, Policy, ToolCatalog, check_answer, check_bytes};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::catalogs::catalog;
use crate::hostile::on_a_small_stack;
use crate::sample;

fn tools() -> ToolCatalog {
    catalog(&json!({"planwright": 1, "tools": [
        {"name": "search"},
        {"name": "take", "input_schema": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}},
    ]}))
}

/// Everything that a check says, as bytes.
fn said(bytes: &[u8]) -> String {
    let (catalog, policy) = (tools(), Policy::default());
    let cx = Context::new(&catalog, &policy);
    let result = check_bytes(bytes, &ReadOptions::default(), &cx);
    let source = String::from_utf8_lossy(bytes);
    let findings = match &result {
        Ok(plan) => plan.warnings(),
        Err(rejected) => rejected.findings(),
    };
    let shown = pretty(findings, "plan.json", &source, Colour::Never);
    let _ = check_answer(&source, &cx);
    format!("{shown}{}", json(result.as_ref()))
}

fn same_twice(bytes: Vec<u8>) -> bool {
    on_a_small_stack(move || said(&bytes) == said(&bytes))
}

/// A document that is nearly a plan: names repeat, references lead anywhere, kinds are mixed.
fn nearly_a_plan() -> impl Strategy<Value = Value> {
    let name = || prop::sample::select(vec!["a", "b", "c", "d", "", "true", "ä", "x y"]);
    let text = || {
        prop_oneof![
            name().prop_map(|name| format!("${{step.{name}.out}}")),
            name().prop_map(|name| format!("see ${{input.{name} ?? step.{name}.out[0]}} and ${{")),
            name().prop_map(|name| format!("${{item.{name}}}")),
            "[a-z$\\{\\}.<>%?=!&| ]{0,12}",
        ]
    };
    let value = || {
        prop_oneof![
            text().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            Just(Value::Null),
            text().prop_map(|text| json!({"k": [text]})),
        ]
    };
    let names = || prop::collection::vec(name(), 0..3);
    let config = prop_oneof![
        (prop::sample::select(vec!["search", "take", "none"]), value(), value()).prop_map(|(tool, a, b)| json!({"type": "TOOL_CALL", "tool": tool, "arguments": {"a": a, "b": b}})),
        (text(), names(), names()).prop_map(|(e, t, f)| json!({"type": "CONDITION", "expression": e, "true_steps": t, "false_steps": f})),
        (text(), name(), names(), text()).prop_map(|(o, v, s, u)| json!({"type": "FAN_OUT", "over": o, "item_var": v, "spawn_steps": s, "until": u})),
        (names(), name()).prop_map(|(s, f)| json!({"type": "FAN_IN", "from_steps": s, "collect_field": f})),
        (text(), name()).prop_map(|(p, f)| json!({"type": "HUMAN_INTERACTION", "prompt": p, "response_field": f})),
        (text(), text()).prop_map(|(s, d)| json!({"type": "CODE_CALL", "language": "sh", "inline": s, "working_dir": d})),
        (text(), name()).prop_map(|(p, f)| json!({"type": "PROMPT_CALL", "model": "m", "user_prompt": p, "output_field": f})),
        (text(), text()).prop_map(|(o, d)| json!({"type": "AGENT_CALL", "objective": o, "working_dir": d})),
    ];
    let step = (name(), config, names(), names(), value()).prop_map(|(id, config, after, outputs, odd)| {
        let outputs: Vec<Value> = outputs.iter().map(|name| json!({"name": name})).collect();
        json!({"id": id, "name": "S", "config": config, "depends_on": after, "outputs": outputs, "join": odd})
    });
    prop::collection::vec(step, 0..8).prop_map(|steps| sample::with(json!({
        "inputs": [{"name": "a", "required": false}, {"name": "b", "value_type": "integer", "default": "x"}],
        "steps": steps,
        "outputs": [{"name": "o", "source": "${step.a.out}"}],
    })))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic_the_check_and_it_says_the_same_twice(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(same_twice(bytes));
    }

    #[test]
    fn no_text_panics_the_check_and_it_says_the_same_twice(text in r#"[\[\]{}",:a-z0-9$\\ ]{0,80}"#) {
        prop_assert!(same_twice(text.into_bytes()));
    }

    #[test]
    fn no_plan_panics_the_check_and_it_says_the_same_twice(plan in nearly_a_plan()) {
        prop_assert!(same_twice(plan.to_string().into_bytes()));
    }
}
