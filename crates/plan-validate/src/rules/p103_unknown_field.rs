//! P103 unknown-field: a field that the format does not have.

use plan_model::document::{Problem, ProblemKind};

use crate::finding::{Finding, Severity};
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P103",
    "unknown-field",
    Severity::Error,
    include_str!("../../rules/P103-unknown-field.md"),
    Check::Problem(check),
);

fn check(problem: &Problem) -> Option<Finding> {
    let ProblemKind::UnknownField {
        field,
        candidates,
        instead_of,
    } = &problem.kind
    else {
        return None;
    };
    let field = text::quoted(field);
    let message = match instead_of {
        Some(missing) => {
            format!("there is no field {field} here, and the field `{missing}` is missing")
        }
        None => format!("there is no field {field} here"),
    };
    Some(
        RULE.at(problem.pointer.clone(), message)
            .candidates(candidates.iter().cloned()),
    )
}
