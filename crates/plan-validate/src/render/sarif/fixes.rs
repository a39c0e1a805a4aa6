//! Suggested edits as changes of the text.

use plan_model::document::Document;
use plan_model::edit::replacements;
use serde_json::{Value, json};

use super::message;
use super::place::{Source, region_of};
use crate::finding::Finding;

/// A fix for each suggestion that comes with an edit of the text.
pub(super) fn of(finding: &Finding, source: &Source<'_>) -> Vec<Value> {
    if finding.suggestions.iter().all(|it| it.edit.is_none()) {
        return Vec::new();
    }
    let Some(document) = source.document() else {
        return Vec::new();
    };
    let fix = |suggestion: &crate::finding::Suggestion| {
        let edit = suggestion.edit.clone()?;
        // an edit that the text does not take has no fix
        let changes = replacements(document, &[edit]).ok()?;
        let replacements: Vec<Value> = changes
            .iter()
            .map(|change| replacement(document, change))
            .collect();
        let applicability = serde_json::to_value(suggestion.applicability).unwrap_or_default();
        Some(json!({
            "description": message(&suggestion.title),
            "artifactChanges": [{
                "artifactLocation": source.artifact(),
                "replacements": replacements,
            }],
            "properties": { "applicability": applicability },
        }))
    };
    finding.suggestions.iter().filter_map(fix).collect()
}

fn replacement(document: &Document, change: &plan_model::edit::Replacement) -> Value {
    let deleted = region_of(document, change.span);
    if change.text.is_empty() {
        json!({ "deletedRegion": deleted })
    } else {
        json!({ "deletedRegion": deleted, "insertedContent": { "text": change.text } })
    }
}
