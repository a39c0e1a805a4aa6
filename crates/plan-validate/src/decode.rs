//! Strict reading of a host's files: every problem is a finding, not the first.
//!
//! A catalog and a policy are small and trusted to be short, so they are read
//! from a JSON value; the document they came from gives the spans.

use std::str::FromStr;

use plan_model::{IdError, Pointer, Seconds};
use serde_json::{Map, Value};

use crate::candidates;
use crate::finding::{Expected, Finding};
use crate::rule::Rule;
use crate::text;

/// Collects the findings of one file.
#[derive(Debug)]
pub(crate) struct Decoder {
    rule: &'static Rule,
    pub(crate) findings: Vec<Finding>,
}

/// The members of one object; what is not taken is an unknown field.
#[derive(Debug)]
pub(crate) struct Fields {
    pub(crate) pointer: Pointer,
    members: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Decoder {
    pub(crate) fn new(rule: &'static Rule) -> Self {
        Self {
            rule,
            findings: Vec::new(),
        }
    }

    pub(crate) fn say(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    pub(crate) fn at(&self, pointer: &Pointer, message: impl Into<String>) -> Finding {
        self.rule.at(pointer.clone(), message)
    }

    /// Reports a value of the wrong shape.
    pub(crate) fn wrong(&mut self, pointer: &Pointer, expected: &str, actual: &Value) {
        let finding = self
            .at(
                pointer,
                format!("{} is not {expected}", text::quoted(actual.to_string())),
            )
            .expected(Expected::Type(expected.to_owned()));
        self.say(finding);
    }

    pub(crate) fn object(&mut self, value: Value, pointer: &Pointer) -> Option<Fields> {
        match value {
            Value::Object(members) => Some(Fields {
                pointer: pointer.clone(),
                members,
                known: Vec::new(),
            }),
            other => {
                self.wrong(pointer, "an object", &other);
                None
            }
        }
    }

    pub(crate) fn array(&mut self, value: Value, pointer: &Pointer) -> Vec<(Pointer, Value)> {
        match value {
            Value::Array(items) => items
                .into_iter()
                .enumerate()
                .map(|(index, item)| (pointer.join(index), item))
                .collect(),
            other => {
                self.wrong(pointer, "an array", &other);
                Vec::new()
            }
        }
    }

    pub(crate) fn string(&mut self, value: Value, pointer: &Pointer) -> Option<String> {
        match value {
            Value::String(text) => Some(text),
            other => {
                self.wrong(pointer, "a string", &other);
                None
            }
        }
    }

    pub(crate) fn strings(&mut self, value: Value, pointer: &Pointer) -> Vec<String> {
        self.array(value, pointer)
            .into_iter()
            .filter_map(|(at, item)| self.string(item, &at))
            .collect()
    }

    pub(crate) fn boolean(&mut self, value: Value, pointer: &Pointer) -> Option<bool> {
        match value {
            Value::Bool(yes) => Some(yes),
            other => {
                self.wrong(pointer, "`true` or `false`", &other);
                None
            }
        }
    }

    pub(crate) fn count(&mut self, value: &Value, pointer: &Pointer) -> Option<u64> {
        let count = value.as_u64();
        if count.is_none() {
            self.wrong(pointer, "a whole number from 0", value);
        }
        count
    }

    pub(crate) fn seconds(&mut self, value: &Value, pointer: &Pointer) -> Option<Seconds> {
        let seconds = seconds(value);
        if seconds.is_none() {
            self.wrong(pointer, "a number of seconds from 0", value);
        }
        seconds
    }

    /// One word of a closed set.
    pub(crate) fn word<T: Copy>(
        &mut self,
        value: Value,
        pointer: &Pointer,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let text = self.string(value, pointer)?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            self.none_of(&text, pointer, words.iter().map(|(word, _)| *word));
        }
        found.map(|(_, meaning)| *meaning)
    }

    /// Reports a word that is not of its set.
    pub(crate) fn none_of<'w>(
        &mut self,
        word: &str,
        pointer: &Pointer,
        words: impl Iterator<Item = &'w str> + Clone,
    ) {
        let message = format!(
            "{} is none of {}",
            text::quoted(word),
            text::listed(words.clone())
        );
        let finding = self.at(pointer, message).candidates(words);
        self.say(finding);
    }

    /// A name of its kind.
    pub(crate) fn name<T: FromStr<Err = IdError>>(
        &mut self,
        value: Value,
        pointer: &Pointer,
        what: &str,
    ) -> Option<T> {
        let text = self.string(value, pointer)?;
        match text.parse() {
            Ok(name) => Some(name),
            Err(error) => {
                let finding = self.at(
                    pointer,
                    format!("the {what} {} {error}", text::quoted(&text)),
                );
                self.say(finding);
                None
            }
        }
    }
}

/// The span that a number of seconds is, to the millisecond.
pub(crate) fn seconds(value: &Value) -> Option<Seconds> {
    let millis = (value.as_f64()? * 1000.0).round();
    if !(0.0..=9.0e15).contains(&millis) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the guard keeps it inside"
    )]
    let whole = millis as u64;
    Some(Seconds::from_millis(whole))
}

impl Fields {
    /// Takes a member; `null` is absence.
    pub(crate) fn take(&mut self, name: &'static str) -> Option<(Pointer, Value)> {
        self.known.push(name);
        let value = self.members.remove(name)?;
        (!value.is_null()).then(|| (self.pointer.join(name), value))
    }

    /// Takes a member, `null` too.
    pub(crate) fn take_any(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.members.remove(name)
    }

    /// Takes a member and reads it.
    pub(crate) fn read<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(Value, &Pointer) -> Option<T>,
    ) -> Option<T> {
        let (pointer, value) = self.take(name)?;
        read(value, &pointer)
    }

    /// Takes a member that must be there.
    pub(crate) fn require(
        &mut self,
        decoder: &mut Decoder,
        name: &'static str,
    ) -> Option<(Pointer, Value)> {
        let taken = self.take(name);
        if taken.is_none() {
            let finding = decoder.at(&self.pointer, format!("the field `{name}` is missing"));
            decoder.say(finding);
        }
        taken
    }

    /// Everything that is left, in the order of the names: for objects whose members the host names.
    pub(crate) fn rest(&mut self) -> Vec<(String, Pointer, Value)> {
        let mut rest: Vec<(String, Pointer, Value)> = std::mem::take(&mut self.members)
            .into_iter()
            .map(|(name, value)| {
                let pointer = self.pointer.join(&name);
                (name, pointer, value)
            })
            .collect();
        rest.sort_by(|a, b| a.0.cmp(&b.0));
        rest
    }

    /// Reports what was not taken.
    pub(crate) fn finish(mut self, decoder: &mut Decoder) {
        for (name, pointer, _) in self.rest() {
            let mut close = candidates::closest(&name, self.known.iter().copied());
            // `timeout` is short for `timeout_secs`
            let longer = |known: &&str| {
                known
                    .strip_prefix(name.as_str())
                    .is_some_and(|rest| rest.starts_with('_'))
            };
            close.extend(self.known.iter().copied().filter(longer));
            let field = text::quoted(&name);
            let message = match close.first() {
                Some(closest) => format!("the field {field} is not known here, `{closest}` is"),
                None => format!("the field {field} is not known here"),
            };
            let known = candidates::ranked(&name, self.known.iter().copied());
            let finding = decoder.at(&pointer, message).candidates(known);
            decoder.say(finding);
        }
    }
}
