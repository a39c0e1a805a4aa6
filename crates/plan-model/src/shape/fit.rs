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
mod tests;
