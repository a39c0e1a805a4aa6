//! P107 invalid-id: a name outside its grammar.

use plan_model::document::{Problem, ProblemKind};

use crate::finding::{Expected, Finding, Severity};
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P107",
    "invalid-id",
    Severity::Error,
    include_str!("../../rules/P107-invalid-id.md"),
    Check::Problem(check),
);

fn check(problem: &Problem) -> Option<Finding> {
    let ProblemKind::InvalidId {
        what,
        text,
        error,
        grammar,
    } = &problem.kind
    else {
        return None;
    };
    let message = format!("{} is not {what}: it {error}", text::quoted(text));
    let finding = RULE.at(problem.pointer.clone(), message).actual(text);
    Some(finding.expected(Expected::Type((*grammar).to_owned())))
}
