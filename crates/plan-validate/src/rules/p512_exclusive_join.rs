//! P512 exclusive-join: a step that waits for all of several branches that exclude each other.
//!
//! For every step the rule knows which results its conditions must have for the
//! step to run: its own branches', and under `join: all` those of everything
//! that it waits for, since each of these must have succeeded; under `any` those
//! that all of them share. A step that needs a condition to hold and not to hold
//! never runs.

mod needs;

use plan_model::edit::Edit;
use plan_model::{Join, StepConfig};

use super::{name, place};
use crate::facts::Facts;
use crate::finding::{Applicability, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use needs::Conflict;

pub(super) const RULE: Rule = Rule::new(
    "P512",
    "exclusive-join",
    Severity::Error,
    include_str!("../../rules/P512-exclusive-join.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    for conflict in needs::conflicts(facts) {
        // a join that could not be read is not the default one
        if !facts.is_unread(&place::step(conflict.step).join("join")) {
            report(facts, conflict, findings);
        }
    }
}

fn report(facts: &Facts<'_>, conflict: Conflict, findings: &mut Findings) {
    let Conflict {
        step,
        condition,
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
        "{} can never run: {} only where {} holds, and {} only where it does not",
        name::of(facts, step),
        needs(when_true),
        name::of(facts, condition),
        needs(when_false),
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
