//! P104 wrong-shape: a value of the wrong type, a missing field, an unknown word.

use plan_model::document::{Problem, ProblemKind};

use crate::finding::{Expected, Finding, Severity};
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P104",
    "wrong-shape",
    Severity::Error,
    include_str!("../../rules/P104-wrong-shape.md"),
    Check::Problem(check),
);

fn check(problem: &Problem) -> Option<Finding> {
    let at = problem.pointer.clone();
    match &problem.kind {
        ProblemKind::MissingField { field } => {
            Some(RULE.at(at, format!("the field `{field}` is missing")))
        }
        ProblemKind::WrongShape {
            expected,
            one_of,
            actual,
        } => {
            // the reader has quoted and capped what stands there
            let message = format!("{actual} is not {expected}");
            let finding = RULE.at(at, message).actual(actual);
            Some(if one_of.is_empty() {
                finding.expected(Expected::Type(expected.clone()))
            } else {
                finding.candidates(one_of.iter().cloned())
            })
        }
        _ => None,
    }
}
