//! The canonical form against another implementation of RFC 8785.

use plan_model::{Digest, canonical_json};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::values::value;

/// Whether a double holds every integer of the value.
fn fits_doubles(value: &Value) -> bool {
    const EXACT: u64 = 1 << 53;
    match value {
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(integer), _) => integer.unsigned_abs() <= EXACT,
            (None, Some(_)) => false,
            (None, None) => true,
        },
        Value::Array(items) => items.iter().all(fits_doubles),
        Value::Object(members) => members.values().all(fits_doubles),
        _ => true,
    }
}

proptest! {
    #[test]
    fn both_write_the_same(value in value()) {
        prop_assume!(fits_doubles(&value));
        let other = serde_json_canonicalizer::to_string(&value).unwrap();
        prop_assert_eq!(canonical_json(&value), other);
    }

    #[test]
    fn both_write_doubles_the_same(bits in any::<u64>()) {
        let double = f64::from_bits(bits);
        prop_assume!(double.is_finite());
        let other = serde_json_canonicalizer::to_string(&double).unwrap();
        prop_assert_eq!(canonical_json(&json!(double)), other);
    }

    #[test]
    fn the_canonical_form_is_read_back_to_itself(value in value()) {
        let text = canonical_json(&value);
        let read: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(canonical_json(&read), text.clone());
        prop_assert_eq!(Digest::of_json(&read), Digest::of_bytes(text.as_bytes()));
    }
}
