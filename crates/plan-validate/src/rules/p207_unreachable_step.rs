//! P207 unreachable-step: a step that no run can ever reach.
//!
//! Only the first step of a way is named; what waits for it is no finding of its own.

use plan_model::{Join, Path, Root, Scope, ScopeValue, Step, StepConfig};
use serde_json::Value;

use super::{name, place};
use crate::facts::Facts;
use crate::finding::{Applicability, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P207",
    "unreachable-step",
    Severity::Warning,
    include_str!("../../rules/P207-unreachable-step.md"),
    Check::Plan(check),
);

/// An expression without references is the same in every run.
struct Nothing;

impl Scope for Nothing {
    fn root(&self, _: &Path) -> Option<ScopeValue<'_>> {
        None
    }
}

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    for (index, step) in facts.steps() {
        check_join(facts, index, step, findings);
        match &step.config {
            StepConfig::Condition(condition) => {
                if !condition.expression.references().is_empty() {
                    continue;
                }
                let (targets, result) = match condition.expression.evaluate(&Nothing) {
                    Ok(true) => (&condition.false_steps, "holds"),
                    Ok(false) => (&condition.true_steps, "fails"),
                    // an expression that is wrong is P501's
                    Err(_) => continue,
                };
                let why = format!("{} always {result}", name::of(facts, index));
                let expression = place::config(index, "expression");
                for target in targets.iter().filter_map(|id| facts.index_of(id)) {
                    let message = format!("{} can never run: {why}", name::of(facts, target));
                    findings.add(
                        RULE.at(place::step(target), message)
                            .related(expression.clone(), "the same in every run"),
                    );
                }
            }
            StepConfig::FanOut(fan) => {
                let [first, ..] = facts.graph.body(index) else {
                    continue;
                };
                if is_empty_list(facts, &fan.over.first) && fan.over.otherwise.is_empty() {
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
            _ => {}
        }
    }
}

/// `any` asks for one dependency that succeeded, and there is none.
fn check_join(facts: &Facts<'_>, index: usize, step: &Step, findings: &mut Findings) {
    let waits = step.depends_on.is_empty() && facts.graph.raw_dependencies(index).is_empty();
    if step.join == Join::Any && waits {
        let place = place::step(index).join("join");
        let message = format!(
            "{} can never run: it joins `any` of no dependencies",
            name::of(facts, index)
        );
        findings.add(RULE.at(place.clone(), message).suggest(
            "remove the join",
            Applicability::MaybeIncorrect,
            Some(plan_model::edit::Edit::Remove { pointer: place }),
        ));
    }
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
