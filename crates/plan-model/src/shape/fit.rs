//! Whether values of one shape are values of another.

use serde_json::Value;

use super::parts::{Items, Members};
use super::sizes::Count;
use super::types::Types;
use super::{Fit, Shape};
use crate::number::same;
use crate::text_of;

/// How many pairs of shapes are looked at for one answer: what would take more is unknown.
const MOST_PAIRS: usize = 20_000;

/// Whether a scalar may become text on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rendering {
    /// The value is bound whole to its target.
    Allowed,
    /// The value is inside another one, which is passed on as it is.
    Inside,
}

/// Whether values of `source` fit `target`.
pub(super) fn fit(source: &Shape, target: &Shape) -> Fit {
    Relation { pairs: MOST_PAIRS }.of(source, target, Rendering::Allowed)
}

/// Whether a shape has a value, as far as is known.
pub(super) fn admits(shape: &Shape, value: &Value) -> bool {
    if !Types::of_value(value).within(shape.types) {
        return false;
    }
    if let Some(choices) = &shape.choices {
        return choices.iter().any(|choice| same(choice, value));
    }
    if !shape.sizes.as_ref().is_none_or(|sizes| sizes.admits(value)) {
        return false;
    }
    match value {
        Value::Array(values) => shape.items.as_ref().is_none_or(|items| {
            let mut values = values.iter().enumerate();
            values.all(|(index, value)| admits(items.get(index), value))
        }),
        Value::Object(object) => shape.members.as_ref().is_none_or(|members| {
            members
                .required
                .iter()
                .all(|name| object.contains_key(name))
                && object
                    .iter()
                    .all(|(name, member)| admits(members.get(name), member))
        }),
        _ => true,
    }
}

/// What the parts of a source have been found to be.
#[derive(Debug, Default)]
struct Tally {
    always: bool,
    rendered: bool,
    unknown: bool,
    /// The reason of the first part that never fits; empty: its type.
    never: Option<String>,
}

impl Tally {
    fn add(&mut self, fit: Fit) {
        match fit {
            Fit::Always => self.always = true,
            Fit::Rendered => self.rendered = true,
            Fit::Unknown => self.unknown = true,
            Fit::Never(reason) => {
                // a reason from inside the value says more than the types do
                if self.never.as_ref().is_none_or(String::is_empty) {
                    self.never = Some(reason);
                }
            }
        }
    }

    /// Whether nothing that is still to come can change the answer.
    fn is_decided(&self) -> bool {
        self.unknown || (self.never.is_some() && (self.always || self.rendered))
    }

    fn answer(self) -> Fit {
        match self.never {
            _ if self.unknown => Fit::Unknown,
            Some(reason) if !self.always && !self.rendered => Fit::Never(reason),
            Some(_) => Fit::Unknown,
            None if self.rendered => Fit::Rendered,
            None => Fit::Always,
        }
    }
}

/// One question, with the pairs of shapes that may still be looked at for it.
#[derive(Debug)]
struct Relation {
    pairs: usize,
}

impl Relation {
    fn of(&mut self, source: &Shape, target: &Shape, rendering: Rendering) -> Fit {
        if target.is_any() || source.is_nothing() {
            return Fit::Always;
        }
        match self.pairs.checked_sub(1) {
            Some(left) => self.pairs = left,
            None => return Fit::Unknown,
        }
        let mut tally = Tally::default();
        if let Some(choices) = &source.choices {
            for choice in choices.iter() {
                tally.add(of_value(choice, target, rendering));
                if tally.is_decided() {
                    break;
                }
            }
        } else {
            let parts = Types::EACH.into_iter();
            for part in parts.filter(|part| source.types.meets(*part)) {
                tally.add(self.of_type(part, source, target, rendering));
                if tally.is_decided() {
                    break;
                }
            }
        }
        match tally.answer() {
            Fit::Never(reason) if reason.is_empty() => Fit::Never(unlike(source, target)),
            fit => fit,
        }
    }

