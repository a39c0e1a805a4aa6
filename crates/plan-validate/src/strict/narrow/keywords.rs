//! What the keywords of a tool's schema say.

use serde_json::{Map, Value};

/// Keywords that say nothing about a value, or that are looked at where they matter.
pub(in crate::strict) const SILENT: &[&str] = &[
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
    "contentMediaType",
    "contentEncoding",
];
/// Keywords that this form has in itself.
pub(super) const TAKEN: &[&str] = &[
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "$ref",
    "anyOf",
    "oneOf",
    "allOf",
];

/// Keywords that combine schemas.
pub(super) const COMBINING: &[&str] = &["$ref", "anyOf", "oneOf", "allOf"];

/// The keyword that says the form of the value, where that is not the schema's own members or elements.
pub(super) fn followed(keywords: &Map<String, Value>) -> Option<&'static str> {
    let has = |name: &&&str| keywords.contains_key(**name);
    if let Some(choice) = ["enum", "const"].iter().find(has) {
        return Some(choice);
    }
    if ["properties", "items"].iter().any(|name| has(&name)) {
        return None;
    }
    COMBINING.iter().find(has).copied()
}

/// Whether no value is of two of the alternatives, since each names types of its own.
pub(super) fn are_apart(alternatives: &Value) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    for alternative in alternatives.as_array().into_iter().flatten() {
        let named = alternative.as_object().filter(|it| it.contains_key("type"));
        let Some(keywords) = named else { return false };
        for name in types(keywords) {
            // a whole number is a number
            let name = if name == "integer" { "number" } else { name };
            if seen.contains(&name) {
                return false;
            }
            seen.push(name);
        }
    }
    true
}

/// Whether keywords mean what they do in the draft that is written here.
pub(in crate::strict) fn is_current(root: &Value) -> bool {
    let draft = root.get("$schema").and_then(Value::as_str);
    draft.is_none_or(|draft| draft.contains("2020-12"))
}

/// The types that a schema names, or those of which its keywords speak.
pub(in crate::strict) fn types(keywords: &Map<String, Value>) -> Vec<&str> {
    match keywords.get("type") {
        Some(Value::String(one)) => return vec![one],
        Some(Value::Array(many)) => return many.iter().filter_map(Value::as_str).collect(),
        _ => {}
    }
    let has = |names: &[&str]| names.iter().any(|name| keywords.contains_key(*name));
    if has(&["properties", "required", "additionalProperties"]) {
        vec!["object"]
    } else if has(&["items", "minItems", "maxItems", "uniqueItems"]) {
        vec!["array"]
    } else if has(&["pattern", "minLength", "maxLength"]) {
        vec!["string"]
    } else if has(&[
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
    ]) {
        vec!["number"]
    } else {
        Vec::new()
    }
}

/// The members that a schema names.
pub(in crate::strict) fn members(keywords: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let properties = keywords.get("properties").and_then(Value::as_object);
    let members = properties.into_iter().flatten();
    let mut members: Vec<(&str, &Value)> = members
        .map(|(name, schema)| (name.as_str(), schema))
        // a reference in a name is no name
        .filter(|(name, _)| !name.contains("${"))
        .collect();
    members.sort_by_key(|(name, _)| *name);
    members
}

pub(in crate::strict) fn required(keywords: &Map<String, Value>) -> Vec<&str> {
    let required = keywords.get("required").and_then(Value::as_array);
    required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Scalars among the choices that are read as they stand.
pub(super) fn choices(keywords: &Map<String, Value>) -> Vec<Value> {
    let all: Vec<&Value> = match (keywords.get("enum"), keywords.get("const")) {
        (Some(Value::Array(all)), _) => all.iter().collect(),
        (_, Some(only)) => vec![only],
        _ => Vec::new(),
    };
    let named = keywords.get("type").map(|_| types(keywords));
    let is_named = |choice: &Value| {
        named.as_ref().is_none_or(|names| {
            names.iter().any(|name| match *name {
                "string" => choice.is_string(),
                "boolean" => choice.is_boolean(),
                "null" => choice.is_null(),
                "integer" => choice.is_i64() || choice.is_u64(),
                "number" => choice.is_number(),
                _ => false,
            })
        })
    };
    all.into_iter()
        .filter(|choice| is_named(choice))
        .filter(|choice| match choice {
            Value::String(text) => !text.contains("${"),
            Value::Array(_) | Value::Object(_) => false,
            _ => true,
        })
        .cloned()
        .collect()
}
