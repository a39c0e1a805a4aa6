//! What a step delivers.

use serde_json::{Value, json};

use super::view::{StepView, View};
use crate::within::{list, text};

/// The outputs of a step: their names, each with a schema of what it is.
#[derive(Debug)]
pub(super) struct Outputs {
    pub(super) known: Vec<(String, Value)>,
    /// Whether there are no others.
    pub(super) is_closed: bool,
}

pub(super) fn of(view: &View<'_>, step: &StepView<'_>) -> Outputs {
    let declared = list(step.value, "/outputs");
    let mut known: Vec<(String, Value)> = declared
        .iter()
        .map(|output| (text(output, "/name").to_owned(), declaration(output)))
        .collect();
    let mut own = |name: &str, schema: Value| {
        // what is declared wins over the kind's own
        if !known.iter().any(|(other, _)| other == name) {
            known.push((name.to_owned(), schema));
        }
    };
    let mut is_closed = true;
    match step.kind {
        "TOOL_CALL" => {
            let schema = view
                .tool(step.config("tool"))
                .and_then(|tool| tool.get("output_schema"));
            let properties = schema
                .and_then(|schema| schema.get("properties"))
                .and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten() {
                own(name, property.clone());
            }
            let is_schema_closed = schema
                .is_some_and(|schema| schema.get("additionalProperties") == Some(&json!(false)));
            is_closed = is_schema_closed || !declared.is_empty();
        }
        "CODE_CALL" => {
            own("stdout", json!({"type": "string"}));
            own("stderr", json!({"type": "string"}));
            own("exit_code", json!({"type": "integer"}));
        }
        "PROMPT_CALL" => {
            let schema = step.value.pointer("/config/output_schema").cloned();
            own(
                step.config("output_field"),
                schema.unwrap_or_else(|| json!({"type": "string"})),
            );
        }
        "AGENT_CALL" => own("report", json!({})),
        "HUMAN_INTERACTION" => {
            let approves = step.value.pointer("/config/approval_required") == Some(&json!(true));
            own(
                step.config("response_field"),
                json!({"type": if approves { "boolean" } else { "string" }}),
            );
        }
        "CONDITION" => own("result", json!({"type": "boolean"})),
        "FAN_OUT" => {
            own("results", json!({"type": "array"}));
            if step.config("on_item_error") == "collect" {
                own("errors", json!({"type": "array"}));
            }
        }
        "FAN_IN" => own(step.config("collect_field"), json!({"type": "array"})),
        _ => is_closed = false,
    }
    Outputs { known, is_closed }
}

/// A declaration of an input or an output as one schema.
pub(super) fn declaration(declared: &Value) -> Value {
    let mut schema = declared.get("schema").cloned().unwrap_or_else(|| json!({}));
    let word = text(declared, "/value_type");
    let word = if word.is_empty() && text(declared, "/input_kind").ends_with("_path") {
        "string"
    } else {
        word
    };
    if !word.is_empty()
        && word != "any"
        && let Some(members) = schema.as_object_mut()
    {
        members.entry("type").or_insert_with(|| json!(word));
    }
    schema
}
