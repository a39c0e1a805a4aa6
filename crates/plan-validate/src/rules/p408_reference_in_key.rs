//! P408 reference-in-key: a reference where only plain text can stand: an object key, an id, the name of a tool.

use plan_model::document::{Problem, ProblemKind};

use crate::finding::{Finding, Severity};
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P408",
    "reference-in-key",
    Severity::Error,
    include_str!("../../rules/P408-reference-in-key.md"),
    Check::Problem(problem),
);

fn problem(problem: &Problem) -> Option<Finding> {
    let ProblemKind::MisplacedReference { place } = problem.kind else {
        return None;
    };
    let message = format!("{place} cannot be a reference");
    let finding = RULE.at(problem.pointer.clone(), message);
    Some(finding.help("what a plan may touch is fixed before it runs: write the name itself"))
}
