//! P904 missing-input: a required input that was not supplied.

use crate::finding::Severity;
use crate::rule::{Check, Rule};

pub(crate) const RULE: Rule = Rule::new(
    "P904",
    "missing-input",
    Severity::Error,
    include_str!("../../rules/P904-missing-input.md"),
    Check::Elsewhere,
);
