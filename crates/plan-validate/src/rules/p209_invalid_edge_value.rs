//! P209 invalid-edge-value: an entry of a planner's `after` that is no name. Never dropped silently.

use plan_model::document::{Problem, ProblemKind};

use crate::finding::{Expected, Finding, Severity};
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P209",
    "invalid-edge-value",
    Severity::Error,
    include_str!("../../rules/P209-invalid-edge-value.md"),
    Check::Problem(problem),
);

fn problem(problem: &Problem) -> Option<Finding> {
    let ProblemKind::InvalidEdgeValue { actual } = &problem.kind else {
        return None;
    };
    let message = "`after` holds something that is not the name of a step";
    Some(
        RULE.at(problem.pointer.clone(), message)
            .actual(actual)
            .expected(Expected::Type("the name of a step".to_owned()))
            .help("write `[]` for a step that waits for nothing"),
    )
}