    /// How the values of one type that `source` may have relate to `target`.
    fn of_type(&mut self, part: Types, source: &Shape, target: &Shape, how: Rendering) -> Fit {
        if !part.within(target.types) {
            return as_text(part, target, how);
        }
        if let Some(choices) = &target.choices {
            return of_choices(part, source, choices, || as_text(part, target, how));
        }
        match part {
            Types::INTEGER | Types::FRACTION => {
                let (ours, theirs) = (source.sizes().number, target.sizes().number);
                let both = ours.meet(&theirs);
                if both.is_empty() || (part == Types::INTEGER && both.whole().is_none()) {
                    as_text(part, target, how)
                } else if ours.within(&theirs) {
                    Fit::Always
                } else {
                    Fit::Unknown
                }
            }
            Types::STRING => {
                let (ours, theirs) = (source.sizes().characters, target.sizes().characters);
                of_counts(ours, theirs, true)
            }
            Types::ARRAY => self.of_arrays(source, target),
            Types::OBJECT => self.of_objects(source, target),
            _ => Fit::Always,
        }
    }

    fn of_arrays(&mut self, source: &Shape, target: &Shape) -> Fit {
        if target.items.is_none() && target.sizes.is_none() {
            return Fit::Always;
        }
        let none = Items::default();
        let items = [source, target].map(|shape| shape.items.as_deref().unwrap_or(&none));
        let mut counts = [source.sizes().elements, target.sizes().elements];
        for (count, items) in counts.iter_mut().zip(items) {
            *count = count.meet(items.count());
        }
        let ([ours, theirs], [many, wanted]) = (items, counts);
        let there = many.least.max(wanted.least);
        let mut all = true;
        // the last index stands for all that come after
        for index in 0..=ours.first.len().max(theirs.first.len()) {
            match self.of(ours.get(index), theirs.get(index), Rendering::Inside) {
                Fit::Always => {}
                // an empty array always fits
                Fit::Never(reason) if u64::try_from(index).is_ok_and(|index| index < there) => {
                    // that an element is too many is told of the count
                    if !many.meet(wanted).is_empty() {
                        return Fit::Never(format!("in its element {index}, {reason}"));
                    }
                }
                _ => all = false,
            }
        }
        of_counts(many, wanted, all)
    }

    fn of_objects(&mut self, source: &Shape, target: &Shape) -> Fit {
        let none = Members::default();
        let fit = match (&source.members, &target.members) {
            (_, None) => Fit::Always,
            (ours, Some(theirs)) => self.of_members(ours.as_deref().unwrap_or(&none), theirs),
        };
        if matches!(fit, Fit::Never(_)) || (source.sizes.is_none() && target.sizes.is_none()) {
            return fit;
        }
        let count = |shape: &Shape| {
            let members = shape.members.as_ref();
            let known = members.map_or(Count::ANY, |members| members.count());
            known.meet(shape.sizes().members)
        };
        of_counts(count(source), count(target), fit == Fit::Always)
    }

    fn of_members(&mut self, source: &Members, target: &Members) -> Fit {
        let mut all = true;
        for name in target.required.difference(&source.required) {
            if source.get(name).is_nothing() {
                return Fit::Never(format!("it has no member `{name}`"));
            }
            all = false;
        }
        let more = target.named.keys();
        let more = more.filter(|name| !source.named.contains_key(*name));
        for name in source.named.keys().chain(more) {
            let (ours, theirs) = (source.get(name), target.get(name));
            let always_there = source.required.contains(name) || target.required.contains(name);
            match self.of(ours, theirs, Rendering::Inside) {
                Fit::Always => {}
                Fit::Never(_) if always_there && theirs.is_nothing() => {
                    return Fit::Never(format!("its member `{name}` is not taken"));
                }
                Fit::Never(reason) if always_there => {
                    return Fit::Never(format!("in its member `{name}`, {reason}"));
                }
                _ => all = false,
            }
        }
        if all && self.of(&source.rest, &target.rest, Rendering::Inside) == Fit::Always {
            Fit::Always
        } else {
            Fit::Unknown
        }
    }
}

fn of_value(value: &Value, target: &Shape, rendering: Rendering) -> Fit {
    if admits(target, value) {
        return Fit::Always;
    }
    let scalar = matches!(value, Value::Bool(_) | Value::Number(_));
    if scalar && rendering == Rendering::Allowed {
        let text = Value::String(text_of(value).into_owned());
        if admits(target, &text) {
            return Fit::Rendered;
        }
    }
    Fit::Never(String::new())
}

