//! P110 environment-reference: `${env.X}`, read as `${secret.X}`.

use plan_model::document::{Document, Problem, ProblemKind};
use plan_model::edit::Edit;
use serde_json::Value;

use crate::finding::{Applicability, Finding, Severity};
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

/// The finding with the edit that spells the reference as it is read, where the string allows no second reading.
pub(crate) fn with_edit(finding: Finding, problem: &Problem, document: &Document) -> Finding {
    let ProblemKind::EnvironmentReference { name } = &problem.kind else {
        return finding;
    };
    let Some(Value::String(text)) = document.value_at(&problem.pointer) else {
        return finding;
    };
    let spelled = text.replace(&format!("${{env.{name}}}"), &format!("${{secret.{name}}}"));
    // an escaped dollar, or a reference of several parts, is the author's to change
    if text.contains("$$") || spelled.contains(&format!("env.{name}")) {
        return finding;
    }
    finding.suggest(
        format!("write `${{secret.{}}}`", text::capped(name)),
        Applicability::MachineApplicable,
        Some(Edit::Set {
            pointer: problem.pointer.clone(),
            value: spelled.into(),
        }),
    )
}
