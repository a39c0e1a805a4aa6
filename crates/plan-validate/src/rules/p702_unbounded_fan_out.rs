//! P702 unbounded-fan-out: nothing bounds how often a call that acts is made.

use plan_model::edit::Edit;
use plan_model::{PlanLimits, Pointer, StepKind};
use serde_json::json;

use super::{further, name, place};
use crate::facts::Facts;
use crate::finding::{Applicability, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P702",
    "unbounded-fan-out",
    Severity::Warning,
    include_str!("../../rules/P702-unbounded-fan-out.md"),
    Check::Plan(check),
);

/// What a suggestion writes; the right number is the author's.
const SOME_ITEMS: u64 = 100;

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    if is_limited(facts) {
        return;
    }
    for &index in facts.of_kind(StepKind::FanOut) {
        if facts.most_items(index).is_some() {
            continue;
        }
        let acting = acting(facts, index);
        let Some(first) = acting.first() else {
            continue;
        };
        let message = format!(
            "nothing bounds how often {} acts: the list of {} has no known length, and there is no limit",
            name::of(facts, *first),
            name::of(facts, index),
        );
        let finding = RULE.at(place::config(index, "over"), message).suggest(
            "limit the items of a fan-out",
            Applicability::HasPlaceholders,
            Some(limit(facts)),
        );
        let places = acting
            .iter()
            .map(|step| (place::step(*step), "acts once for each item"));
        findings.add(further::places(finding, places));
    }
}

/// Whether the plan or the policy says how many items, or how many calls, there may be.
fn is_limited(facts: &Facts<'_>) -> bool {
    [&facts.plan.limits, &facts.policy.budgets]
        .iter()
        .any(|limits| limits.max_fan_out_items.is_some() || limits.max_tool_calls.is_some())
}

/// The calls inside a fan-out of which the host said that they change something.
///
/// A fan-out inside it has a finding of its own.
fn acting(facts: &Facts<'_>, fan_out: usize) -> Vec<usize> {
    let body = facts.graph.body(fan_out).iter().copied();
    body.filter(|step| {
        facts.tool(*step).is_some_and(|tool| {
            let effects = tool.spec.effects;
            let writes = effects.read_only.declared && !effects.read_only.holds;
            let destroys = effects.destructive.declared && effects.destructive.holds;
            writes || destroys
        })
    })
    .collect()
}

/// The limit, in the plan's limits or with them.
fn limit(facts: &Facts<'_>) -> Edit {
    let limits = Pointer::root().join("limits");
    if facts.plan.limits == PlanLimits::default() {
        return Edit::Set {
            pointer: limits,
            value: json!({"max_fan_out_items": SOME_ITEMS}),
        };
    }
    Edit::Set {
        pointer: limits.join("max_fan_out_items"),
        value: SOME_ITEMS.into(),
    }
}
