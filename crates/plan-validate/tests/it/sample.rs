//! Small plans as data, and what the check says of them.

use plan_validate::{Context, Finding, Policy, ToolCatalog, check};
use serde_json::{Value, json};

/// Tools of which only the names are known.
const TOOLS: [&str; 6] = ["search", "fetch", "summarise", "send", "save", "list"];

/// Everything that is found in a document, of every severity.
pub(crate) fn findings(document: &Value) -> Vec<Finding> {
    let catalog = ToolCatalog::from_names(TOOLS).expect("the sample names are names");
    findings_under(document, &catalog)
}

/// Everything that is found in a document under a catalog.
pub(crate) fn findings_under(document: &Value, catalog: &ToolCatalog) -> Vec<Finding> {
    of_text(&document.to_string(), catalog)
}

/// Everything that is found in a text.
pub(crate) fn findings_in(text: &str) -> Vec<Finding> {
    let catalog = ToolCatalog::from_names(TOOLS).expect("the sample names are names");
    of_text(text, &catalog)
}

fn of_text(text: &str, catalog: &ToolCatalog) -> Vec<Finding> {
    let policy = Policy::default();
    match check(text, &Context::new(catalog, &policy)) {
        Ok(plan) => plan.warnings().to_vec(),
        Err(rejected) => rejected.findings().to_vec(),
    }
}

/// The same as lines: `CODE pointer: message`.
pub(crate) fn lines(document: &Value) -> Vec<String> {
    findings(document).iter().map(Finding::line).collect()
}

/// The lines as one text.
pub(crate) fn text(document: &Value) -> String {
    lines(document).join("\n")
}

/// The codes alone.
pub(crate) fn codes(document: &Value) -> Vec<&'static str> {
    let findings = findings(document);
    findings
        .iter()
        .map(|finding| finding.code.as_str())
        .collect()
}

/// The notes of a finding's further places: `pointer: note`.
pub(crate) fn related(finding: &Finding) -> Vec<String> {
    let places = finding.related.iter();
    places
        .map(|place| format!("{}: {}", place.pointer, place.note))
        .collect()
}

/// A native plan of these steps.
#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
pub(crate) fn plan(steps: Value) -> Value {
    with(json!({ "steps": steps }))
}

/// A native plan with these members beside its metadata and name.
pub(crate) fn with(members: Value) -> Value {
    let mut plan = json!({
        "metadata": {
            "id": "3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90",
            "version": 1,
            "created_at": "2026-01-31T12:00:00Z",
            "updated_at": "2026-01-31T12:00:00Z"
        },
        "name": "sample",
    });
    merge(&mut plan, members);
    plan
}

/// A step of this kind.
pub(crate) fn step(id: &str, kind: &str, config: Value, more: Value) -> Value {
    let mut full = json!({ "type": kind });
    merge(&mut full, config);
    let mut step = json!({ "id": id, "name": id, "config": full });
    merge(&mut step, more);
    step
}

/// A call of `search` with these arguments.
#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
pub(crate) fn call(id: &str, arguments: Value, more: Value) -> Value {
    let config = json!({ "tool": "search", "arguments": arguments });
    step(id, "TOOL_CALL", config, more)
}

/// A call of `search` that waits for these steps.
pub(crate) fn after(id: &str, dependencies: &[&str]) -> Value {
    call(id, json!({}), json!({ "depends_on": dependencies }))
}

fn merge(into: &mut Value, members: Value) {
    let Value::Object(members) = members else {
        panic!("members are an object");
    };
    for (name, member) in members {
        into[name] = member;
    }
}
