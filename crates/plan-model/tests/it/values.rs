//! JSON values, small and odd.

use proptest::prelude::*;
use serde_json::{Map, Value};

/// Text in which the marks of references are frequent.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("$".to_owned()),
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("${".to_owned()),
        Just("$${".to_owned()),
        Just("${input.a}".to_owned()),
        Just("${step.a.b ?? input.c}".to_owned()),
        Just(r#"${step.a["x}"][0]}"#.to_owned()),
        Just(".".to_owned()),
        Just("\"".to_owned()),
        any::<char>().prop_map(String::from),
        "[a-z ]{0,4}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// Any JSON value, a few levels deep.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-4_i64..4).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}
