//! Shapes against a validator of JSON Schema: what they say is never false.

use plan_model::shape::Fit;
use plan_model::{Schema, Shape, text_of};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Numbers at which ranges begin and end, and those beside them.
fn number() -> impl Strategy<Value = Value> {
    select(vec![
        json!(-1),
        json!(0),
        json!(1),
        json!(1.0),
        json!(1.5),
        json!(2),
        json!(3),
        json!(9_007_199_254_740_992_u64),
        json!(9_007_199_254_740_993_u64),
        json!(9_007_199_254_740_992.0),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e20),
        json!(-0.5),
    ])
}

fn text() -> impl Strategy<Value = Value> {
    select(vec!["", "a", "é", "ab", "true", "1", "1.5", "abcd"]).prop_map(Value::from)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        text(),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(2, 12, 3, |inner| {
        let name = select(vec!["a", "b", "kind"]).prop_map(str::to_owned);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(name, inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// One keyword with its value; `inner` is a schema.
fn keyword(inner: impl Strategy<Value = Value> + Clone + 'static) -> impl Strategy<Value = Value> {
    let types = select(vec![
        "null", "boolean", "integer", "number", "string", "array", "object",
    ]);
    let count = 0_u64..4;
    let range = select(vec![
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
    ]);
    let size = select(vec![
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
    ]);
    let list = proptest::collection::vec(inner.clone(), 1..3);
    let name = || select(vec!["a", "b", "kind"]);
    prop_oneof![
        4 => proptest::collection::vec(types, 1..3).prop_map(|types| {
            let mut types = types;
            types.sort_unstable();
            types.dedup();
            json!({ "type": types })
        }),
        2 => (range, number()).prop_map(|(keyword, number)| json!({ keyword: number })),
        2 => (size, count).prop_map(|(keyword, count)| json!({ keyword: count })),
        1 => value().prop_map(|value| json!({ "const": value })),
        1 => proptest::collection::vec(scalar(), 1..4).prop_map(|values| json!({ "enum": values })),
        2 => (name(), inner.clone()).prop_map(|(name, schema)| json!({ "properties": { name: schema } })),
        1 => name().prop_map(|name| json!({ "required": [name] })),
        1 => inner.clone().prop_map(|schema| json!({ "additionalProperties": schema })),
        1 => inner.clone().prop_map(|schema| json!({ "items": schema })),
        1 => list.clone().prop_map(|list| json!({ "prefixItems": list })),
        1 => (select(vec!["allOf", "anyOf", "oneOf"]), list).prop_map(|(keyword, list)| json!({ keyword: list })),
        1 => inner.clone().prop_map(|schema| json!({ "not": schema })),
        1 => inner.prop_map(|schema| json!({ "$ref": "#/$defs/x", "$defs": { "x": schema } })),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![8 => Just(json!({})), 1 => Just(json!(true)), 1 => Just(json!(false))];
    leaf.prop_recursive(3, 16, 3, |inner| {
        // references are to the root alone
        let inner = inner.prop_map(without_references);
        proptest::collection::vec(keyword(inner), 1..4).prop_map(|parts| {
            let mut all = serde_json::Map::new();
            for part in parts {
                all.extend(part.as_object().cloned().unwrap_or_default());
            }
            Value::Object(all)
        })
    })
}

fn without_references(mut schema: Value) -> Value {
    if let Some(keywords) = schema.as_object_mut() {
        keywords.remove("$ref");
        keywords.remove("$defs");
    }
    schema
}

fn shape(schema: &Value) -> Shape {
    Shape::of_schema(&Schema(schema.clone()))
}

fn accepts(schema: &Value, value: &Value) -> bool {
    jsonschema::is_valid(schema, value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_shape_has_every_value_that_its_schema_takes(schema in schema(), value in value()) {
        if accepts(&schema, &value) {
            prop_assert!(shape(&schema).admits(&value));
        }
    }

    #[test]
    fn what_never_fits_is_taken_in_no_form(a in schema(), b in schema(), values in proptest::collection::vec(value(), 8)) {
        let fit = shape(&a).fits(&shape(&b));
        for value in values.iter().filter(|value| accepts(&a, value)) {
            let taken = accepts(&b, value);
            let text = match value {
                Value::Bool(_) | Value::Number(_) => accepts(&b, &Value::from(text_of(value).into_owned())),
                _ => false,
            };
            match &fit {
                Fit::Never(reason) => prop_assert!(!taken && !text, "{value} is taken, and {reason}"),
                Fit::Always => prop_assert!(shape(&b).admits(value), "{value} always fits"),
                Fit::Rendered | Fit::Unknown => {}
            }
        }
    }

    #[test]
    fn a_value_fits_as_its_shape_says(schema in schema(), value in value()) {
        let shape = shape(&schema);
        let own = Shape::of_value(&value);
        prop_assert!(own.admits(&value));
        if accepts(&schema, &value) {
            prop_assert!(!matches!(own.fits(&shape), Fit::Never(_)));
        }
    }

    #[test]
    fn both_is_what_each_has_and_either_what_one_has(a in schema(), b in schema(), value in value()) {
        let (a, b) = (shape(&a), shape(&b));
        let (both, either) = (a.meet(&b), a.join(&b));
        let (in_a, in_b) = (a.admits(&value), b.admits(&value));
        prop_assert_eq!(both.admits(&value), in_a && in_b);
        prop_assert_eq!(both.admits(&value), b.meet(&a).admits(&value));
        if in_a || in_b {
            prop_assert!(either.admits(&value));
            prop_assert!(b.join(&a).admits(&value));
        }
    }

    #[test]
    fn combining_a_shape_with_itself_changes_nothing(schema in schema()) {
        let shape = shape(&schema);
        prop_assert_eq!(&shape.meet(&shape), &shape);
        prop_assert_eq!(&shape.meet(&Shape::any()), &shape);
        prop_assert_eq!(&shape.join(&Shape::nothing()), &shape);
        prop_assert!(!matches!(shape.fits(&shape), Fit::Never(_)));
    }
}
