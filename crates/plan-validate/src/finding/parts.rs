//! The parts of a finding.

use std::fmt;

use plan_model::document::{Position, Span};
use plan_model::edit::Edit;
use plan_model::{Pointer, StepId};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The most names in a candidate list.
pub(crate) const MOST_CANDIDATES: usize = 20;

/// The code of a rule, such as `P203`. Stable once shipped, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Code(&'static str);

impl Code {
    pub(crate) const fn new(code: &'static str) -> Self {
        Self(code)
    }

    /// The code as text.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl PartialEq<&str> for Code {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// How much a finding weighs. Ordered from the heaviest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The document is refused.
    Error,
    /// The document is accepted, and is probably not what was meant.
    Warning,
    /// The document is accepted; something about it is worth knowing.
    Note,
}

impl Severity {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place in the text: bytes, and the lines and columns of both ends, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FindingSpan {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// The line of the first byte.
    pub line: usize,
    /// The character of the first byte in its line.
    pub column: usize,
    /// The line of the end.
    pub end_line: usize,
    /// The character of the end in its line.
    pub end_column: usize,
}

impl FindingSpan {
    /// A place of which only the bytes are known; [`super::Finding::place`] finds lines and columns.
    pub(crate) fn of_bytes(span: Span) -> Self {
        Self {
            start: span.start,
            end: span.end,
            line: 0,
            column: 0,
            end_line: 0,
            end_column: 0,
        }
    }

    pub(crate) fn new(position_of: impl Fn(usize) -> Position, span: Span) -> Self {
        let (first, last) = (position_of(span.start), position_of(span.end));
        Self {
            start: span.start,
            end: span.end,
            line: first.line,
            column: first.column,
            end_line: last.line,
            end_column: last.column,
        }
    }
}

/// A further place of the same cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Related {
    /// Where in the document.
    pub pointer: Pointer,
    /// Where in the text, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<FindingSpan>,
    /// What this place has to do with it.
    pub note: String,
}

/// What could have stood where something else stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Expected {
    /// A value of this type, in words.
    Type(String),
    /// One of these; a closed list, of which at most twenty are shown.
    OneOf(Vec<String>),
    /// A number in this range, in words.
    Range(String),
    /// A value that this JSON Schema accepts.
    Schema(Value),
}

/// What to do about a finding.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The advice, for a person.
    pub title: String,
    /// How far it may be applied without one.
    pub applicability: Applicability,
    /// The change, where it can be written down. Its pointers lead into the document.
    pub edit: Option<Edit>,
    /// The step that the change is in: a repair addresses steps by their ids.
    pub step: Option<StepId>,
}

/// How far a suggestion may be applied without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Applicability {
    /// It keeps the meaning, always.
    MachineApplicable,
    /// It may not be what was meant.
    MaybeIncorrect,
    /// It holds parts that a person must fill in.
    HasPlaceholders,
}

impl Serialize for Suggestion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        super::json::suggestion(self).serialize(serializer)
    }
}
