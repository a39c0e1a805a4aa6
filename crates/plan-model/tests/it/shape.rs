//! Laws of shapes: what they say of values is never too little.

use plan_model::shape::Fit;
use plan_model::{Schema, Shape};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Values from a small world, so that schemas and values often meet.
fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!(1)),
        Just(json!(1.0)),
        Just(json!(2.5)),
        Just(json!("1")),
        Just(json!("a")),
    ];
    scalar.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[ab]", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Schemas of the same world.
fn schema() -> impl Strategy<Value = Value> {
    let types = prop::sample::subsequence(
        vec![
            "null", "boolean", "integer", "number", "string", "array", "object",
        ],
        1..4,
    );
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!({})),
        types.clone().prop_map(|types| json!({ "type": types })),
        prop::collection::vec(value(), 1..3).prop_map(|choices| json!({ "enum": choices })),
        value().prop_map(|only| json!({ "const": only })),
    ];
    leaf.prop_recursive(3, 16, 3, move |inner| {
        let properties = prop::collection::btree_map("[ab]", inner.clone(), 0..3);
        let required = prop::sample::subsequence(vec!["a", "b"], 0..=2);
        let additional = prop_oneof![Just(json!(true)), Just(json!(false)), inner.clone()];
        prop_oneof![
            (properties, required, additional).prop_map(|(properties, required, additional)| {
                json!({ "type": "object", "properties": properties, "required": required,
                        "additionalProperties": additional })
            }),
            inner
                .clone()
                .prop_map(|items| json!({ "type": "array", "items": items })),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|any| json!({ "anyOf": any })),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({ "allOf": all })),
            (types.clone(), inner.clone()).prop_map(|(types, inner)| {
                json!({ "type": types, "$defs": { "x": inner }, "$ref": "#/$defs/x" })
            }),
            inner.prop_map(|not| json!({ "not": not })),
        ]
    })
}

fn of_schema(schema: &Value) -> Shape {
    Shape::of_schema(&Schema(schema.clone()))
}

/// Whether a schema accepts a value, by another implementation.
fn accepts(schema: &Value, value: &Value) -> bool {
    jsonschema::validator_for(schema).is_ok_and(|validator| validator.is_valid(value))
}

proptest! {
    #[test]
    fn a_shape_has_every_value_that_its_schema_accepts(schema in schema(), value in value()) {
        if accepts(&schema, &value) {
            prop_assert!(of_schema(&schema).admits(&value), "{} {}", schema, value);
        }
    }

    #[test]
    fn never_and_always_are_true(a in schema(), b in schema(), value in value()) {
        let (source, target) = (of_schema(&a), of_schema(&b));
        let (ours, theirs) = (source.admits(&value), target.admits(&value));
        match source.fits(&target) {
            Fit::Always => prop_assert!(!ours || theirs, "{} {} {}", a, b, value),
            Fit::Never(reason) => {
                prop_assert!(!(ours && theirs), "{} {} {}: {}", a, b, value, reason);
                prop_assert!(!reason.is_empty());
            }
            Fit::Rendered | Fit::Unknown => {}
        }
    }

    #[test]
    fn either_and_both_hold_what_they_should(a in schema(), b in schema(), value in value()) {
        let (a, b) = (of_schema(&a), of_schema(&b));
        let (in_a, in_b) = (a.admits(&value), b.admits(&value));
        if in_a || in_b {
            prop_assert!(a.join(&b).admits(&value));
        }
        if in_a && in_b {
            prop_assert!(a.meet(&b).admits(&value));
        }
    }

    #[test]
    fn a_value_has_its_own_shape(value in value()) {
        let shape = Shape::of_value(&value);
        prop_assert!(shape.admits(&value));
        prop_assert_eq!(shape.fits(&shape), Fit::Always);
        prop_assert_eq!(shape.fits(&Shape::any()), Fit::Always);
        prop_assert!(shape.nullable().admits(&Value::Null));
    }
}
