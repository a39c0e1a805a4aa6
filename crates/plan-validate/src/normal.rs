//! The form in which arguments are sent: what a tool's schema makes of them.
//!
//! A scalar for an argument that takes text and not that scalar is sent as its
//! text; null for an optional argument that takes no null is not sent. Nothing
//! else changes: a string never becomes a number.

use plan_model::text_of;
use serde_json::{Map, Value};

use crate::catalog::CatalogTool;

/// What becomes of one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// It is sent as it is.
    AsIs,
    /// It is not sent.
    Dropped,
    /// Its text is sent.
    Text(String),
}

/// What becomes of one argument of a tool.
pub(crate) fn argument(tool: &CatalogTool, name: &str, value: &Value) -> Form {
    // objects, arrays and strings are never changed
    if !matches!(value, Value::Null | Value::Bool(_) | Value::Number(_)) {
        return Form::AsIs;
    }
    let Some(shape) = tool.argument_shape(name) else {
        return Form::AsIs;
    };
    if shape.admits(value) {
        return Form::AsIs;
    }
    if value.is_null() {
        let is_required = tool
            .argument(name)
            .is_some_and(|argument| argument.required);
        return if is_required {
            Form::AsIs
        } else {
            Form::Dropped
        };
    }
    let text = text_of(value);
    if shape.admits(&Value::from(text.as_ref())) {
        Form::Text(text.into_owned())
    } else {
        Form::AsIs
    }
}

/// All arguments of a call in the form in which they are sent.
pub(crate) fn arguments(tool: &CatalogTool, mut values: Map<String, Value>) -> Map<String, Value> {
    let mut dropped = Vec::new();
    for (name, value) in &mut values {
        match argument(tool, name, value) {
            Form::AsIs => {}
            Form::Dropped => dropped.push(name.clone()),
            Form::Text(text) => *value = text.into(),
        }
    }
    for name in dropped {
        values.remove(&name);
    }
    values
}
