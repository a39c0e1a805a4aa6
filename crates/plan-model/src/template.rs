//! JSON values whose strings may hold references.
//!
//! A string is read once, here. A run of dollars right before `{` is read in
//! pairs: `$${` is the text `${`, `${` begins a reference, and `$$${` is a
//! dollar before a reference. Everywhere else a dollar is a dollar.

mod parse;
mod resolve;
mod write;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Names, Path, Pointer, Reference, ReferenceError};

pub use resolve::text_of;

/// A JSON value in which every `${…}` has been parsed. Nothing scans it again.
///
/// ```
/// use plan_model::Template;
/// use serde_json::json;
///
/// let template = Template::parse(json!({ "url": "${input.base}/search", "price": "$${5}" })).unwrap();
/// let mut seen = Vec::new();
/// template.each_reference(&mut |pointer, reference| seen.push(format!("{pointer} {reference}")));
/// assert_eq!(seen, ["/url ${input.base}"]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Template {
    /// A value without references; `$${` has become `${`.
    Literal(Value),
    /// A string that is exactly one reference: the referenced value keeps its JSON type.
    Reference(Reference),
    /// A string around references: their values are rendered into text.
    Text(Vec<TextPart>),
    /// An array that holds a reference somewhere.
    Array(Vec<Template>),
    /// An object that holds a reference somewhere.
    Object(BTreeMap<String, Template>),
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum TextPart {
    /// Text as it stands.
    Literal(String),
    /// A value rendered into text: a string as it is, null as nothing, anything else as compact JSON.
    Reference(Reference),
}

/// What references read while a template is resolved.
pub trait Scope {
    /// The value that a path's root names, and whether it counts for `??`.
    ///
    /// `None` when there is no such root here.
    fn root(&self, path: &Path) -> Option<ScopeValue<'_>>;
}

/// What stands at a root.
#[derive(Debug, Clone, Copy)]
pub enum ScopeValue<'a> {
    /// A value: an input, a config value, an item, a secret. `??` passes over null.
    Value(&'a Value),
    /// The outputs of a step that succeeded.
    Outputs(&'a serde_json::Map<String, Value>),
    /// A step that was skipped, or that failed and let the run go on: reads as null, and `??` passes it over.
    Absent,
}

/// A path that led nowhere when it was followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` leads nowhere: {found}")]
pub struct ResolveError {
    /// The path.
    pub path: String,
    /// What was there instead, as a clause; capped.
    pub found: String,
}

impl Template {
    /// Parses every string of a JSON value. Keys of objects are left alone.
    ///
    /// # Errors
    /// Every malformed reference, with its place in `value`; of more than a thousand the first thousand.
    pub fn parse(value: Value) -> Result<Self, Vec<(Pointer, ReferenceError)>> {
        Self::parse_with(value, &mut ())
    }

    /// Parses every string of a JSON value; steps may go by names that `names` knows.
    ///
    /// # Errors
    /// Every malformed reference, with its place in `value` and its byte offset in that string. Of more than
    /// a thousand the rest is only counted, to [`Names::further`].
    pub fn parse_with(
        value: Value,
        names: &mut dyn Names,
    ) -> Result<Self, Vec<(Pointer, ReferenceError)>> {
        parse::template(value, names)
    }

    /// The JSON value that parses to this template.
    pub fn to_value(&self) -> Value {
        write::value(self)
    }

    /// Calls `visit` for every reference, in document order, with its place in the value.
    pub fn each_reference<'a>(&'a self, visit: &mut dyn FnMut(&Pointer, &'a Reference)) {
        self.each_reference_within(&mut Pointer::root(), visit);
    }

    /// As [`Template::each_reference`], with pointers that go on from `at`.
    pub fn each_reference_within<'a>(
        &'a self,
        at: &mut Pointer,
        visit: &mut dyn FnMut(&Pointer, &'a Reference),
    ) {
        match self {
            Self::Literal(_) => {}
            Self::Reference(reference) => visit(at, reference),
            Self::Text(parts) => {
                for part in parts {
                    if let TextPart::Reference(reference) = part {
                        visit(at, reference);
                    }
                }
            }
            Self::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    at.push(index);
                    item.each_reference_within(at, visit);
                    at.pop();
                }
            }
            Self::Object(members) => {
                for (name, member) in members {
                    at.push(name);
                    member.each_reference_within(at, visit);
                    at.pop();
                }
            }
        }
    }

    /// Calls `visit` for every reference, in document order.
    pub fn references<'a>(&'a self, visit: &mut dyn FnMut(&'a Reference)) {
        match self {
            Self::Literal(_) => {}
            Self::Reference(reference) => visit(reference),
            Self::Text(parts) => {
                for part in parts {
                    if let TextPart::Reference(reference) = part {
                        visit(reference);
                    }
                }
            }
            Self::Array(items) => items.iter().for_each(|item| item.references(visit)),
            Self::Object(members) => members.values().for_each(|member| member.references(visit)),
        }
    }

    /// Calls `visit` for every piece of text that stands as it is, in document order:
    /// literal strings, and the text around references.
    pub fn each_text<'a>(&'a self, at: &mut Pointer, visit: &mut dyn FnMut(&Pointer, &'a str)) {
        match self {
            Self::Literal(value) => text_of_literal(value, at, visit),
            Self::Reference(_) => {}
            Self::Text(parts) => {
                for part in parts {
                    if let TextPart::Literal(text) = part {
                        visit(at, text);
                    }
                }
            }
            Self::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    at.push(index);
                    item.each_text(at, visit);
                    at.pop();
                }
            }
            Self::Object(members) => {
                for (name, member) in members {
                    at.push(name);
                    member.each_text(at, visit);
                    at.pop();
                }
            }
        }
    }

    /// The value, when it holds no reference.
    pub fn as_literal(&self) -> Option<&Value> {
        match self {
            Self::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// The reference, when the value is exactly one.
    pub fn as_reference(&self) -> Option<&Reference> {
        match self {
            Self::Reference(reference) => Some(reference),
            _ => None,
        }
    }

    /// The value under `scope`. What references read is data: it is never scanned again.
    ///
    /// # Errors
    /// Every path that leads nowhere.
    pub fn resolve(&self, scope: &dyn Scope) -> Result<Value, Vec<ResolveError>> {
        resolve::value(self, scope)
    }

    /// The value under `scope` as text: see [`text_of`].
    ///
    /// # Errors
    /// Every path that leads nowhere.
    pub fn render(&self, scope: &dyn Scope) -> Result<String, Vec<ResolveError>> {
        self.resolve(scope).map(|value| match value {
            Value::String(text) => text,
            other => text_of(&other).into_owned(),
        })
    }
}

fn text_of_literal<'a>(
    value: &'a Value,
    at: &mut Pointer,
    visit: &mut dyn FnMut(&Pointer, &'a str),
) {
    match value {
        Value::String(text) => visit(at, text),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                at.push(index);
                text_of_literal(item, at, visit);
                at.pop();
            }
        }
        Value::Object(members) => {
            for (name, member) in crate::digest::sorted(members) {
                at.push(name);
                text_of_literal(member, at, visit);
                at.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
