//! P301, P302, P303, P304, P305 and P307.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Opinion;
use super::paths::{self, Leads};
use super::syntax;
use super::view::{StepView, View};
use crate::within::{list, names, text};

pub(super) fn look(view: &View<'_>, opinion: &mut Opinion) {
    let mut told = BTreeSet::new();
    for step in view.steps.iter().filter(|step| step.kind == "TOOL_CALL") {
        let name = step.config("tool");
        let place = step.place("/config/tool");
        let Some(tool) = view.tool(name) else {
            if name.contains("${") {
                // a reference in the place of a name is another rule's, and not all that begins so is one
                opinion.leave_open("P301", place);
            } else if told.insert(("P301", name)) {
                opinion.say("P301", place);
            }
            continue;
        };
        if !is_allowed(view, tool) && told.insert(("P302", name)) {
            opinion.say("P302", place.clone());
        }
        if is_remote(tool) {
            if told.insert(("P307", name)) {
                opinion.say("P307", place);
            }
            continue;
        }
        if let Some(schema) = tool.get("input_schema") {
            arguments(view, step, schema, opinion);
        }
    }
}

fn is_allowed(view: &View<'_>, tool: &Value) -> bool {
    let is_listed = view.policy.get("tools").is_none()
        || names(view.policy, "/tools").contains(&text(tool, "/name"));
    is_listed && tool.get("allowlisted") != Some(&Value::Bool(false))
}

fn is_remote(tool: &Value) -> bool {
    tool.pointer("/input_schema/$ref")
        .and_then(Value::as_str)
        .is_some_and(|to| !to.starts_with('#'))
}

fn arguments(view: &View<'_>, step: &StepView<'_>, schema: &Value, opinion: &mut Opinion) {
    let Some(given) = step
        .value
        .pointer("/config/arguments")
        .and_then(Value::as_object)
    else {
        return;
    };
    let place = step.place("/config/arguments");
    let mut has_unknown = false;
    for (name, value) in given {
        let at = format!("{place}/{name}");
        let properties = schema.get("properties");
        if let Some(property) = properties.and_then(|properties| properties.get(name)) {
            let is_optional = !names(schema, "/required").contains(&name.as_str());
            if !(is_optional && value.is_null()) {
                fits(view, step, property, value, &at, opinion);
            }
        } else {
            has_unknown = true;
            opinion.say("P304", at);
        }
    }
    for name in names(schema, "/required") {
        if !given.contains_key(name) {
            // an unknown argument may be the missing one, misspelt: then that is the finding
            if has_unknown {
                opinion.leave_open("P303", place.clone());
            } else {
                opinion.say("P303", place.clone());
            }
        }
    }
}

/// A value where one of a schema is due: what does not fit, at its own place.
fn fits(
    view: &View<'_>,
    step: &StepView<'_>,
    schema: &Value,
    value: &Value,
    at: &str,
    opinion: &mut Opinion,
) {
    let due = text(schema, "/type");
    match value {
        Value::String(string) if string.contains("${") => {
            if let Some([path]) = syntax::whole(string).as_deref()
                && let Leads::To(read) = paths::of(view, step, path)
                && !can_be(text(&read, "/type"), due)
            {
                opinion.say("P305", at);
            }
        }
        Value::Array(items) if due == "array" => {
            if let Some(schema) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    fits(view, step, schema, item, &format!("{at}/{index}"), opinion);
                }
            }
        }
        Value::Object(members) if due == "object" => {
            let is_whole = names(schema, "/required")
                .iter()
                .all(|name| members.contains_key(*name));
            if !is_whole {
                opinion.say("P305", at);
            }
            for (name, member) in members {
                if let Some(schema) = schema
                    .get("properties")
                    .and_then(|properties| properties.get(name))
                {
                    fits(view, step, schema, member, &format!("{at}/{name}"), opinion);
                } else if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
                    opinion.say("P305", at);
                }
            }
        }
        _ if !is_literal_of(value, due) => opinion.say("P305", at),
        Value::Number(number) => {
            let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
            let number = number.as_f64().unwrap_or_default();
            if bound("minimum").is_some_and(|least| number < least)
                || bound("maximum").is_some_and(|most| number > most)
            {
                opinion.say("P305", at);
            }
        }
        _ if !list(schema, "/enum").is_empty() && !list(schema, "/enum").contains(value) => {
            opinion.say("P305", at);
        }
        _ => {}
    }
}

/// Whether a literal is of a type; a scalar where text is due is sent as text.
fn is_literal_of(value: &Value, due: &str) -> bool {
    match due {
        "string" => value.is_string() || value.is_number() || value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

/// Whether some value of one type is one of another.
fn can_be(read: &str, due: &str) -> bool {
    match (read, due) {
        ("", _) | (_, "") => true,
        ("integer" | "number", "integer" | "number") => true,
        ("integer" | "number" | "boolean", "string") => true,
        _ => read == due,
    }
}
