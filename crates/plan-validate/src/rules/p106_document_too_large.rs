//! P106 document-too-large: a document over the limits.

use plan_model::document::{Problem, ProblemKind};

use crate::finding::{Expected, Finding, Severity};
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P106",
    "document-too-large",
    Severity::Error,
    include_str!("../../rules/P106-document-too-large.md"),
    Check::Problem(check),
);

fn check(problem: &Problem) -> Option<Finding> {
    let ProblemKind::TooLarge {
        what,
        actual,
        limit,
    } = &problem.kind
    else {
        return None;
    };
    let message = format!("the document has {actual} {what}, over the limit of {limit}");
    Some(
        RULE.at(problem.pointer.clone(), message)
            .expected(Expected::Range(format!("at most {limit} {what}"))),
    )
}