/// How the values of one type relate to a target that has only these.
fn of_choices(
    part: Types,
    source: &Shape,
    choices: &[Value],
    as_text: impl FnOnce() -> Fit,
) -> Fit {
    let shared = |choice: &&Value| Types::of_value(choice) == part && admits(source, choice);
    match choices.iter().filter(shared).count() {
        0 => as_text(),
        1 if part == Types::NULL => Fit::Always,
        2 if part == Types::BOOLEAN => Fit::Always,
        _ => Fit::Unknown,
    }
}

/// How the values of one type relate to a target that takes none of them, but perhaps their text.
fn as_text(part: Types, target: &Shape, rendering: Rendering) -> Fit {
    let scalar = part.within(Types::BOOLEAN | Types::NUMBER);
    if !scalar || rendering == Rendering::Inside || !target.types.meets(Types::STRING) {
        return Fit::Never(String::new());
    }
    if part == Types::BOOLEAN {
        let taken = [true, false].map(|value| admits(target, &Value::from(value.to_string())));
        return match taken {
            [true, true] => Fit::Rendered,
            [false, false] => Fit::Never(String::new()),
            _ => Fit::Unknown,
        };
    }
    // which text it is, and how long, is only known of the value
    if target.choices.is_some() || !target.sizes().characters.is_any() {
        return Fit::Unknown;
    }
    Fit::Rendered
}

/// Whether so many are as many as are wanted; `alike`: whether each of them fits.
fn of_counts(many: Count, wanted: Count, alike: bool) -> Fit {
    // there is no such value, and so none that does not fit
    if many.is_empty() {
        Fit::Always
    } else if many.meet(wanted).is_empty() {
        Fit::Never(String::new())
    } else if alike && many.within(wanted) {
        Fit::Always
    } else {
        Fit::Unknown
    }
}

