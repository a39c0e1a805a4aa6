//! What a tool takes, as a table over its input schema.

use std::collections::BTreeMap;

use plan_model::{Schema, Shape};
use serde_json::Value;

/// One argument of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Argument {
    /// What it can be.
    pub(crate) shape: Shape,
    /// Whether a call without it is refused.
    pub(crate) required: bool,
}

/// What a tool takes.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// The arguments that the schema names.
    pub(super) named: BTreeMap<String, Argument>,
    /// What any other one is; `None` where it takes no others.
    pub(super) others: Option<Shape>,
}

/// What an input schema takes.
///
/// A schema that has `properties` and is silent about additional ones counts as closed.
pub(super) fn of(schema: &Value) -> Arguments {
    let Some(object) = schema.as_object() else {
        return Arguments {
            named: BTreeMap::new(),
            others: Some(Shape::any()),
        };
    };
    let whole = Shape::of_schema(&Schema(schema.clone()));
    let properties = object.get("properties").and_then(Value::as_object);
    let required: Vec<&str> = object
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let named = properties
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str());
    let named = named
        .chain(required.iter().copied())
        .map(|name| {
            let argument = Argument {
                // a member that no value has leaves the finding to the schema itself
                shape: whole.property(name).unwrap_or_default(),
                required: required.contains(&name),
            };
            (name.to_owned(), argument)
        })
        .collect();
    let silent = !object.contains_key("additionalProperties");
    let composed = ["$ref", "allOf", "anyOf", "oneOf", "if"]
        .iter()
        .any(|keyword| object.contains_key(*keyword));
    let open = match object.get("additionalProperties") {
        Some(Value::Bool(false)) => object.contains_key("patternProperties"),
        Some(_) => true,
        None => properties.is_none() || object.contains_key("patternProperties"),
    };
    // arguments may also be named by a part that applies beside `properties`
    Arguments {
        named,
        others: (open || (silent && composed)).then(|| whole.other_members()),
    }
}
