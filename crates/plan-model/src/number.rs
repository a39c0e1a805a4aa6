//! Numbers by value: `5` is `5.0`, and no digit of a 64-bit integer is lost in a comparison.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// A JSON number: an integer of 64 bits in full, or a finite double.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Exact {
    /// From the least `i64` to the greatest `u64`.
    Integer(i128),
    /// Anything else.
    Double(f64),
}

impl Exact {
    /// The value of a JSON number; `None` when it is over the range of a double.
    pub(crate) fn of(number: &Number) -> Option<Self> {
        if let Some(integer) = number.as_i64() {
            Some(Self::Integer(integer.into()))
        } else if let Some(integer) = number.as_u64() {
            Some(Self::Integer(integer.into()))
        } else {
            number
                .as_f64()
                .filter(|double| double.is_finite())
                .map(Self::Double)
        }
    }

    /// The nearest double.
    #[expect(
        clippy::cast_precision_loss,
        reason = "arithmetic with a double is done in doubles"
    )]
    pub(crate) fn as_double(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Double(double) => double,
        }
    }

    /// Whether the value has no fraction.
    pub(crate) fn is_whole(self) -> bool {
        match self {
            Self::Integer(_) => true,
            Self::Double(double) => double.fract() == 0.0,
        }
    }

    /// How two values compare, exactly.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(&b),
            (Self::Integer(a), Self::Double(b)) => compare_mixed(a, b),
            (Self::Double(a), Self::Integer(b)) => compare_mixed(b, a).reverse(),
            // both are finite, and total_cmp would tell -0 from 0
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole double below 1e30 is an i128 exactly"
)]
fn compare_mixed(integer: i128, double: f64) -> Ordering {
    if double >= 1e30 {
        return Ordering::Less;
    }
    if double <= -1e30 {
        return Ordering::Greater;
    }
    integer
        .cmp(&(double.trunc() as i128))
        .then_with(|| 0.0.partial_cmp(&double.fract()).unwrap_or(Ordering::Equal))
}

/// Whether two JSON values are equal, numbers by value and objects whatever the order of their members.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (Exact::of(a), Exact::of(b)) {
            (Some(a), Some(b)) => a.compare(b).is_eq(),
            _ => a == b,
        },
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compare(a: Value, b: Value) -> Ordering {
        let exact = |value: Value| Exact::of(value.as_number().unwrap()).unwrap();
        exact(a).compare(exact(b))
    }

    #[test]
    fn numbers_compare_by_value() {
        assert_eq!(compare(json!(5), json!(5.0)), Ordering::Equal);
        assert_eq!(compare(json!(5), json!(5.5)), Ordering::Less);
        assert_eq!(compare(json!(-5), json!(-5.5)), Ordering::Greater);
        assert_eq!(compare(json!(0), json!(-0.0)), Ordering::Equal);
        assert_eq!(compare(json!(-1), json!(u64::MAX)), Ordering::Less);
        assert_eq!(compare(json!(1e300), json!(u64::MAX)), Ordering::Greater);
        assert_eq!(compare(json!(i64::MIN), json!(-1e300)), Ordering::Greater);
    }

    #[test]
    fn no_digit_is_lost() {
        let double = 9_007_199_254_740_992.0;
        assert_eq!(
            compare(json!(9_007_199_254_740_993_u64), json!(double)),
            Ordering::Greater
        );
        assert_eq!(
            compare(json!(u64::MAX), json!(18_446_744_073_709_551_616.0)),
            Ordering::Less
        );
        assert_eq!(
            compare(json!(u64::MAX), json!(u64::MAX - 1)),
            Ordering::Greater
        );
    }

    #[test]
    fn values_are_equal_to_any_depth() {
        assert!(same(
            &json!({ "a": [1, 2.0], "b": null }),
            &json!({ "b": null, "a": [1.0, 2] })
        ));
        assert!(!same(&json!([1]), &json!([1, 2])));
        assert!(!same(&json!({ "a": 1 }), &json!({ "b": 1 })));
        assert!(!same(&json!("1"), &json!(1)));
        assert!(!same(&json!(null), &json!(false)));
    }
}
