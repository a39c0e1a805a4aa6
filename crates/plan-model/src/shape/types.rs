//! Sets of JSON types, in which a number is a whole one or one with a fraction.

use std::ops::{BitAnd, BitOr};

use serde_json::Value;

use crate::ValueType;
use crate::number::Exact;

/// A set of JSON types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const FRACTION: Self = Self(8);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const NUMBER: Self = Self(4 | 8);
    pub(super) const ALL: Self = Self(127);

    /// The types in the order in which they are spoken of; a number is two.
    pub(super) const EACH: [Self; 7] = [
        Self::STRING,
        Self::INTEGER,
        Self::FRACTION,
        Self::BOOLEAN,
        Self::ARRAY,
        Self::OBJECT,
        Self::NULL,
    ];

    pub(super) fn of_declared(value_type: ValueType) -> Self {
        match value_type {
            ValueType::String => Self::STRING,
            ValueType::Number => Self::NUMBER,
            ValueType::Integer => Self::INTEGER,
            ValueType::Boolean => Self::BOOLEAN,
            ValueType::Object => Self::OBJECT,
            ValueType::Array => Self::ARRAY,
            ValueType::Any => Self::ALL,
        }
    }

    pub(super) fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if Exact::of(number).is_some_and(Exact::is_whole) => {
                Self::INTEGER
            }
            Value::Number(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The others.
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

impl BitAnd for Types {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Types {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
