//! Documents that are made to hurt.

use plan_validate::{Context, Policy, ToolCatalog, check};
use serde_json::{Value, json};

use crate::sample;

/// On a stack as small as a worker thread's.
pub(crate) fn on_a_small_stack<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(run)
        .expect("a thread")
        .join()
        .expect("no panic")
}

fn codes(text: &str) -> Vec<&'static str> {
    let catalog = ToolCatalog::from_names(["search"]).unwrap();
    match check(text, &Context::new(&catalog, &Policy::default())) {
        Ok(plan) => plan
            .warnings()
            .iter()
            .map(|finding| finding.code.as_str())
            .collect(),
        Err(rejected) => rejected
            .findings()
            .iter()
            .map(|finding| finding.code.as_str())
            .collect(),
    }
}

#[test]
fn case_02_two_steps_of_one_id_are_one_finding() {
    let step = |depends_on: Value| {
        json!({"id": "a", "name": "A", "depends_on": depends_on,
        "config": {"type": "TOOL_CALL", "tool": "search", "arguments": {}}})
    };
    let other = json!({"id": "b", "name": "B", "config": {"type": "TOOL_CALL", "tool": "search", "arguments": {}}});
    let plan = sample::plan(json!([step(json!([])), other, step(json!(["b"]))]));
    assert_eq!(sample::codes(&plan), ["P202"]);
}

#[test]
fn case_15_steps_over_the_ceiling_are_one_finding() {
    let steps: Vec<Value> = (0..200_000).map(|_| json!({"tool": "nothing"})).collect();
    assert_eq!(codes(&json!({"steps": steps}).to_string()), ["P106"]);
}

#[test]
fn case_17_deep_nesting_is_refused_without_recursion() {
    let found = on_a_small_stack(|| {
        let deep = format!("{}{}", "[".repeat(400), "]".repeat(400));
        let args = format!(r#"{{"steps": [{{"tool": "search", "args": {{"a": {deep}}}}}]}}"#);
        (
            codes(&args),
            codes(&"[".repeat(100_000)),
            codes(&"{\"a\":".repeat(100_000)),
        )
    });
    assert_eq!(found, (vec!["P106"], vec!["P106"], vec!["P106"]));
}

#[test]
fn case_16_misleading_names_are_refused_or_not_equal() {
    let catalog = ToolCatalog::from_names(["search", "caf\u{e9}"]).unwrap();
    let found = |name: &str| {
        let findings = sample::findings_under(&json!({"steps": [{"tool": name}]}), &catalog);
        let mut codes: Vec<&str> = findings
            .iter()
            .map(|finding| finding.code.as_str())
            .collect();
        codes.dedup();
        codes
    };
    assert_eq!(found("se\u{200b}arch"), ["P108", "P301"]);
    assert_eq!(found("se\u{202e}arch"), ["P108", "P301"]);
    assert_eq!(found("s\u{0435}arch"), ["P108", "P301"]);
    assert_eq!(found("cafe\u{301}"), ["P301"]);
    assert_eq!(found("caf\u{e9}"), Vec::<&str>::new());
    assert_eq!(found("se\u{0}arch"), ["P107"]);
    assert_eq!(found(&"s".repeat(1_000_000)), ["P107"]);
    assert_eq!(codes(r#"{"steps": [{"tool": "se\ud800arch"}]}"#), ["P101"]);
}

#[test]
fn a_right_to_left_language_alone_is_no_finding() {
    let ask = |prompt: &str| {
        sample::codes(&sample::plan(json!([{"id": "a", "name": "A", "config": {
            "type": "HUMAN_INTERACTION", "prompt": prompt, "response_field": "r"}}])))
    };
    let none: [&str; 0] = [];
    assert_eq!(ask("לשלוח את הדואר?"), none);
    assert_eq!(ask("می\u{200c}خواهم"), none);
    assert_eq!(ask("👩\u{200d}🚀 ready?"), none);
    assert_eq!(ask("pay \u{2066}100\u{2069}"), ["P108"]);
    assert_eq!(ask("pay 1\u{200b}00"), ["P108"]);
}

#[test]
fn case_21_absurd_retries_are_refused() {
    let catalog = crate::catalogs::catalog(&json!({"planwright": 1, "tools": [
        {"name": "pay", "effects": {"read_only": false, "idempotent": false, "destructive": true}},
        {"name": "keyed", "effects": {"idempotent": false}, "idempotency_key": "env"},
        {"name": "read", "effects": {"read_only": true}},
        {"name": "unsaid"},
    ]}));
    let found = |tool: &str, attempts: u64| {
        let plan = sample::plan(json!([{"id": "a", "name": "A",
            "config": {"type": "TOOL_CALL", "tool": tool, "arguments": {}},
            "retry": {"max_attempts": attempts, "delay_secs": 1}}]));
        let findings = sample::findings_under(&plan, &catalog);
        findings
            .iter()
            .map(|f| format!("{} {}", f.code, f.severity))
            .collect::<Vec<_>>()
    };
    assert_eq!(found("pay", 3), ["P605 error"]);
    assert_eq!(found("pay", 1), Vec::<String>::new());
    assert_eq!(found("keyed", 3), Vec::<String>::new());
    assert_eq!(found("read", 3), Vec::<String>::new());
    assert_eq!(found("unsaid", 3), ["P605 note"]);
    assert!(found("read", 1_000_000).contains(&"P510 error".to_owned()));
    assert!(found("read", 0).contains(&"P510 error".to_owned()));
}

#[test]
fn findings_are_capped_and_the_rest_is_counted() {
    let steps: Vec<Value> = (0..500)
        .map(|i| json!({"tool": "search", "args": {"a": format!("${{input.i{i}}}")}}))
        .collect();
    let catalog = ToolCatalog::from_names(["search"]).unwrap();
    let text = json!({"steps": steps}).to_string();
    let rejected = check(&text, &Context::new(&catalog, &Policy::default())).unwrap_err();
    assert_eq!(
        (rejected.findings().len(), rejected.truncated()),
        (100, 400)
    );
}
