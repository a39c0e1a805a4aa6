//! P903 unknown-input: a supplied input that the plan does not declare.

use crate::finding::Severity;
use crate::rule::{Check, Rule};

pub(crate) const RULE: Rule = Rule::new(
    "P903",
    "unknown-input",
    Severity::Error,
    include_str!("../../rules/P903-unknown-input.md"),
    Check::Elsewhere,
);
