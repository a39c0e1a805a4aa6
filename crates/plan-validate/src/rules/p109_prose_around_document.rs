//! P109 prose-around-document: what was cut around the document in a model's answer.

use plan_model::document::{Problem, ProblemKind};

use crate::finding::{Finding, Severity};
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P109",
    "prose-around-document",
    Severity::Note,
    include_str!("../../rules/P109-prose-around-document.md"),
    Check::Problem(check),
);

fn check(problem: &Problem) -> Option<Finding> {
    match &problem.kind {
        ProblemKind::ProseAround { cut } => {
            Some(RULE.at(problem.pointer.clone(), format!("cut {cut}")))
        }
        _ => None,
    }
}
