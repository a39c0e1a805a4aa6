//! How large values are: ranges of numbers, and counts of characters, elements and members.

use serde_json::{Map, Value};

use super::range::{End, Range};
use super::types::Types;
use crate::number::Exact;

/// How many there are of something; `u64::MAX` is without end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) least: u64,
    pub(super) most: u64,
}

/// What is known of how large values are, type by type.
///
/// INVARIANT: in a settled shape what belongs to a type that the shape has not says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Sizes {
    pub(super) number: Range,
    /// Characters of a string.
    pub(super) characters: Count,
    /// Elements of an array.
    pub(super) elements: Count,
    /// Members of an object.
    pub(super) members: Count,
}

impl Default for Count {
    fn default() -> Self {
        Self::ANY
    }
}

impl Count {
    pub(super) const ANY: Self = Self {
        least: 0,
        most: u64::MAX,
    };

    fn only(count: usize) -> Self {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        Self {
            least: count,
            most: count,
        }
    }

    pub(super) fn is_any(self) -> bool {
        self == Self::ANY
    }

    pub(super) fn is_empty(self) -> bool {
        self.least > self.most
    }

    pub(super) fn meet(self, other: Self) -> Self {
        Self {
            least: self.least.max(other.least),
            most: self.most.min(other.most),
        }
    }

    fn hull(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// Whether `other` has every count of these.
    pub(super) fn within(self, other: Self) -> bool {
        self.meet(other) == self
    }

    fn has(self, count: usize) -> bool {
        Self::only(count).within(self)
    }

    /// The count as what follows a noun: ` with at most 3 elements`; empty where nothing is known.
    pub(super) fn words(self, one: &str) -> String {
        let some = |count: u64| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {one}s"),
        };
        match (self.least, self.most) {
            (0, u64::MAX) => String::new(),
            (least, u64::MAX) => format!(" with at least {}", some(least)),
            (0, most) => format!(" with at most {}", some(most)),
            (least, most) if least == most => format!(" with {}", some(most)),
            (least, most) => format!(" with {least} to {}", some(most)),
        }
    }
}

impl Sizes {
    /// What the keywords of a schema say.
    pub(super) fn of_keywords(keywords: &Map<String, Value>) -> Self {
        let end = |keyword: &str, open: bool| {
            let at = Exact::of(keywords.get(keyword)?.as_number()?)?;
            Some(End { at, open })
        };
        let count = |least: &str, most: &str| Count {
            least: keywords.get(least).and_then(count).unwrap_or(0),
            most: keywords.get(most).and_then(count).unwrap_or(u64::MAX),
        };
        let closed = Range {
            least: end("minimum", false),
            most: end("maximum", false),
        };
        let open = Range {
            least: end("exclusiveMinimum", true),
            most: end("exclusiveMaximum", true),
        };
        Self {
            number: closed.meet(&open),
            characters: count("minLength", "maxLength"),
            elements: count("minItems", "maxItems"),
            members: count("minProperties", "maxProperties"),
        }
    }

    /// How large one value is.
    pub(super) fn of_value(value: &Value) -> Self {
        let mut sizes = Self::default();
        match value {
            Value::Number(number) => {
                sizes.number = Exact::of(number).map_or(Range::ALL, Range::only);
            }
            Value::String(text) => sizes.characters = Count::only(text.chars().count()),
            Value::Array(items) => sizes.elements = Count::only(items.len()),
            Value::Object(members) => sizes.members = Count::only(members.len()),
            Value::Null | Value::Bool(_) => {}
        }
        sizes
    }

