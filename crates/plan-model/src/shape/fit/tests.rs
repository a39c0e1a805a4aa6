//! How shapes relate: the facts one by one.

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
    let fit =
        Shape::declared(ValueType::String, None).fits(&Shape::declared(ValueType::Integer, None));
    assert_eq!(fit, Fit::Never("string is never integer".to_owned()));
}

#[test]
fn what_has_no_value_fits() {
    for empty in [
        json!({ "type": "object", "required": ["a"], "maxProperties": 0 }),
        json!({ "type": "string", "minLength": 2, "maxLength": 1 }),
    ] {
        assert_eq!(fits(empty.clone(), empty.clone()), "Always", "{empty}");
    }
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
fn ranges_that_share_no_number_never_fit() {
    let range =
        |least: i32, most: i32| json!({ "type": "integer", "minimum": least, "maximum": most });
    assert_eq!(fits(range(2, 3), range(1, 5)), "Always");
    assert_eq!(fits(range(1, 5), range(2, 3)), "Unknown");
    assert_eq!(
        fits(
            range(1, 5),
            json!({ "type": "number", "exclusiveMinimum": 5 })
        ),
        "integer from 1 to 5 is never number of over 5"
    );
    assert_eq!(
        fits(
            json!({ "type": "integer" }),
            json!({ "type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2 })
        ),
        "integer is never nothing"
    );
    assert_eq!(
        fits(
            json!({ "type": "integer", "exclusiveMaximum": 2 }),
            json!({ "type": "number", "exclusiveMinimum": 1 })
        ),
        "integer of at most 1 is never number of over 1"
    );
    assert_eq!(
        fits(
            json!({ "type": "number", "exclusiveMaximum": 2 }),
            json!({ "type": "number", "exclusiveMinimum": 1 })
        ),
        "Unknown"
    );
    assert_eq!(fits(range(1, 5), json!({ "enum": [5.0, 7] })), "Unknown");
    assert_eq!(
        fits(range(1, 5), json!({ "enum": [6, 7] })),
        "integer from 1 to 5 is never `6` or `7`"
    );
    // the number does not fit, and its text does
    assert_eq!(
        fits(
            range(1, 5),
            json!({ "type": ["integer", "string"], "minimum": 9 })
        ),
        "Rendered"
    );
}

#[test]
fn no_digit_of_a_range_is_lost() {
    let least = json!({ "type": "integer", "minimum": 9_007_199_254_740_993_u64 });
    assert_eq!(
        fits(json!({ "const": 9_007_199_254_740_992_u64 }), least.clone()),
        "`9007199254740992` is never integer of at least 9007199254740993"
    );
    assert_eq!(fits(json!({ "const": u64::MAX }), least), "Always");
}

#[test]
fn lengths_that_share_no_count_never_fit() {
    let text =
        |least: u64, most: u64| json!({ "type": "string", "minLength": least, "maxLength": most });
    assert_eq!(fits(text(2, 3), text(1, 5)), "Always");
    assert_eq!(fits(json!({ "type": "string" }), text(1, 5)), "Unknown");
    assert_eq!(
        fits(text(1, 3), text(4, 5)),
        "string with 1 to 3 characters is never string with 4 to 5 characters"
    );
    assert_eq!(
        fits(
            json!({ "const": "häuser" }),
            json!({ "type": "string", "minLength": 7 })
        ),
        "`\"häuser\"` is never string with at least 7 characters"
    );
    assert_eq!(
        fits(
            json!({ "type": "boolean" }),
            json!({ "type": "string", "maxLength": 3 })
        ),
        "boolean is never string"
    );
    assert_eq!(
        fits(
            json!({ "type": "integer" }),
            json!({ "type": "string", "maxLength": 3 })
        ),
        "Unknown"
    );
    let list =
        |least: u64, most: u64| json!({ "type": "array", "minItems": least, "maxItems": most });
    assert_eq!(
        fits(list(1, 3), list(4, 5)),
        "array with 1 to 3 elements is never array with 4 to 5 elements"
    );
    assert_eq!(fits(list(1, 3), list(1, 5)), "Always");
    assert_eq!(
        fits(
            json!({ "type": "object", "maxProperties": 1 }),
            json!({ "type": "object", "required": ["a", "b"] })
        ),
        "object with at most 1 member is never object"
    );
}

#[test]
fn an_array_with_elements_needs_elements_that_fit() {
    let list = |item: &str, least: u64| json!({ "type": "array", "items": { "type": item }, "minItems": least });
    assert_eq!(
        fits(list("string", 1), list("integer", 0)),
        "in its element 0, string is never integer"
    );
    assert_eq!(
        fits(list("string", 0), list("integer", 1)),
        "in its element 0, string is never integer"
    );
    let pair = json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false });
    assert_eq!(fits(json!({ "const": ["a", 1] }), pair.clone()), "Always");
    assert_eq!(
        fits(
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 2 }),
            pair.clone()
        ),
        "in its element 1, string is never integer"
    );
    assert_eq!(
        fits(json!({ "type": "array", "minItems": 3 }), pair),
        "array with at least 3 elements is never array of string or integer"
    );
}

#[test]
fn a_union_of_objects_fits_where_one_of_them_may() {
    let tagged = |tag: &str, more: &str| json!({ "type": "object", "properties": { "kind": { "const": tag }, more: { "type": "integer" } }, "required": ["kind", more], "additionalProperties": false });
    let union = json!({ "oneOf": [tagged("a", "x"), tagged("b", "y")] });
    assert_eq!(fits(tagged("a", "x"), union.clone()), "Always");
    assert_eq!(
        fits(tagged("c", "x"), union.clone()),
        "in its member `kind`, `\"c\"` is never `\"a\"` or `\"b\"`"
    );
    assert_eq!(fits(union.clone(), union.clone()), "Always");
    assert_eq!(fits(union, tagged("b", "y")), "Unknown");
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
