//! Whether values of one shape are values of another.

use serde_json::Value;

use super::types::Types;
use super::{Fit, Members, Shape};
use crate::number::same;
use crate::text_of;

/// Whether a scalar may become text on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rendering {
    /// The value is bound whole to its target.
    Allowed,
    /// The value is inside another one, which is passed on as it is.
    Inside,
}

/// Whether values of `source` fit `target`.
pub(super) fn fit(source: &Shape, target: &Shape) -> Fit {
    relate(source, target, Rendering::Allowed)
}

/// Whether a shape has a value, as far as is known.
pub(super) fn admits(shape: &Shape, value: &Value) -> bool {
    if !Types::of_value(value).within(shape.types) {
        return false;
    }
    if let Some(choices) = &shape.choices {
        return choices.iter().any(|choice| same(choice, value));
    }
    match value {
        Value::Array(items) => shape
            .item
            .as_ref()
            .is_none_or(|item| items.iter().all(|value| admits(item, value))),
        Value::Object(object) => shape.members.as_ref().is_none_or(|members| {
            members
                .required
                .iter()
                .all(|name| object.contains_key(name))
                && object
                    .iter()
                    .all(|(name, member)| admits(members.get(name), member))
        }),
        _ => true,
    }
}

fn relate(source: &Shape, target: &Shape, rendering: Rendering) -> Fit {
    if target.is_any() || source.is_nothing() {
        return Fit::Always;
    }
    let parts: Vec<Fit> = match &source.choices {
        Some(choices) => choices
            .iter()
            .map(|choice| of_value(choice, target, rendering))
            .collect(),
        None => Types::EACH
            .into_iter()
            .filter(|part| source.types.meets(*part))
            .map(|part| of_type(part, source, target, rendering))
            .collect(),
    };
    if parts.iter().all(|part| *part == Fit::Always) {
        return Fit::Always;
    }
    if parts
        .iter()
        .all(|part| matches!(part, Fit::Always | Fit::Rendered))
    {
        return Fit::Rendered;
    }
    if !parts.iter().all(|part| matches!(part, Fit::Never(_))) {
        return Fit::Unknown;
    }
    // a reason from inside the value says more than the types do
    let inner = parts.into_iter().find_map(|part| match part {
        Fit::Never(reason) if !reason.is_empty() => Some(reason),
        _ => None,
    });
    Fit::Never(
        inner.unwrap_or_else(|| format!("{} is never {}", source.describe(), target.describe())),
    )
}

fn of_value(value: &Value, target: &Shape, rendering: Rendering) -> Fit {
    if admits(target, value) {
        return Fit::Always;
    }
    let scalar = matches!(value, Value::Bool(_) | Value::Number(_));
    if scalar && rendering == Rendering::Allowed {
        let text = Value::String(text_of(value).into_owned());
        if admits(target, &text) {
            return Fit::Rendered;
        }
    }
    Fit::Never(String::new())
}

/// How the values of one type that `source` may have relate to `target`.
fn of_type(part: Types, source: &Shape, target: &Shape, rendering: Rendering) -> Fit {
    if !part.within(target.types) {
        let scalar = part.within(Types::BOOLEAN | Types::NUMBER);
        if !scalar || rendering == Rendering::Inside || !target.types.meets(Types::STRING) {
            return Fit::Never(String::new());
        }
        // whether the text is among the choices is only known of the value
        return if target.choices.is_some() {
            Fit::Unknown
        } else {
            Fit::Rendered
        };
    }
    if let Some(choices) = &target.choices {
        let all_booleans = part == Types::BOOLEAN
            && choices.contains(&Value::Bool(true))
            && choices.contains(&Value::Bool(false));
        return if part == Types::NULL || all_booleans {
            Fit::Always
        } else {
            Fit::Unknown
        };
    }
    if part == Types::ARRAY {
        return match (&source.item, &target.item) {
            (_, None) => Fit::Always,
            (Some(ours), Some(theirs))
                if relate(ours, theirs, Rendering::Inside) == Fit::Always =>
            {
                Fit::Always
            }
            // an empty array always fits
            _ => Fit::Unknown,
        };
    }
    if part == Types::OBJECT {
        return match (&source.members, &target.members) {
            (_, None) => Fit::Always,
            (Some(ours), Some(theirs)) => of_members(ours, theirs),
            (None, Some(theirs)) => of_members(&Members::default(), theirs),
        };
    }
    Fit::Always
}

