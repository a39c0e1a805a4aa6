//! Any bytes: the check and every way to show its findings neither panic nor change their mind.
//!
//! A text that begins with `A` is a model's answer, in which the plan has to be found.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use plan_model::Limits;
use plan_model::document::{ReadOptions, parse};
use plan_validate::render::{Colour, json, model, pretty, sarif};
use plan_validate::{Context, Policy, ToolCatalog, check_answer, check_bytes};

const CATALOG: &str = r##"{
    "planwright": 1,
    "tools": [
        {"name": "search", "effects": {"read_only": true},
         "input_schema": {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}}, "required": ["query"]},
         "output_schema": {"type": "object", "properties": {"hits": {"type": "array", "items": {"type": "string"}}}, "additionalProperties": false}},
        {"name": "send", "effects": {"destructive": true, "open_world": true, "idempotent": false, "read_only": false},
         "sensitive_arguments": ["to"], "secret_arguments": ["token"], "code_arguments": ["query"],
         "input_schema": {"properties": {"to": {"$ref": "#/$defs/who"}, "body": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "token": {}, "query": {}}, "$defs": {"who": {"enum": ["alice", "bob"]}}}},
        {"name": "anything"},
        {"name": "remote", "input_schema": {"$ref": "https://example.com/schema.json"}}
    ],
    "models": [{"name": "small"}],
    "agents": {"helper": {"kind": "subprocess", "command": "helper"}}
}"##;

const POLICY: &str = r#"{
    "secrets": ["TOKEN"],
    "arguments": {"send": {"to": {"one_of": ["alice"]}}},
    "require_approval": {"effects": ["destructive"]},
    "untrusted": "deny",
    "severities": {"P208": "note"}
}"#;

fuzz_target!(|bytes: &[u8]| {
    let first = said(bytes);
    assert_eq!(first, said(bytes));
});

fn host() -> &'static (ToolCatalog, Policy) {
    static HOST: OnceLock<(ToolCatalog, Policy)> = OnceLock::new();
    HOST.get_or_init(|| {
        let read = |text: &str| parse(text.as_bytes(), &Limits::default()).document.expect("JSON");
        let catalog = ToolCatalog::from_document(&read(CATALOG)).expect("a catalog");
        let policy = Policy::from_document(&read(POLICY)).expect("a policy");
        (catalog, policy)
    })
}

/// Everything that a check says, in every way of saying it.
fn said(bytes: &[u8]) -> String {
    let (catalog, policy) = host();
    let cx = Context::new(catalog, policy);
    let text = String::from_utf8_lossy(bytes);
    let (source, result) = if bytes.first() == Some(&b'A') {
        (text.as_bytes(), check_answer(&text, &cx))
    } else {
        (bytes, check_bytes(bytes, &ReadOptions::default(), &cx))
    };
    let (findings, truncated) = match &result {
        Ok(plan) => (plan.warnings(), 0),
        Err(rejected) => (rejected.findings(), rejected.truncated()),
    };
    for finding in findings {
        if let Some(span) = finding.span {
            assert!(source.get(span.start..span.end).is_some(), "{finding:?}");
        }
    }
    let shown = pretty(findings, "plan.json", &text, Colour::Never);
    let sarif = sarif(findings, truncated, "plan.json", &text);
    let model = model(findings, truncated);
    format!("{shown}\n{sarif}\n{model}\n{}", json(result.as_ref()))
}
