//! P512 exclusive-join: a step that waits for all of several branches that exclude each other.
//!
//! What a step needs is what is certain when it starts: see [`crate::facts::Certain`].

use plan_model::edit::Edit;
use plan_model::{Join, StepConfig};

use super::{name, place};
use crate::facts::{Conflict, Facts};
use crate::finding::{Applicability, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P512",
    "exclusive-join",
    Severity::Error,
    include_str!("../../rules/P512-exclusive-join.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    for conflict in &facts.certain().conflicts {
        // a step that its conditions alone never choose is P207's
        let waits = conflict.when_true.is_some() || conflict.when_false.is_some();
        // a join that could not be read is not the default one
        if waits && !facts.is_unread(&place::step(conflict.step).join("join")) {
            report(facts, *conflict, findings);
        }
    }
}

/// When something happens that needs an outcome: `X holds`, or `X was approved`.
pub(super) fn holds(facts: &Facts<'_>, outcome: usize) -> String {
    let is_condition = matches!(
        facts.step(outcome).map(|step| &step.config),
        Some(StepConfig::Condition(_))
    );
    let verb = if is_condition {
        "holds"
    } else {
        "was approved"
    };
    format!("{} {verb}", name::of(facts, outcome))
}

/// The opposite, after it was named.
pub(super) fn holds_not(facts: &Facts<'_>, outcome: usize) -> &'static str {
    match facts.step(outcome).map(|step| &step.config) {
        Some(StepConfig::Condition(_)) => "it does not",
        _ => "it was not",
    }
}

fn report(facts: &Facts<'_>, conflict: Conflict, findings: &mut Findings) {
    let Conflict {
        step,
        outcome: condition,
        when_true,
        when_false,
    } = conflict;
    let Some(config) = facts.step(step) else {
        return;
    };
    let needs = |needed: Option<usize>| match needed {
        Some(dependency) => format!("{} runs", name::of(facts, dependency)),
        None => "it is chosen".to_owned(),
    };
    let message = format!(
        "{} can never run: {} only where {}, and {} only where {}",
        name::of(facts, step),
        needs(when_true),
        holds(facts, condition),
        needs(when_false),
        holds_not(facts, condition),
    );
    let pointer = if config.depends_on.is_empty() {
        place::step(step)
    } else {
        place::step(step).join("depends_on")
    };
    let mut finding = RULE.at(pointer, message);
    if matches!(
        facts.step(condition).map(|step| &step.config),
        Some(StepConfig::Condition(_))
    ) {
        finding = finding
            .related(place::config(condition, "true_steps"), "one branch")
            .related(place::config(condition, "false_steps"), "the other");
    }
    // where the step is itself a branch, another join does not help
    if config.join == Join::All && when_true.is_some() && when_false.is_some() {
        finding = finding.suggest(
            "run it after whichever of them was chosen",
            Applicability::MaybeIncorrect,
            Some(Edit::Set {
                pointer: place::step(step).join("join"),
                value: "any".into(),
            }),
        );
    }
    findings.add(finding);
}
