//! The whole document: a native plan, or a planner's list.

use plan_model::ValueType;
use serde_json::{Map, Value, json};

use super::call::{self, Offered};
use super::narrow::any_of;
use super::pattern::{NAME, NEW_NAME, NUMBER, matching};
use super::sources::{INPUTS, Sources};
use super::steps::{self, defined, object, only};
use crate::check::Context;

const UUID: &str = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";
/// A moment of any day that every month has.
const TIME: &str =
    "^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$";
/// The most steps that a model is offered.
const MOST_STEPS: usize = 500;

pub(super) fn native(cx: &Context<'_>) -> Value {
    let offered = call::offered(cx);
    let sources = Sources::of_plans(&offered);
    let mut definitions = steps::definitions();
    let mut forms = calls(
        &offered,
        &sources,
        &mut definitions,
        &mut |offered, arguments| steps::call(offered, arguments),
    );
    forms.extend(steps::others(cx, &offered, &sources));
    sources.define(&mut definitions);
    let nullable = |items: Value| json!({ "anyOf": [{ "type": "array", "items": items }, { "type": "null" }] });
    let metadata = object([
        ("id", matching(UUID)),
        ("version", json!({ "type": "integer", "enum": [1] })),
        ("created_at", matching(TIME)),
        ("updated_at", matching(TIME)),
        ("intent", defined("words_or_null")),
    ]);
    let output = object([
        ("name", matching(&format!("^{NEW_NAME}$"))),
        ("description", defined("words_or_null")),
        (
            "source",
            matching(&format!("^\\$\\{{step\\.{NAME}\\.{NAME}\\}}$")),
        ),
    ]);
    let plan = object([
        ("metadata", metadata),
        ("name", defined("words")),
        ("description", defined("words_or_null")),
        ("inputs", nullable(inputs())),
        ("steps", list(forms)),
        ("outputs", nullable(output)),
        (
            "failure_policy",
            json!({ "enum": ["stop", "finish_independent", null] }),
        ),
    ]);
    root(plan, "a plan", definitions)
}

pub(super) fn planner(cx: &Context<'_>) -> Value {
    let offered = call::offered(cx);
    let sources = Sources::of_calls(&offered);
    let mut definitions = steps::definitions();
    let forms = calls(
        &offered,
        &sources,
        &mut definitions,
        &mut |offered, arguments| {
            object([
                ("name", matching(&format!("^{}_{NUMBER}$", offered.slug))),
                ("tool", only(offered.tool.spec.name.as_str())),
                ("args", arguments),
                ("after", defined("ids")),
                ("description", defined("words_or_null")),
            ])
        },
    );
    sources.define(&mut definitions);
    let list = object([
        ("objective", defined("words_or_null")),
        ("steps", list(forms)),
    ]);
    root(list, "a planner's list", definitions)
}

fn calls(
    offered: &[Offered<'_>],
    sources: &Sources,
    definitions: &mut Map<String, Value>,
    form: &mut dyn FnMut(&Offered<'_>, Value) -> Value,
) -> Vec<Value> {
    let mut forms = Vec::new();
    for each in offered {
        if let Some(arguments) = call::arguments(each, sources, definitions) {
            forms.push(form(each, arguments));
        }
    }
    forms
}

/// At least one step of any of these forms; without a form there is no step.
fn list(forms: Vec<Value>) -> Value {
    match any_of(forms) {
        Some(items) => {
            json!({ "type": "array", "items": items, "minItems": 1, "maxItems": MOST_STEPS })
        }
        None => json!({ "type": "array", "items": { "type": "null" }, "maxItems": 0 }),
    }
}

/// Inputs, whose names begin with their types.
fn inputs() -> Value {
    let forms = INPUTS.map(|(prefix, word, value_type)| {
        let (kind, default) = match value_type {
            ValueType::String => (
                json!([
                    "value",
                    "file_path",
                    "output_file_path",
                    "directory_path",
                    null
                ]),
                json!(["string", "null"]),
            ),
            ValueType::Integer | ValueType::Number => (json!(["value", null]), json!("null")),
            ValueType::Boolean => (json!(["value", null]), json!(["boolean", "null"])),
            ValueType::Object | ValueType::Array | ValueType::Any => {
                (json!(["value", null]), json!("null"))
            }
        };
        object([
            ("name", matching(&format!("^{prefix}_{NEW_NAME}$"))),
            ("description", defined("words_or_null")),
            ("value_type", only(word)),
            ("required", json!({ "type": ["boolean", "null"] })),
            ("default", json!({ "type": default })),
            ("input_kind", json!({ "enum": kind })),
        ])
    });
    json!({ "anyOf": forms })
}

/// The schema as a document of its own.
fn root(mut schema: Value, title: &str, definitions: Map<String, Value>) -> Value {
    if let Value::Object(members) = &mut schema {
        members.insert(
            "$schema".to_owned(),
            "https://json-schema.org/draft/2020-12/schema".into(),
        );
        members.insert("title".to_owned(), title.into());
        members.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}