    pub(super) fn is_any(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn admits(&self, value: &Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) => true,
            Value::Number(number) => Exact::of(number).is_none_or(|number| self.number.has(number)),
            // a text is counted only where its length matters
            Value::String(text) => {
                self.characters.is_any() || self.characters.has(text.chars().count())
            }
            Value::Array(items) => self.elements.has(items.len()),
            Value::Object(members) => self.members.has(members.len()),
        }
    }

    pub(super) fn meet(&self, other: &Self) -> Self {
        Self {
            number: self.number.meet(&other.number),
            characters: self.characters.meet(other.characters),
            elements: self.elements.meet(other.elements),
            members: self.members.meet(other.members),
        }
    }

    /// The sizes that either has, each with the types that it has.
    pub(super) fn join(&self, types: Types, other: &Self, others: Types) -> Self {
        let one = |part: Types, a: Count, b: Count| match (types.meets(part), others.meets(part)) {
            (true, true) => a.hull(b),
            (true, false) => a,
            (false, _) => b,
        };
        let of_numbers = |part: Types| (types.meets(part), others.meets(part));
        Self {
            number: match of_numbers(Types::NUMBER) {
                (true, true) => self.number.hull(&other.number),
                (true, false) => self.number,
                (false, _) => other.number,
            },
            characters: one(Types::STRING, self.characters, other.characters),
            elements: one(Types::ARRAY, self.elements, other.elements),
            members: one(Types::OBJECT, self.members, other.members),
        }
    }

    /// Leaves out the types of which there is no value, and what says nothing of those that are left.
    pub(super) fn settle(&mut self, mut types: Types) -> Types {
        if types.meets(Types::NUMBER) && !self.number.is_all() {
            types = self.settle_numbers(types);
        }
        for (part, count) in [
            (Types::STRING, &mut self.characters),
            (Types::ARRAY, &mut self.elements),
            (Types::OBJECT, &mut self.members),
        ] {
            if count.is_empty() {
                types = types.without(part);
            }
            if !types.meets(part) {
                *count = Count::ANY;
            }
        }
        if !types.meets(Types::NUMBER) {
            self.number = Range::ALL;
        }
        types
    }

    fn settle_numbers(&mut self, mut types: Types) -> Types {
        if self.number.is_empty() {
            return types.without(Types::NUMBER);
        }
        let whole = self.number.whole();
        if whole.is_none() {
            types = types.without(Types::INTEGER);
        } else if self.number.is_single() {
            types = types.without(Types::FRACTION);
        }
        if let (false, Some(whole)) = (types.meets(Types::FRACTION), whole) {
            self.number = whole;
        }
        types
    }
}

/// A count as a schema writes it, `3` or `3.0`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole double of that range is a u64 exactly"
)]
fn count(value: &Value) -> Option<u64> {
    match Exact::of(value.as_number()?)? {
        Exact::Integer(integer) => u64::try_from(integer).ok(),
        Exact::Double(double) => {
            ((0.0..1e15).contains(&double) && double.fract() == 0.0).then_some(double as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_are_told_in_words() {
        let words = |least, most| Count { least, most }.words("element");
        assert_eq!(words(0, u64::MAX), "");
        assert_eq!(words(1, u64::MAX), " with at least 1 element");
        assert_eq!(words(0, 3), " with at most 3 elements");
        assert_eq!(words(2, 2), " with 2 elements");
        assert_eq!(words(1, 3), " with 1 to 3 elements");
    }

    #[test]
    fn a_count_may_be_written_as_a_whole_double() {
        assert_eq!(count(&json!(3)), Some(3));
        assert_eq!(count(&json!(3.0)), Some(3));
        assert_eq!(count(&json!(3.5)), None);
        assert_eq!(count(&json!(-1)), None);
        assert_eq!(count(&json!("3")), None);
    }

    #[test]
    fn types_without_a_value_are_left_out() {
        let settled = |schema: Value| {
            let mut sizes = Sizes::of_keywords(schema.as_object().unwrap());
            (sizes.settle(Types::ALL), sizes)
        };
        let (types, sizes) =
            settled(json!({"minimum": 0.2, "maximum": 0.8, "minLength": 2, "maxLength": 1}));
        assert!(types == Types::ALL.without(Types::INTEGER).without(Types::STRING));
        assert!(sizes.characters.is_any());
        let (types, _) = settled(json!({"minimum": 3, "maximum": 3.0}));
        assert!(types == Types::ALL.without(Types::FRACTION));
        let (types, sizes) = settled(json!({"minimum": 3, "exclusiveMaximum": 3}));
        assert!(types == Types::ALL.without(Types::NUMBER));
        assert!(sizes.is_any());
    }
}
