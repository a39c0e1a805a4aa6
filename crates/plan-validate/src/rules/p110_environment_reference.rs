//! P110 environment-reference: `${env.X}`, read as `${secret.X}`.

use plan_model::document::{Problem, ProblemKind};

use crate::finding::{Finding, Severity};
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P110",
    "environment-reference",
    Severity::Note,
    include_str!("../../rules/P110-environment-reference.md"),
    Check::Problem(check),
);

fn check(problem: &Problem) -> Option<Finding> {
    let ProblemKind::EnvironmentReference { name } = &problem.kind else {
        return None;
    };
    let name = text::capped(name);
    let message = format!("`${{env.{name}}}` is read as `${{secret.{name}}}`");
    Some(RULE.at(problem.pointer.clone(), message))
}
