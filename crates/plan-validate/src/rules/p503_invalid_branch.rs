//! P503 invalid-branch: a branch that its condition cannot choose.
//!
//! A target must exist, wait for its condition, be in one branch only, and run
//! within the same fan-out as the condition, or like it in none.

use std::collections::HashMap;

use plan_model::edit::Edit;
use plan_model::{Condition, StepConfig};
use serde_json::Value;

use super::{name, place, unknown_step};
use crate::facts::{Facts, Naming};
use crate::finding::{Applicability, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P503",
    "invalid-branch",
    Severity::Error,
    include_str!("../../rules/P503-invalid-branch.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    unknown_step::report(&RULE, Naming::Branch, facts, findings);
    for (index, step) in facts.steps() {
        if let StepConfig::Condition(condition) = &step.config {
            check_targets(facts, index, condition, findings);
        }
    }
}

/// One finding for each target at most, at its first place.
fn check_targets(
    facts: &Facts<'_>,
    condition: usize,
    branches: &Condition,
    findings: &mut Findings,
) {
    let mut seen: HashMap<usize, (&str, usize)> = HashMap::new();
    let mut chosen = |field: &'static str, at: usize, target: usize| {
        let pointer = place::config(condition, field).join(at);
        let target_name = name::of(facts, target);
        match seen.insert(target, (field, at)) {
            None => {}
            Some((before, first)) if before != field => {
                let message = format!("{target_name} is in both branches");
                findings.add(RULE.at(pointer, message).related(
                    place::config(condition, before).join(first),
                    "chosen here too",
                ));
                return;
            }
            Some(_) => return,
        }
        let condition_name = name::of(facts, condition);
        if target == condition {
            findings.add(RULE.at(pointer, format!("{target_name} chooses itself")));
        } else if facts.owner(target) != facts.owner(condition) {
            let (message, owner) = match facts.owner(target) {
                Some(owner) => (
                    format!(
                        "{target_name} is in the body of {}, and {condition_name} is not",
                        name::of(facts, owner)
                    ),
                    owner,
                ),
                None => {
                    let Some(owner) = facts.owner(condition) else {
                        return;
                    };
                    (
                        format!(
                            "{condition_name} is in the body of {}, and {target_name} is not",
                            name::of(facts, owner)
                        ),
                        owner,
                    )
                }
            };
            let body = place::config(owner, "spawn_steps");
            findings.add(RULE.at(pointer, message).related(body, "the body"));
        } else if !facts.graph.is_upstream(condition, target) {
            let message = format!("{target_name} does not wait for {condition_name}");
            findings.add(
                RULE.at(pointer, message)
                    .related(place::step(target), "the step that is chosen")
                    .suggest(
                        format!("let {target_name} wait for {condition_name}"),
                        Applicability::MaybeIncorrect,
                        with_dependency(facts, target, condition),
                    ),
            );
        }
    };
    for (field, targets) in [
        ("true_steps", &branches.true_steps),
        ("false_steps", &branches.false_steps),
    ] {
        for (at, target) in targets.iter().enumerate() {
            if let Some(target) = facts.index_of(target) {
                chosen(field, at, target);
            }
        }
    }
}

fn with_dependency(facts: &Facts<'_>, step: usize, dependency: usize) -> Option<Edit> {
    let named = facts.step(step)?.depends_on.iter();
    let names = named.chain([&facts.step(dependency)?.id]);
    Some(Edit::Set {
        pointer: place::step(step).join("depends_on"),
        value: names.map(|id| Value::from(id.as_str())).collect(),
    })
}
