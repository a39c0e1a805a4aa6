//! What a machine may apply: it mends its finding and changes nothing else.

use plan_model::document::ReadOptions;
use plan_validate::{Context, Fixed, Policy, ToolCatalog, ValidatedPlan, check, fix};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::sample;

fn fixed(text: &str) -> Fixed {
    let catalog = ToolCatalog::from_names(["search", "fetch", "summarise", "send"]).unwrap();
    let policy = Policy::default();
    fix(
        text,
        &ReadOptions::default(),
        &Context::new(&catalog, &policy),
    )
}

#[test]
fn a_repeated_dependency_goes_and_the_text_around_it_stays() {
    let text = "{ \"steps\": [\n  {\"name\":\"a\",   \"tool\":\"search\"},\n  {\"name\":\"b\", \"tool\":\"send\",\n   \"after\": [\"a\",\n     \"a\" , \"a\"]}\n]}\n";
    let fixed = fixed(text);
    assert_eq!(fixed.text, text.replace(",\n     \"a\" , \"a\"]", "]"));
    assert_eq!(fixed.applied.len(), 2);
    assert!(fixed.applied.iter().all(|applied| applied.code == "P206"));
    assert!(fixed.result.is_ok_and(|plan| plan.warnings().is_empty()));
}

#[test]
fn where_nothing_may_be_applied_the_text_is_as_it_was() {
    for text in [
        "",
        "{",
        "\u{feff}{}",
        "{\"steps\": []}",
        "{\"steps\": [{\"tool\": \"serach\"}]}",
        "{\"steps\":  [{\"tool\": \"search\"}]}  ",
    ] {
        let fixed = fixed(text);
        assert_eq!(fixed.text, text);
        assert!(fixed.applied.is_empty());
    }
}

#[test]
fn a_plan_that_stays_refused_is_fixed_as_far_as_it_can_be() {
    let text = json!({"steps": [
        {"name": "a", "tool": "serach"},
        {"name": "b", "tool": "send", "after": ["a", "a"]},
    ]});
    let fixed = fixed(&text.to_string());
    assert_eq!(fixed.applied.len(), 1);
    let rejected = fixed.result.unwrap_err();
    assert_eq!(rejected.findings().len(), 1);
    assert_eq!(rejected.findings()[0].code, "P301");
}

#[test]
fn thousands_of_fixes_are_made_in_one_go() {
    let twice: Vec<&str> = std::iter::repeat_n("a", 3_000).collect();
    let text = json!({"steps": [
        {"name": "a", "tool": "search"},
        {"name": "b", "tool": "send", "after": twice},
    ]});
    let fixed = fixed(&text.to_string());
    assert_eq!(fixed.applied.len(), 2_999);
    assert!(fixed.result.is_ok_and(|plan| plan.warnings().is_empty()));
}

#[test]
fn an_edit_says_its_step_and_its_path_there() {
    let edit = |document: &Value| {
        let finding = serde_json::to_value(&sample::findings(document)[0]).unwrap();
        finding["suggestions"][0]["edit"].clone()
    };
    assert_eq!(
        edit(&json!({"steps": [
            {"name": "a", "tool": "search"},
            {"name": "b", "tool": "send", "after": ["a", "a"]},
        ]})),
        json!({"op": "remove", "pointer": "/steps/1/after/1", "step": "b", "path": "/after/1"})
    );
    let steps = json!([sample::after("a", &[]), sample::after("b", &["a", "a"])]);
    assert_eq!(
        edit(&sample::plan(steps)),
        json!({"op": "remove", "pointer": "/steps/1/depends_on/1", "step": "b", "path": "/depends_on/1"})
    );
}

/// Steps that name each other, themselves and what is written before them, often twice.
fn plan() -> impl Strategy<Value = Value> {
    let step = (
        prop::collection::vec(any::<prop::sample::Index>(), 0..5),
        prop::sample::select(vec!["search", "fetch", "summarise", "send"]),
        prop::option::of(any::<prop::sample::Index>()),
    );
    prop::collection::vec(step, 1..8).prop_map(|steps| {
        let id = |index: usize| format!("s{index}");
        let all = steps
            .into_iter()
            .enumerate()
            .map(|(number, (after, tool, reads))| {
                let before = |index: &prop::sample::Index| id(index.index(number.max(1)));
                let after: Vec<String> = match number {
                    0 => Vec::new(),
                    _ => after.iter().map(before).collect(),
                };
                let value = match (number, &reads) {
                    (0, _) | (_, None) => "x".to_owned(),
                    (_, Some(index)) => format!("see ${{step.{}.out}}", before(index)),
                };
                let config = json!({ "tool": tool, "arguments": { "q": value } });
                sample::step(
                    &id(number),
                    "TOOL_CALL",
                    config,
                    json!({ "depends_on": after }),
                )
            });
        sample::plan(all.collect())
    })
}

/// What a plan means: its edges, its order, and what it may do.
fn meaning(plan: &ValidatedPlan) -> Value {
    let mut report = plan_validate::render::json(Ok(plan));
    let mut grant = report["grant"].take();
    // the digest is of the text of the plan, which a fix changes
    grant["plan"] = Value::Null;
    json!([
        report["edges"],
        report["parallel_groups"],
        report["bounds"],
        grant
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_fixed_plan_means_the_same(plan in plan(), spaced in any::<bool>()) {
        let text = if spaced { format!("{plan:#}") } else { plan.to_string() };
        let catalog = ToolCatalog::from_names(["search", "fetch", "summarise", "send"]).unwrap();
        let policy = Policy::default();
        let before = check(&text, &Context::new(&catalog, &policy)).unwrap();
        let fixed = fixed(&text);
        let after = fixed.result.unwrap();
        prop_assert_eq!(meaning(&before), meaning(&after));
        prop_assert!(!after.warnings().iter().any(|finding| finding.code == "P206"));
        let again = self::fixed(&fixed.text);
        prop_assert_eq!(again.text, fixed.text, "a fixed text has nothing left to fix");
    }
}
