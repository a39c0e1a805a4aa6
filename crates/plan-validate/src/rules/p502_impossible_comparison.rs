//! P502 impossible-comparison: an expression, or a comparison in it, that comes out the same in every run.

use plan_model::{Expression, ImpossibleComparison, OnReject, StepConfig};

use super::{name, place};
use crate::facts::{Facts, answers, decided};
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P502",
    "impossible-comparison",
    Severity::Warning,
    include_str!("../../rules/P502-impossible-comparison.md"),
    Check::Step(check),
);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let (expression, field) = match &visit.step.config {
        StepConfig::Condition(condition) => (&condition.expression, "expression"),
        StepConfig::FanOut(fan) => match &fan.until {
            Some(until) => (until, "until"),
            None => return,
        },
        _ => return,
    };
    for finding in of_expression(facts, visit, expression, field) {
        findings.add(finding);
    }
}

fn of_expression(
    facts: &Facts<'_>,
    visit: &Visit<'_, '_>,
    expression: &Expression,
    field: &str,
) -> Vec<Finding> {
    let step = visit.index;
    let answers = |reference: &_| answers(facts, reference, visit.source_of(facts, reference));
    let shape_of = |reference: &_| match answers(reference) {
        // the words that an approval answers with are no declared choice
        Some((_, [yes, no])) => {
            plan_model::Shape::of_value(&yes).join(&plan_model::Shape::of_value(&no))
        }
        None => visit.shape_of(facts, reference),
    };
    let impossible = expression.impossible_comparisons(&shape_of);
    if !impossible.is_empty() {
        let plain = |reference: &_| visit.shape_of(facts, reference);
        if !expression.type_errors(&plain).is_empty() {
            // a fault of type is P501's
            return Vec::new();
        }
        let at = |found: &ImpossibleComparison| {
            comparison(found, RULE.at(place::config(step, field), wording(found)))
        };
        return impossible.iter().map(at).collect();
    }
    if let Some(result) = constant(facts, step, expression, field) {
        let message = format!("the expression is {result} in every run");
        return vec![RULE.at(place::config(step, field), message)];
    }
    gated(facts, visit, expression, field).into_iter().collect()
}

fn wording(found: &ImpossibleComparison) -> String {
    let ImpossibleComparison {
        operator,
        result,
        left,
        right,
        ..
    } = found;
    let (left, right) = (left.describe(), right.describe());
    match *operator {
        "in" => format!("`in` is always {result}: {left} is never an element of {right}"),
        _ => format!("`{operator}` is always {result}: {left} is never equal to {right}"),
    }
}

/// With what the other side could be, where that is known.
fn comparison(found: &ImpossibleComparison, finding: Finding) -> Finding {
    let finding = finding.within(found.range.clone());
    let choices = match (found.left.choices(), found.right.choices()) {
        (Some(many), Some([_])) | (Some([_]), Some(many)) if many.len() > 1 => many,
        _ => return finding,
    };
    let words: Vec<&str> = choices
        .iter()
        .filter_map(|choice| choice.as_str())
        .collect();
    if words.len() == choices.len() {
        finding.candidates(words)
    } else {
        finding
    }
}

/// What an expression comes to in every run, where anything hinges on it and no step that it makes
/// unreachable says so (P207).
fn constant(facts: &Facts<'_>, step: usize, expression: &Expression, field: &str) -> Option<bool> {
    if field == "until" {
        return expression.outcomes(&|_| None).only();
    }
    match &facts.step(step)?.config {
        StepConfig::Condition(config)
            if config.true_steps.is_empty() && config.false_steps.is_empty() =>
        {
            return None;
        }
        _ => {}
    }
    let result = decided(facts, step)?;
    let told = facts.certain().untaken.iter();
    let mut told = told.filter(|untaken| untaken.condition == step);
    told.next().is_none().then_some(result)
}

/// A look at an approval that has been given whenever the expression is evaluated.
fn gated(
    facts: &Facts<'_>,
    visit: &Visit<'_, '_>,
    expression: &Expression,
    field: &str,
) -> Option<Finding> {
    let step = visit.index;
    if facts.approvals().is_empty() {
        return None;
    }
    expression
        .reference_ranges()
        .into_iter()
        .find_map(|(reference, range)| {
            let source = visit.source_of(facts, reference);
            let (approval, [yes, _]) = answers(facts, reference, source)?;
            let StepConfig::HumanInteraction(ask) = &facts.step(approval)?.config else {
                return None;
            };
            if ask.on_reject != OnReject::Cancel || !facts.is_approved_before(step, approval) {
                return None;
            }
            let message = format!(
                "{} is always {}: {} ends the run when it is rejected",
                quoted(reference.to_string()),
                quoted(yes.to_string()),
                name::of(facts, approval),
            );
            let finding = RULE
                .at(place::config(step, field), message)
                .within(range)
                .related(place::step(approval), "the approval");
            Some(finding.help(format!(
                "leave the condition out, or let {} go on when it is rejected: `on_reject: continue`",
                name::of(facts, approval),
            )))
        })
}
