//! Values while an expression is evaluated, and what operators make of them.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::tree::Operator;
use crate::number::{Exact, same};

/// A value: a number apart, since arithmetic is not done on JSON.
#[derive(Debug, Clone)]
pub(super) enum Operand<'a> {
    Number(Exact),
    Other(Cow<'a, Value>),
}

impl<'a> Operand<'a> {
    /// A boolean.
    pub(super) fn boolean(value: bool) -> Self {
        Self::Other(Cow::Owned(Value::Bool(value)))
    }

    /// What a reference reads. A number without a fraction is whole, however it was written.
    pub(super) fn read(value: Cow<'a, Value>) -> Self {
        match value.as_ref() {
            Value::Number(number) => match Exact::of(number) {
                Some(exact) => Self::Number(whole(exact)),
                None => Self::Other(value),
            },
            _ => Self::Other(value),
        }
    }

    /// The value as JSON.
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Number(Exact::Integer(integer)) => i64::try_from(integer)
                .map(Value::from)
                .or_else(|_| u64::try_from(integer).map(Value::from))
                .unwrap_or(Value::Null),
            Self::Number(Exact::Double(double)) => {
                Number::from_f64(double).map_or(Value::Null, Value::Number)
            }
            Self::Other(value) => value.into_owned(),
        }
    }

    /// What the value is, in one word.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Other(value) => match value.as_ref() {
                Value::Null => "null",
                Value::Bool(_) => "a boolean",
                Value::Number(_) => "a number",
                Value::String(_) => "a string",
                Value::Array(_) => "a list",
                Value::Object(_) => "an object",
            },
        }
    }

    /// Whether two values are equal: numbers by value, and never across types.
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.compare(*b).is_eq(),
            (Self::Other(a), Self::Other(b)) => same(a, b),
            _ => false,
        }
    }

    /// How two numbers or two strings compare; `None` for anything else.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Some(a.compare(*b)),
            (Self::Other(a), Self::Other(b)) => Some(a.as_str()?.cmp(b.as_str()?)),
            _ => None,
        }
    }
}

/// Why two numbers have no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Overflow,
    ByZero,
    Fraction,
}

/// The result of an operator on two numbers. `None`: the operator does no arithmetic.
pub(super) fn arithmetic(operator: Operator, a: Exact, b: Exact) -> Option<Result<Exact, Fault>> {
    let result = match (a, b) {
        (Exact::Integer(a), Exact::Integer(b)) => {
            // neither sum nor product of 65-bit numbers can leave 130 bits, so i128 needs its checks
            let result = match operator {
                Operator::Add => a.checked_add(b),
                Operator::Subtract => a.checked_sub(b),
                Operator::Multiply => a.checked_mul(b),
                Operator::Divide | Operator::Remainder if b == 0 => {
                    return Some(Err(Fault::ByZero));
                }
                Operator::Divide => a.checked_div(b),
                Operator::Remainder => a.checked_rem(b),
                _ => return None,
            };
            result.filter(in_range).map(Exact::Integer)
        }
        (a, b) => {
            let (a, b) = (a.as_double(), b.as_double());
            let result = match operator {
                Operator::Add => a + b,
                Operator::Subtract => a - b,
                Operator::Multiply => a * b,
                Operator::Divide if b == 0.0 => return Some(Err(Fault::ByZero)),
                Operator::Divide => a / b,
                Operator::Remainder => return Some(Err(Fault::Fraction)),
                _ => return None,
            };
            Some(result)
                .filter(|result| result.is_finite())
                .map(Exact::Double)
        }
    };
    Some(result.ok_or(Fault::Overflow))
}

/// The negative of a number.
pub(super) fn negate(number: Exact) -> Result<Exact, Fault> {
    match number {
        Exact::Integer(integer) => Some(-integer)
            .filter(in_range)
            .map(Exact::Integer)
            .ok_or(Fault::Overflow),
        Exact::Double(double) => Ok(Exact::Double(-double)),
    }
}

fn in_range(integer: &i128) -> bool {
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(integer)
}

/// A double that has no fraction and fits becomes an integer.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole double below 1e19 is an i128 exactly"
)]
fn whole(number: Exact) -> Exact {
    match number {
        Exact::Double(double) if double.fract() == 0.0 && double.abs() < 1e19 => {
            Some(double as i128)
                .filter(in_range)
                .map_or(number, Exact::Integer)
        }
        _ => number,
    }
}
