//! Forms of values in a strict schema.

use serde_json::{Map, Value, json};

use super::Mode;
use crate::strict::pattern::{excludes_references, literal, matching, text};

/// The largest whole number that every reader of JSON holds exactly.
const MOST: i64 = 9_007_199_254_740_991;

/// An object of exactly these members.
pub(in crate::strict) fn closed(members: &Map<String, Value>) -> Value {
    let mut names: Vec<&String> = members.keys().collect();
    names.sort();
    let required = json!(names);
    json!({
        "type": "object",
        "properties": members,
        "required": required,
        "additionalProperties": false,
    })
}

/// One of some schemas, each once; itself where there is one.
pub(in crate::strict) fn any_of(all: Vec<Value>) -> Option<Value> {
    let mut parts: Vec<Value> = Vec::new();
    for part in all {
        let inner = part.as_object().filter(|it| it.len() == 1);
        let inner = inner.and_then(|it| it.get("anyOf")?.as_array().cloned());
        for each in inner.unwrap_or_else(|| vec![part]) {
            if !parts.contains(&each) {
                parts.push(each);
            }
        }
    }
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(json!({ "anyOf": parts })),
    }
}

/// Scalars and lists of them: what can be said of a value of which nothing is known.
pub(in crate::strict) fn anything(mode: Mode) -> Option<Value> {
    let text = string(&Map::new(), mode);
    let number = number("number", &Map::new());
    let truth = json!({ "type": "boolean" });
    let items = json!({ "anyOf": [text, number, truth] });
    any_of(vec![
        text,
        number,
        truth,
        json!({ "type": "null" }),
        json!({ "type": "array", "items": items }),
    ])
}

pub(in crate::strict) fn number(name: &str, keywords: &Map<String, Value>) -> Value {
    let mut number = Map::new();
    number.insert("type".to_owned(), name.into());
    for bound in [
        "minimum",
        "exclusiveMinimum",
        "maximum",
        "exclusiveMaximum",
        "multipleOf",
    ] {
        if let Some(value) = keywords.get(bound) {
            number.insert(bound.to_owned(), value.clone());
        }
    }
    // a number past these is not held exactly
    if !number.contains_key("minimum") && !number.contains_key("exclusiveMinimum") {
        number.insert("minimum".to_owned(), (-MOST).into());
    }
    if !number.contains_key("maximum") && !number.contains_key("exclusiveMaximum") {
        number.insert("maximum".to_owned(), MOST.into());
    }
    Value::Object(number)
}

/// Text; where the schema says more of it, text without references.
pub(in crate::strict) fn string(keywords: &Map<String, Value>, mode: Mode) -> Value {
    let length = |name: &str| keywords.get(name).and_then(Value::as_u64);
    let (least, most) = (length("minLength"), length("maxLength"));
    let own = keywords.get("pattern").and_then(Value::as_str);
    let mut text = match (own, least, most, mode) {
        (None, None, None, Mode::Open) => return matching(&text(false)),
        (None, _, _, _) => matching(&literal()),
        (Some(own), _, _, _) if excludes_references(own) => matching(own),
        (Some(own), _, _, _) => json!({ "type": "string", "allOf": [
            { "pattern": literal() }, { "pattern": own }
        ] }),
    };
    if let Value::Object(text) = &mut text {
        for bound in ["minLength", "maxLength"] {
            if let Some(value) = keywords.get(bound) {
                text.insert(bound.to_owned(), value.clone());
            }
        }
    }
    text
}
