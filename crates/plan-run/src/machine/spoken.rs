//! JSON in what a model said.

use plan_model::document::extract_plan;
use serde_json::{Map, Value};

/// The JSON of an answer: the whole of it, what is in its last fence that holds some, or an object in its prose.
pub(super) fn json_in(text: &str) -> Option<Value> {
    let whole = text.trim();
    if let Ok(value) = serde_json::from_str(whole) {
        return Some(value);
    }
    fenced(whole).or_else(|| {
        let (span, _) = extract_plan(whole);
        serde_json::from_str(whole.get(span.start..span.end)?).ok()
    })
}

/// What is in the last fence that holds JSON. Reads each line once, and each fence once.
fn fenced(text: &str) -> Option<Value> {
    let mut found = None;
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        if line.trim_start().starts_with("```") {
            start = match start {
                None => Some(next),
                Some(start) => {
                    let inside = text.get(start..at).unwrap_or_default();
                    found = serde_json::from_str(inside).ok().or(found);
                    None
                }
            };
        }
        at = next;
    }
    found
}

/// Lines from the end at which an object that ends a text is looked for.
const LINES: usize = 64;

/// The last JSON object of a text: in its last fence that holds one, the whole of it, at its end, or in its prose.
pub(super) fn last_object(text: &str) -> Option<Map<String, Value>> {
    let whole = text.trim();
    let object = |value: Option<Value>| match value {
        Some(Value::Object(members)) => Some(members),
        _ => None,
    };
    object(serde_json::from_str(whole).ok())
        .or_else(|| object(fenced(whole)))
        .or_else(|| object(ending(whole)))
        .or_else(|| {
            let (span, _) = extract_plan(whole);
            object(serde_json::from_str(whole.get(span.start..span.end)?).ok())
        })
}

/// An object that begins a line and ends the text.
fn ending(text: &str) -> Option<Value> {
    if !text.ends_with('}') {
        return None;
    }
    let mut start = text.len();
    for line in text.split('\n').rev().take(LINES) {
        // the first line has no line end before it
        start = start.saturating_sub(line.len());
        if line.trim_start().starts_with('{')
            && let Ok(value) = serde_json::from_str(text.get(start..)?)
        {
            return Some(value);
        }
        start = start.saturating_sub(1);
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_bare_in_a_fence_and_in_prose() {
        let answers = [
            (" {\"a\": 1}\n", Some(json!({"a": 1}))),
            ("[1, 2]", Some(json!([1, 2]))),
            ("Here:\n```json\n[1, 2]\n```\nDone.", Some(json!([1, 2]))),
            (
                "```\n{\"draft\": 1}\n```\nNo, rather:\n```json\n{\"final\": 2}\n```",
                Some(json!({"final": 2})),
            ),
            (
                "```sh\nls\n```\nIt is {\"a\": {\"b\": 2}}.",
                Some(json!({"a": {"b": 2}})),
            ),
            ("nothing of the kind", None),
            ("{broken", None),
        ];
        for (answer, expected) in answers {
            assert_eq!(json_in(answer), expected, "{answer}");
        }
    }

    #[test]
    fn the_last_object_is_what_a_report_ends_with() {
        let reports = [
            ("{\"a\": 1}", Some(json!({"a": 1}))),
            ("Done.\n{\"a\": 1}", Some(json!({"a": 1}))),
            (
                "First {\"a\": 0}, then\n{\n  \"a\": {\n    \"b\": 1\n  }\n}\n",
                Some(json!({"a": {"b": 1}})),
            ),
            (
                "```json\n{\"a\": 1}\n```\nI am done.",
                Some(json!({"a": 1})),
            ),
            ("The result is {\"a\": 2}.", Some(json!({"a": 2}))),
            ("[1]", None),
            ("nothing", None),
        ];
        for (report, expected) in reports {
            let found = last_object(report).map(Value::Object);
            assert_eq!(found, expected, "{report}");
        }
    }
}
