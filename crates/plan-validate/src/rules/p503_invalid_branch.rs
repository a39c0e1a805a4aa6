//! P503 invalid-branch: a branch that its condition cannot choose.
//!
//! A target must exist, wait for its condition, be in one branch only, and run
//! within the same fan-out as the condition, or like it in none.

use plan_model::edit::Edit;
use plan_model::{Condition, Pointer, StepConfig, StepKind};
use serde_json::Value;

use super::{name, place, unknown_step};
use crate::facts::{Facts, Naming};
use crate::finding::{Applicability, Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P503",
    "invalid-branch",
    Severity::Error,
    include_str!("../../rules/P503-invalid-branch.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    unknown_step::report(&RULE, Naming::Branch, facts, findings);
    let mut chosen = vec![None; facts.plan.steps.len()];
    for (index, step) in facts.of_kinds(&[StepKind::Condition]) {
        if let StepConfig::Condition(condition) = &step.config {
            check_targets(facts, (index, condition), &mut chosen, findings);
        }
    }
}

/// Where a step was chosen last.
#[derive(Debug, Clone, Copy)]
struct Choice {
    condition: usize,
    field: &'static str,
    at: usize,
}

/// One finding for each target at most, at its first place or where it is in the other branch.
fn check_targets(
    facts: &Facts<'_>,
    (condition, branches): (usize, &Condition),
    chosen: &mut [Option<Choice>],
    findings: &mut Findings,
) {
    for (field, targets) in [
        ("true_steps", &branches.true_steps),
        ("false_steps", &branches.false_steps),
    ] {
        for (at, id) in targets.iter().enumerate() {
            let Some(target) = facts.index_of(id) else {
                continue;
            };
            let Some(slot) = chosen.get_mut(target) else {
                continue;
            };
            let choice = Choice {
                condition,
                field,
                at,
            };
            let before = slot.replace(choice);
            match before.filter(|before| before.condition == condition) {
                None => {
                    if let Some(finding) = wrong(facts, target, choice) {
                        findings.add(finding);
                    }
                }
                Some(before) if before.field != field => {
                    let message = format!("{} is in both branches", quoted(id));
                    let finding = RULE.at(choice.place(), message);
                    findings.add(finding.related(before.place(), "chosen here too"));
                }
                Some(_) => {}
            }
        }
    }
}

impl Choice {
    fn place(self) -> Pointer {
        place::config(self.condition, self.field).join(self.at)
    }
}

/// What keeps a condition from choosing a target.
fn wrong(facts: &Facts<'_>, target: usize, choice: Choice) -> Option<Finding> {
    let condition = choice.condition;
    let name = |step| name::of(facts, step);
    if target == condition {
        return Some(RULE.at(choice.place(), format!("{} chooses itself", name(target))));
    }
    let (around_target, around_condition) = (facts.owner(target), facts.owner(condition));
    if around_target != around_condition {
        let (inside, outside, owner) = match around_target {
            Some(owner) => (target, condition, owner),
            None => (condition, target, around_condition?),
        };
        let message = format!(
            "{} is in the body of {}, and {} is not",
            name(inside),
            name(owner),
            name(outside),
        );
        let body = place::config(owner, "spawn_steps");
        return Some(RULE.at(choice.place(), message).related(body, "the body"));
    }
    if facts.graph.is_upstream(condition, target) {
        return None;
    }
    let message = format!("{} does not wait for {}", name(target), name(condition));
    let finding = RULE
        .at(choice.place(), message)
        .related(place::step(target), "the step that is chosen");
    if facts.graph.is_upstream(target, condition) {
        return Some(finding.help(format!(
            "{} runs before {}: choose a step that comes after it",
            name(target),
            name(condition)
        )));
    }
    Some(finding.suggest(
        format!("let {} wait for {}", name(target), name(condition)),
        Applicability::MaybeIncorrect,
        with_dependency(facts, target, condition),
    ))
}

fn with_dependency(facts: &Facts<'_>, step: usize, dependency: usize) -> Option<Edit> {
    let before = facts.step(step)?.depends_on.iter();
    let ids = before.chain([&facts.step(dependency)?.id]);
    Some(Edit::Set {
        pointer: place::step(step).join("depends_on"),
        value: ids.map(|id| Value::from(id.as_str())).collect(),
    })
}
