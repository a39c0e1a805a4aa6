//! P102 duplicate-key: a member that is named twice.

use plan_model::document::{Problem, ProblemKind};

use crate::finding::{Finding, Severity};
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P102",
    "duplicate-key",
    Severity::Error,
    include_str!("../../rules/P102-duplicate-key.md"),
    Check::Problem(check),
);

fn check(problem: &Problem) -> Option<Finding> {
    let ProblemKind::DuplicateKey { key, first } = &problem.kind else {
        return None;
    };
    let message = format!("the member {} is there twice", text::quoted(key));
    Some(RULE.at(problem.pointer.clone(), message).related_span(
        problem.pointer.clone(),
        *first,
        "the first one",
    ))
}
