//! The depth and size of values that come from outside, without recursion.

use serde_json::{Map, Value};

/// What a value has too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excess {
    Depth,
    Bytes,
}

enum Level<'a> {
    Array(std::slice::Iter<'a, Value>),
    Object(serde_json::map::Iter<'a>),
}

/// Checks that arrays and objects nest at most `depth` deep, and that texts, numbers and
/// names come to at most `bytes`. Returns how many bytes are left.
pub(super) fn weigh(value: &Value, depth: usize, bytes: usize) -> Result<usize, Excess> {
    let mut left = bytes;
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut next = Some(value);
    loop {
        if let Some(value) = next.take() {
            let weight = match value {
                Value::String(text) => text.len(),
                Value::Null | Value::Bool(_) => 4,
                Value::Number(_) => 8,
                Value::Array(items) => {
                    levels.push(Level::Array(items.iter()));
                    1
                }
                Value::Object(members) => {
                    levels.push(Level::Object(members.iter()));
                    1
                }
            };
            if levels.len() > depth {
                return Err(Excess::Depth);
            }
            left = left.checked_sub(weight).ok_or(Excess::Bytes)?;
        }
        let Some(level) = levels.last_mut() else {
            return Ok(left);
        };
        match level {
            Level::Array(items) => next = items.next(),
            Level::Object(members) => {
                if let Some((name, member)) = members.next() {
                    left = left.checked_sub(name.len()).ok_or(Excess::Bytes)?;
                    next = Some(member);
                }
            }
        }
        if next.is_none() {
            levels.pop();
        }
    }
}

/// About how many bytes the texts, numbers and names of an object come to.
pub(super) fn bytes_of(members: &Map<String, Value>) -> u64 {
    let weight = |(name, value): (&String, &Value)| {
        let left = weigh(value, usize::MAX, usize::MAX).unwrap_or_default();
        name.len().saturating_add(usize::MAX - left) as u64
    };
    members.iter().map(weight).fold(0, u64::saturating_add)
}

/// Drops a value without recursion, however deep it is.
pub(super) fn dismantle(value: Value) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => rest.extend(values_of(members)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

fn values_of(members: Map<String, Value>) -> impl Iterator<Item = Value> {
    members.into_iter().map(|(_, member)| member)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn depth_counts_arrays_and_objects() {
        let value = json!([{ "a": [1, "xy"] }]);
        assert!(weigh(&value, 3, 100).is_ok());
        assert_eq!(weigh(&value, 2, 100), Err(Excess::Depth));
        assert_eq!(weigh(&json!(1), 0, 100), Ok(92));
    }

    #[test]
    fn a_text_weighs_its_bytes() {
        assert_eq!(weigh(&json!("abcd"), 1, 4), Ok(0));
        assert_eq!(weigh(&json!("abcde"), 1, 4), Err(Excess::Bytes));
        assert_eq!(weigh(&json!({ "name": "x" }), 1, 5), Err(Excess::Bytes));
    }

    #[test]
    fn a_hundred_thousand_levels_are_measured_and_dropped_on_a_small_stack() {
        std::thread::Builder::new()
            .stack_size(64 << 10)
            .spawn(|| {
                let mut value = Value::Null;
                for _ in 0..100_000 {
                    value = Value::Array(vec![value]);
                }
                assert_eq!(weigh(&value, 64, usize::MAX), Err(Excess::Depth));
                dismantle(value);
            })
            .unwrap()
            .join()
            .unwrap();
    }
}
