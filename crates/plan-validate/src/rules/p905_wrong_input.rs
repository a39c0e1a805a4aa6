//! P905 wrong-input: a supplied input of the wrong type or shape.

use crate::finding::Severity;
use crate::rule::{Check, Rule};

pub(crate) const RULE: Rule = Rule::new(
    "P905",
    "wrong-input",
    Severity::Error,
    include_str!("../../rules/P905-wrong-input.md"),
    Check::Elsewhere,
);
