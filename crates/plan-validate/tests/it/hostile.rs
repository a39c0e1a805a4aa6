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
    assert_eq!(found("se\u{200b}arch"), ["P301"]);
    assert_eq!(found("se\u{202e}arch"), ["P301"]);
    assert_eq!(found("s\u{0435}arch"), ["P301"]);
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

/// Checks that the time for a document grows with its length, and not with its square.
///
/// A square would take 64 times as long for eight times as much. Other work of the machine may
/// come between, so one of several attempts is enough.
fn costs_no_square(text_of: impl Fn(usize) -> String, length: usize) {
    let cost = |text: &str| {
        let start = std::time::Instant::now();
        codes(text);
        start.elapsed()
    };
    let (short, long) = (text_of(length), text_of(length * 8));
    assert!(
        (0..5).any(|_| cost(&long) < cost(&short) * 24),
        "eight times as much took 24 times as long"
    );
}

#[test]
fn long_texts_full_of_marks_are_read_once() {
    for mark in ["{{", "${", "$[", "$a.b ", "${step.a", "<node-"] {
        let call = |count: usize| {
            let args = json!({"a": mark.repeat(count)});
            json!({"steps": [{"tool": "search", "args": args}]}).to_string()
        };
        costs_no_square(call, 4_000);
        let script = |count: usize| {
            let config = json!({"language": "sh", "inline": mark.repeat(count)});
            let step = sample::step("a", "CODE_CALL", config, json!({}));
            sample::plan(json!([step])).to_string()
        };
        costs_no_square(script, 4_000);
    }
}

#[test]
fn many_declared_outputs_are_looked_up_in_a_table() {
    let plan = |count: usize| {
        let names = || (0..count).map(|i| format!("o{i}"));
        let declared: Vec<Value> = names().map(|name| json!({"name": name})).collect();
        let read: Vec<String> = names().map(|name| format!("${{step.a.{name}}}")).collect();
        sample::plan(json!([
            sample::call("a", json!({}), json!({"outputs": declared})),
            sample::call("b", json!({"x": read}), json!({})),
        ]))
    };
    costs_no_square(|count| plan(count).to_string(), 500);
    assert_eq!(sample::codes(&plan(500)), [""; 0]);
}

#[test]
fn very_many_notes_refuse_nothing() {
    let read: Vec<&str> = vec!["${env.KEY}"; 3_000];
    let text = json!({"steps": [{"tool": "search", "args": {"a": read}}]}).to_string();
    let catalog = ToolCatalog::from_names(["search"]).unwrap();
    let policy = Policy::default().allow_secrets(["KEY".parse().unwrap()]);
    let plan = check(&text, &Context::new(&catalog, &policy)).unwrap();
    assert!(plan.warnings().iter().all(|finding| finding.code == "P110"));
}

#[test]
fn very_many_findings_are_counted_and_not_held() {
    let plan = sample::plan(json!([
        sample::after("a", &[]),
        sample::after("b", &["a"; 20_000]),
        sample::after("c", &["gone"]),
    ]));
    let catalog = ToolCatalog::from_names(["search"]).unwrap();
    let policy = Policy::default();
    let rejected = check(&plan.to_string(), &Context::new(&catalog, &policy)).unwrap_err();
    assert_eq!(
        (rejected.findings().len(), rejected.truncated()),
        (100, 19_900)
    );
    assert!(
        rejected
            .findings()
            .iter()
            .any(|finding| finding.code == "P204")
    );
}

#[test]
fn one_name_used_everywhere_is_one_finding_of_bounded_size() {
    let steps: Vec<Value> = (0..5_000).map(|_| json!({"tool": "nothing"})).collect();
    let found = sample::findings(&json!({"steps": steps}));
    assert_eq!(found.len(), 1);
    assert!(found[0].related.len() <= 50);
}

#[test]
fn a_script_full_of_references_names_five_and_counts_the_rest() {
    let source = "${step.a.result}".repeat(10_000);
    let script = json!({"language": "sh", "inline": source});
    let found = sample::lines(&sample::plan(json!([
        sample::call("a", json!({}), json!({})),
        sample::step("b", "CODE_CALL", script, json!({"depends_on": ["a"]})),
    ])));
    let told = found.iter().find(|line| line.starts_with("P407")).unwrap();
    assert!(
        told.ends_with("`${step.a.result}`, 9995 more, which stays text"),
        "{told}"
    );
}

#[test]
fn many_outputs_that_an_answer_does_not_have_cost_no_square() {
    let text_of = |count: usize| {
        let members: serde_json::Map<String, Value> =
            (0..count).map(|i| (format!("m{i}"), json!({}))).collect();
        let declared = (0..count).map(|i| json!({"name": format!("x{i}")}));
        let declared: Vec<Value> = declared.chain([json!({"name": "answer"})]).collect();
        let config = json!({"model": "m", "user_prompt": "p", "output_field": "answer",
            "output_schema": {"type": "object", "properties": members, "additionalProperties": false}});
        let step = sample::step("a", "PROMPT_CALL", config, json!({"outputs": declared}));
        sample::plan(json!([step])).to_string()
    };
    assert!(codes(&text_of(10)).contains(&"P413"));
    costs_no_square(text_of, 300);
}
