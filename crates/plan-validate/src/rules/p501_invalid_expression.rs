//! P501 invalid-expression: a condition or an `until` that does not parse, or whose types are wrong.

use plan_model::document::{Problem, ProblemKind};
use plan_model::{Expression, ExpressionError, Pointer, StepConfig};

use super::place;
use crate::facts::Facts;
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P501",
    "invalid-expression",
    Severity::Error,
    include_str!("../../rules/P501-invalid-expression.md"),
    Check::Several(&[Check::Problem(problem), Check::Step(check)]),
);

fn problem(problem: &Problem) -> Option<Finding> {
    let ProblemKind::InvalidExpression { error } = &problem.kind else {
        return None;
    };
    Some(finding(problem.pointer.clone(), error))
}

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let (expression, field) = match &visit.step.config {
        StepConfig::Condition(condition) => (Some(&condition.expression), "expression"),
        StepConfig::FanOut(fan) => (fan.until.as_ref(), "until"),
        _ => (None, ""),
    };
    if let Some(expression) = expression {
        type_check(facts, visit, expression, field, findings);
    }
}

fn type_check(
    facts: &Facts<'_>,
    visit: &Visit<'_, '_>,
    expression: &Expression,
    field: &str,
    findings: &mut Findings,
) {
    let errors = expression.type_errors(&|reference| visit.shape_of(facts, reference));
    for error in &errors {
        findings.add(finding(place::config(visit.index, field), error));
    }
}

fn finding(pointer: Pointer, error: &ExpressionError) -> Finding {
    let finding = RULE
        .at(pointer, error.message.clone())
        .within(error.range.clone());
    match &error.suggestion {
        Some(instead) => finding.help(format!("write {}", quoted(instead))),
        None => finding,
    }
}
