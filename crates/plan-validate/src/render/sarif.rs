//! Findings as SARIF 2.1.0, the format that code hosts and editors read.

mod fixes;
mod place;
mod rules;

use plan_model::Digest;
use serde_json::{Map, Value, json};

use crate::finding::{Finding, Severity, path_in_step};
use place::Source;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The findings as one SARIF 2.1.0 log with one run.
///
/// `source_name` is the path of the document; it becomes a relative reference, or a `file:` URI where it
/// is absolute. Columns count Unicode code points. `truncated` is how many further findings there were:
/// it stands in the properties of the run. A result's fingerprint names its step by id and not by its
/// number, so that it stays the same when steps before it come or go.
#[must_use]
pub fn sarif(
    findings: &[Finding],
    truncated: usize,
    source_name: &str,
    source_text: &str,
) -> Value {
    let source = Source::new(source_name, source_text);
    let (rules, index_of) = rules::of(findings);
    let results: Vec<Value> = findings
        .iter()
        .map(|finding| result(finding, index_of(finding), &source))
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "planwright",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": true }],
            "artifacts": [{
                "location": { "uri": source.uri() },
                "length": source_text.len(),
                "mimeType": "application/json",
                "encoding": "utf-8",
            }],
            "results": results,
            "properties": { "truncated": truncated },
        }],
    })
}

fn result(finding: &Finding, rule: usize, source: &Source<'_>) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("ruleId", finding.code.as_str().into());
    put("ruleIndex", rule.into());
    put("level", level(finding.severity).into());
    put("message", message(&finding.message));
    put(
        "locations",
        json!([source.location(&finding.pointer, finding.span)]),
    );
    if !finding.related.is_empty() {
        let related = finding.related.iter().enumerate().map(|(index, related)| {
            let mut location = source.location(&related.pointer, related.span);
            if let Value::Object(location) = &mut location {
                location.insert("id".to_owned(), index.into());
                location.insert("message".to_owned(), message(&related.note));
            }
            location
        });
        put("relatedLocations", related.collect());
    }
    let fixes = fixes::of(finding, source);
    if !fixes.is_empty() {
        put("fixes", fixes.into());
    }
    put(
        "partialFingerprints",
        json!({ "planwrightFinding/v1": fingerprint(finding) }),
    );
    let mut properties = Map::new();
    if let Some(step) = &finding.step {
        properties.insert("step".to_owned(), step.as_str().into());
    }
    if let Some(expected) = &finding.expected {
        let expected = serde_json::to_value(expected).unwrap_or_default();
        properties.insert("expected".to_owned(), expected);
    }
    let help: Vec<&str> = finding
        .suggestions
        .iter()
        .map(|suggestion| suggestion.title.as_str())
        .collect();
    if !help.is_empty() {
        properties.insert("suggestions".to_owned(), json!(help));
    }
    if !properties.is_empty() {
        put("properties", properties.into());
    }
    Value::Object(members)
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A message in plain text, in which braces would otherwise stand for placeholders.
fn message(text: &str) -> Value {
    json!({ "text": text.replace('{', "{{").replace('}', "}}") })
}

/// What is the same as long as the finding is: its rule, its place by the step's id, and what it says.
fn fingerprint(finding: &Finding) -> String {
    let place = match (&finding.step, path_in_step(&finding.pointer)) {
        (Some(step), Some(path)) => format!("{step}\0{path}"),
        _ => finding.pointer.to_string(),
    };
    let said = format!("{}\0{place}\0{}", finding.code, finding.message);
    Digest::of_bytes(said.as_bytes()).to_string()
}
