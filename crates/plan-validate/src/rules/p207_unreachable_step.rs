//! P207 unreachable-step: a step that no run can ever reach.
//!
//! Only the first step of a way is named; what waits for it is no finding of its own.

use plan_model::{OnReject, Path, Root, StepConfig, StepKind};
use serde_json::Value;

use super::p512_exclusive_join::{holds, holds_not};
use super::{name, place};
use crate::facts::{Conflict, Facts, Untaken};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P207",
    "unreachable-step",
    Severity::Warning,
    include_str!("../../rules/P207-unreachable-step.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let certain = facts.certain();
    for untaken in &certain.untaken {
        report_untaken(facts, *untaken, findings);
    }
    for conflict in &certain.conflicts {
        report_unchosen(facts, conflict, findings);
    }
    for (index, step) in facts.of_kinds(&[StepKind::FanOut]) {
        let StepConfig::FanOut(fan) = &step.config else {
            continue;
        };
        let [first, ..] = facts.graph.body(index) else {
            continue;
        };
        if is_empty_list(facts, fan.over.first()) && fan.over.otherwise().is_empty() {
            let message = format!(
                "{} can never run: {} has no items",
                name::of(facts, *first),
                name::of(facts, index),
            );
            findings.add(
                RULE.at(place::step(*first), message)
                    .related(place::config(index, "over"), "an empty list"),
            );
        }
    }
}

/// A branch of a condition that comes out the other way in every run.
fn report_untaken(facts: &Facts<'_>, untaken: Untaken, findings: &mut Findings) {
    let result = if untaken.always { "holds" } else { "fails" };
    let message = format!(
        "{} can never run: {} always {result}",
        name::of(facts, untaken.step),
        name::of(facts, untaken.condition),
    );
    let expression = place::config(untaken.condition, "expression");
    findings.add(
        RULE.at(place::step(untaken.step), message)
            .related(expression, "the same in every run"),
    );
}

/// A step whose conditions, one with the other, never choose it.
fn report_unchosen(facts: &Facts<'_>, conflict: &Conflict, findings: &mut Findings) {
    if conflict.when_true.is_some() || conflict.when_false.is_some() {
        return;
    }
    let asked = facts.step(conflict.outcome).map(|step| &step.config);
    // a condition about an approval that ends the run when it is rejected is P502's
    if matches!(asked, Some(StepConfig::HumanInteraction(ask)) if ask.on_reject == OnReject::Cancel)
    {
        return;
    }
    let message = format!(
        "{} can never run: it is chosen only where {}, and only where {}",
        name::of(facts, conflict.step),
        holds(facts, conflict.outcome),
        holds_not(facts, conflict.outcome),
    );
    let mut finding = RULE.at(place::step(conflict.step), message);
    for (condition, result) in facts.graph.branch_of(conflict.step) {
        let note = if *result {
            "chosen where this holds"
        } else {
            "chosen where this does not hold"
        };
        finding = finding.related(place::config(*condition, "expression"), note);
    }
    findings.add(finding);
}

/// Whether a path leads to a config value that is an empty list.
fn is_empty_list(facts: &Facts<'_>, path: &Path) -> bool {
    match &path.root {
        Root::Config(key) if path.segments.is_empty() => facts
            .plan
            .config
            .get(key)
            .and_then(Value::as_array)
            .is_some_and(Vec::is_empty),
        _ => false,
    }
}
