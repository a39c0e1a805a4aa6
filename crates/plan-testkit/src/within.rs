//! Parts of a JSON value, empty where there are none.

use serde_json::Value;

/// A text within a value, empty where there is none.
pub(crate) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// A list within a value, empty where there is none.
pub(crate) fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// A list of names within a value.
pub(crate) fn names<'v>(value: &'v Value, pointer: &str) -> Vec<&'v str> {
    list(value, pointer)
        .iter()
        .filter_map(Value::as_str)
        .collect()
}
