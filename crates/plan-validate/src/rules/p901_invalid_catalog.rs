//! P901 invalid-catalog: a catalog that says something wrong or in two ways.

use crate::finding::Severity;
use crate::rule::{Check, Rule};

pub(crate) const RULE: Rule = Rule::new(
    "P901",
    "invalid-catalog",
    Severity::Error,
    include_str!("../../rules/P901-invalid-catalog.md"),
    Check::Elsewhere,
);
