//! P101 invalid-json: a text that is not one JSON document.

use plan_model::document::{Problem, ProblemKind};

use crate::finding::{Finding, Severity};
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P101",
    "invalid-json",
    Severity::Error,
    include_str!("../../rules/P101-invalid-json.md"),
    Check::Problem(check),
);

fn check(problem: &Problem) -> Option<Finding> {
    match &problem.kind {
        ProblemKind::InvalidJson { message } => {
            Some(RULE.at(problem.pointer.clone(), message.clone()))
        }
        _ => None,
    }
}
