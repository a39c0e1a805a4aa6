//! JSON in what a model said.

use plan_model::document::extract_plan;
use serde_json::Value;

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
}