/// That no value is both: the types say it, or else the ranges, lengths and values.
fn unlike(source: &Shape, target: &Shape) -> String {
    if source.types.meets(target.types) {
        format!("{} is never {}", source.describe(), target.describe())
    } else {
        format!(
            "{} is never {}",
            source.describe_types(),
            target.describe_types()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Schema, ValueType};
    use serde_json::json;

    fn schema(schema: Value) -> Shape {
        Shape::of_schema(&Schema(schema))
    }

    fn fits(source: Value, target: Value) -> String {
        match schema(source).fits(&schema(target)) {
            Fit::Never(reason) => reason,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn types_are_compared() {
        let ty = |name: &str| json!({ "type": name });
        assert_eq!(fits(ty("string"), ty("string")), "Always");
        assert_eq!(fits(ty("integer"), ty("number")), "Always");
        assert_eq!(fits(ty("number"), ty("integer")), "Unknown");
        assert_eq!(fits(ty("integer"), ty("string")), "Rendered");
        assert_eq!(fits(ty("boolean"), ty("string")), "Rendered");
        assert_eq!(fits(ty("string"), ty("boolean")), "string is never boolean");
        assert_eq!(fits(ty("object"), ty("string")), "object is never string");
        assert_eq!(fits(ty("null"), ty("string")), "null is never string");
        assert_eq!(fits(json!({}), ty("string")), "Unknown");
        assert_eq!(fits(ty("string"), json!({})), "Always");
        assert_eq!(
            fits(json!({ "type": ["string", "null"] }), ty("string")),
            "Unknown"
        );
        assert_eq!(
            fits(json!({ "type": ["string", "null"] }), ty("integer")),
            "string or null is never integer"
        );
    }

    #[test]
    fn case_05_a_string_never_becomes_an_integer() {
        let fit = Shape::declared(ValueType::String, None)
            .fits(&Shape::declared(ValueType::Integer, None));
        assert_eq!(fit, Fit::Never("string is never integer".to_owned()));
    }

    #[test]
    fn what_has_no_value_fits() {
        for empty in [
            json!({ "type": "object", "required": ["a"], "maxProperties": 0 }),
            json!({ "type": "string", "minLength": 2, "maxLength": 1 }),
        ] {
            assert_eq!(fits(empty.clone(), empty.clone()), "Always", "{empty}");
        }
    }

    #[test]
    fn choices_are_compared_by_value() {
        let colours = json!({ "enum": ["red", "green"] });
        assert_eq!(fits(json!({ "const": "red" }), colours.clone()), "Always");
        assert_eq!(
            fits(json!({ "const": "blue" }), colours.clone()),
            "`\"blue\"` is never `\"red\"` or `\"green\"`"
        );
        assert_eq!(
            fits(json!({ "enum": ["red", "blue"] }), colours.clone()),
            "Unknown"
        );
        assert_eq!(
            fits(json!({ "type": "string" }), colours.clone()),
            "Unknown"
        );
        assert_eq!(fits(colours, json!({ "type": "string" })), "Always");
        assert_eq!(
            fits(json!({ "const": 5 }), json!({ "const": 5.0 })),
            "Always"
        );
        assert_eq!(
            fits(json!({ "const": 5 }), json!({ "enum": ["5"] })),
            "Rendered"
        );
        assert_eq!(
            fits(
                json!({ "type": "boolean" }),
                json!({ "enum": [true, false] })
            ),
            "Always"
        );
    }

    #[test]
    fn objects_are_compared_member_by_member() {
        let point = json!({
            "type": "object",
            "properties": { "x": { "type": "integer" }, "y": { "type": "integer" } },
            "required": ["x", "y"],
            "additionalProperties": false
        });
        assert_eq!(fits(point.clone(), point.clone()), "Always");
        assert_eq!(fits(json!({ "type": "object" }), point.clone()), "Unknown");
        assert_eq!(
            fits(
                json!({ "type": "object", "properties": { "x": {} }, "additionalProperties": false }),
                point.clone()
            ),
            "it has no member `y`"
        );
        assert_eq!(
            fits(
                json!({ "type": "object", "properties": { "x": { "type": "string" } } }),
                point.clone()
            ),
            "in its member `x`, string is never integer"
        );
        assert_eq!(
            fits(
                json!({ "type": "object", "properties": { "z": { "type": "string" } }, "required": ["z"] }),
                point
            ),
            "its member `z` is not taken"
        );
    }

    #[test]
    fn an_empty_array_fits_any_array() {
        let list = |item: &str| json!({ "type": "array", "items": { "type": item } });
        assert_eq!(fits(list("string"), list("string")), "Always");
        assert_eq!(fits(list("string"), list("integer")), "Unknown");
        assert_eq!(fits(list("integer"), json!({ "type": "array" })), "Always");
        assert_eq!(
            fits(list("integer"), json!({ "type": "integer" })),
            "array of integer is never integer"
        );
    }

    #[test]
    fn ranges_that_share_no_number_never_fit() {
        let range =
            |least: i32, most: i32| json!({ "type": "integer", "minimum": least, "maximum": most });
        assert_eq!(fits(range(2, 3), range(1, 5)), "Always");
        assert_eq!(fits(range(1, 5), range(2, 3)), "Unknown");
        assert_eq!(
            fits(
                range(1, 5),
                json!({ "type": "number", "exclusiveMinimum": 5 })
            ),
            "integer from 1 to 5 is never number of over 5"
        );
        assert_eq!(
            fits(
                json!({ "type": "integer" }),
                json!({ "type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2 })
            ),
            "integer is never nothing"
        );
        assert_eq!(
            fits(
                json!({ "type": "integer", "exclusiveMaximum": 2 }),
                json!({ "type": "number", "exclusiveMinimum": 1 })
            ),
            "integer of at most 1 is never number of over 1"
        );
        assert_eq!(
            fits(
                json!({ "type": "number", "exclusiveMaximum": 2 }),
                json!({ "type": "number", "exclusiveMinimum": 1 })
            ),
            "Unknown"
        );
        assert_eq!(fits(range(1, 5), json!({ "enum": [5.0, 7] })), "Unknown");
        assert_eq!(
            fits(range(1, 5), json!({ "enum": [6, 7] })),
            "integer from 1 to 5 is never `6` or `7`"
        );
        // the number does not fit, and its text does
        assert_eq!(
            fits(
                range(1, 5),
                json!({ "type": ["integer", "string"], "minimum": 9 })
            ),
            "Rendered"
        );
    }

    #[test]
    fn no_digit_of_a_range_is_lost() {
        let least = json!({ "type": "integer", "minimum": 9_007_199_254_740_993_u64 });
        assert_eq!(
            fits(json!({ "const": 9_007_199_254_740_992_u64 }), least.clone()),
            "`9007199254740992` is never integer of at least 9007199254740993"
        );
        assert_eq!(fits(json!({ "const": u64::MAX }), least), "Always");
    }

    #[test]
    fn lengths_that_share_no_count_never_fit() {
        let text = |least: u64, most: u64| json!({ "type": "string", "minLength": least, "maxLength": most });
        assert_eq!(fits(text(2, 3), text(1, 5)), "Always");
        assert_eq!(fits(json!({ "type": "string" }), text(1, 5)), "Unknown");
        assert_eq!(
            fits(text(1, 3), text(4, 5)),
            "string with 1 to 3 characters is never string with 4 to 5 characters"
        );
        assert_eq!(
            fits(
                json!({ "const": "häuser" }),
                json!({ "type": "string", "minLength": 7 })
            ),
            "`\"häuser\"` is never string with at least 7 characters"
        );
        assert_eq!(
            fits(
                json!({ "type": "boolean" }),
                json!({ "type": "string", "maxLength": 3 })
            ),
            "boolean is never string"
        );
        assert_eq!(
            fits(
                json!({ "type": "integer" }),
                json!({ "type": "string", "maxLength": 3 })
            ),
            "Unknown"
        );
        let list =
            |least: u64, most: u64| json!({ "type": "array", "minItems": least, "maxItems": most });
        assert_eq!(
            fits(list(1, 3), list(4, 5)),
            "array with 1 to 3 elements is never array with 4 to 5 elements"
        );
        assert_eq!(fits(list(1, 3), list(1, 5)), "Always");
        assert_eq!(
            fits(
                json!({ "type": "object", "maxProperties": 1 }),
                json!({ "type": "object", "required": ["a", "b"] })
            ),
            "object with at most 1 member is never object"
        );
    }

    #[test]
    fn an_array_with_elements_needs_elements_that_fit() {
        let list = |item: &str, least: u64| json!({ "type": "array", "items": { "type": item }, "minItems": least });
        assert_eq!(
            fits(list("string", 1), list("integer", 0)),
            "in its element 0, string is never integer"
        );
        assert_eq!(
            fits(list("string", 0), list("integer", 1)),
            "in its element 0, string is never integer"
        );
        let pair = json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false });
        assert_eq!(fits(json!({ "const": ["a", 1] }), pair.clone()), "Always");
        assert_eq!(
            fits(
                json!({ "type": "array", "items": { "type": "string" }, "minItems": 2 }),
                pair.clone()
            ),
            "in its element 1, string is never integer"
        );
        assert_eq!(
            fits(json!({ "type": "array", "minItems": 3 }), pair),
            "array with at least 3 elements is never array of string or integer"
        );
    }

    #[test]
    fn a_union_of_objects_fits_where_one_of_them_may() {
        let tagged = |tag: &str, more: &str| json!({ "type": "object", "properties": { "kind": { "const": tag }, more: { "type": "integer" } }, "required": ["kind", more], "additionalProperties": false });
        let union = json!({ "oneOf": [tagged("a", "x"), tagged("b", "y")] });
        assert_eq!(fits(tagged("a", "x"), union.clone()), "Always");
        assert_eq!(
            fits(tagged("c", "x"), union.clone()),
            "in its member `kind`, `\"c\"` is never `\"a\"` or `\"b\"`"
        );
        assert_eq!(fits(union.clone(), union.clone()), "Always");
        assert_eq!(fits(union, tagged("b", "y")), "Unknown");
    }

    #[test]
    fn a_value_has_the_shape_of_itself() {
        for value in [
            json!(null),
            json!(1.5),
            json!("x"),
            json!([1, "a", [null]]),
            json!({ "a": { "b": [] } }),
        ] {
            let shape = Shape::of_value(&value);
            assert!(shape.admits(&value), "{value}");
            assert_eq!(shape.fits(&shape), Fit::Always, "{value}");
        }
    }
}