fn of_members(source: &Members, target: &Members) -> Fit {
    let mut all = true;
    for name in target.required.difference(&source.required) {
        if source.get(name).is_nothing() {
            return Fit::Never(format!("it has no member `{name}`"));
        }
        all = false;
    }
    for name in source.named.keys().chain(target.named.keys()) {
        let (ours, theirs) = (source.get(name), target.get(name));
        let always_there = source.required.contains(name) || target.required.contains(name);
        match relate(ours, theirs, Rendering::Inside) {
            Fit::Always => {}
            Fit::Never(_) if always_there && theirs.is_nothing() => {
                return Fit::Never(format!("its member `{name}` is not taken"));
            }
            Fit::Never(reason) if always_there => {
                return Fit::Never(format!("in its member `{name}`, {reason}"));
            }
            _ => all = false,
        }
    }
    if all && relate(&source.rest, &target.rest, Rendering::Inside) == Fit::Always {
        Fit::Always
    } else {
        Fit::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Schema, ValueType};
    use serde_json::json;

    fn schema(schema: Value) -> Shape {
        Shape::of_schema(&Schema(schema))
    }

    fn fits(source: Value, target: Value) -> String {
        match schema(source).fits(&schema(target)) {
            Fit::Never(reason) => reason,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn types_are_compared() {
        let ty = |name: &str| json!({ "type": name });
        assert_eq!(fits(ty("string"), ty("string")), "Always");
        assert_eq!(fits(ty("integer"), ty("number")), "Always");
        assert_eq!(fits(ty("number"), ty("integer")), "Unknown");
        assert_eq!(fits(ty("integer"), ty("string")), "Rendered");
        assert_eq!(fits(ty("boolean"), ty("string")), "Rendered");
        assert_eq!(fits(ty("string"), ty("boolean")), "string is never boolean");
        assert_eq!(fits(ty("object"), ty("string")), "object is never string");
        assert_eq!(fits(ty("null"), ty("string")), "null is never string");
        assert_eq!(fits(json!({}), ty("string")), "Unknown");
        assert_eq!(fits(ty("string"), json!({})), "Always");
        assert_eq!(
            fits(json!({ "type": ["string", "null"] }), ty("string")),
            "Unknown"
        );
        assert_eq!(
            fits(json!({ "type": ["string", "null"] }), ty("integer")),
            "string or null is never integer"
        );
    }

    #[test]
    fn case_05_a_string_never_becomes_an_integer() {
        let fit = Shape::declared(ValueType::String, None)
            .fits(&Shape::declared(ValueType::Integer, None));
        assert_eq!(fit, Fit::Never("string is never integer".to_owned()));
    }

    #[test]
    fn choices_are_compared_by_value() {
        let colours = json!({ "enum": ["red", "green"] });
        assert_eq!(fits(json!({ "const": "red" }), colours.clone()), "Always");
        assert_eq!(
            fits(json!({ "const": "blue" }), colours.clone()),
            "`\"blue\"` is never `\"red\"` or `\"green\"`"
        );
        assert_eq!(
            fits(json!({ "enum": ["red", "blue"] }), colours.clone()),
            "Unknown"
        );
        assert_eq!(
            fits(json!({ "type": "string" }), colours.clone()),
            "Unknown"
        );
        assert_eq!(fits(colours, json!({ "type": "string" })), "Always");
        assert_eq!(
            fits(json!({ "const": 5 }), json!({ "const": 5.0 })),
            "Always"
        );
        assert_eq!(
            fits(json!({ "const": 5 }), json!({ "enum": ["5"] })),
            "Rendered"
        );
        assert_eq!(
            fits(
                json!({ "type": "boolean" }),
                json!({ "enum": [true, false] })
            ),
            "Always"
        );
    }

    #[test]
    fn objects_are_compared_member_by_member() {
        let point = json!({
            "type": "object",
            "properties": { "x": { "type": "integer" }, "y": { "type": "integer" } },
            "required": ["x", "y"],
            "additionalProperties": false
        });
        assert_eq!(fits(point.clone(), point.clone()), "Always");
        assert_eq!(fits(json!({ "type": "object" }), point.clone()), "Unknown");
        assert_eq!(
            fits(
                json!({ "type": "object", "properties": { "x": {} }, "additionalProperties": false }),
                point.clone()
            ),
            "it has no member `y`"
        );
        assert_eq!(
            fits(
                json!({ "type": "object", "properties": { "x": { "type": "string" } } }),
                point.clone()
            ),
            "in its member `x`, string is never integer"
        );
        assert_eq!(
            fits(
                json!({ "type": "object", "properties": { "z": { "type": "string" } }, "required": ["z"] }),
                point
            ),
            "its member `z` is not taken"
        );
    }

    #[test]
    fn an_empty_array_fits_any_array() {
        let list = |item: &str| json!({ "type": "array", "items": { "type": item } });
        assert_eq!(fits(list("string"), list("string")), "Always");
        assert_eq!(fits(list("string"), list("integer")), "Unknown");
        assert_eq!(fits(list("integer"), json!({ "type": "array" })), "Always");
        assert_eq!(
            fits(list("integer"), json!({ "type": "integer" })),
            "array of integer is never integer"
        );
    }

    #[test]
    fn a_value_has_the_shape_of_itself() {
        for value in [
            json!(null),
            json!(1.5),
            json!("x"),
            json!([1, "a", [null]]),
            json!({ "a": { "b": [] } }),
        ] {
            let shape = Shape::of_value(&value);
            assert!(shape.admits(&value), "{value}");
            assert_eq!(shape.fits(&shape), Fit::Always, "{value}");
        }
    }
}
