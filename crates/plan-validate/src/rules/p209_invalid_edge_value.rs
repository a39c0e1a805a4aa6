//! P209 invalid-edge-value: an entry of a planner's `after` that is no name. Never dropped silently.

use plan_model::document::{Problem, ProblemKind};
use plan_model::edit::Edit;
use serde_json::Value;

use crate::finding::{Applicability, Expected, Finding, Severity};
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
    let pointer = problem.pointer.clone();
    let is_entry = pointer
        .segments()
        .last()
        .is_some_and(|last| last != "after");
    let (title, edit) = if is_entry {
        (
            "name a step, or take the entry out",
            Edit::Remove { pointer },
        )
    } else {
        let value = Value::Array(Vec::new());
        let edit = Edit::Set { pointer, value };
        ("write `[]` for a step that waits for nothing", edit)
    };
    Some(
        RULE.at(problem.pointer.clone(), message)
            .actual(actual)
            .expected(Expected::Type("the name of a step".to_owned()))
            .suggest(title, Applicability::MaybeIncorrect, Some(edit)),
    )
}
