//! P105 inexact-number: a number that cannot be held exactly.

use plan_model::document::{Problem, ProblemKind};

use crate::finding::{Finding, Severity};
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P105",
    "inexact-number",
    Severity::Error,
    include_str!("../../rules/P105-inexact-number.md"),
    Check::Problem(check),
);

fn check(problem: &Problem) -> Option<Finding> {
    let ProblemKind::InexactNumber { text } = &problem.kind else {
        return None;
    };
    let message = format!("the number {} cannot be held exactly", text::quoted(text));
    Some(
        RULE.at(problem.pointer.clone(), message)
            .help("write it as a string, or with at most 17 significant digits"),
    )
}
