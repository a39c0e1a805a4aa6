//! P701 limit-exceeded: a plan that does more than it, or the policy, allows.

use plan_model::{PlanLimits, Pointer, StepConfig};

use crate::bounds::{self, Unknown};
use crate::facts::{Facts, step_pointer};
use crate::finding::{Expected, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P701",
    "limit-exceeded",
    Severity::Error,
    include_str!("../../rules/P701-limit-exceeded.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    // a list of unknown length counts as one item: the run stops at its budget, and may well stay below
    let bounds = bounds::count(facts, Unknown::One);
    let counts = |limits: &PlanLimits| {
        [
            ("max_steps", "steps", Some(bounds.steps), limits.max_steps),
            (
                "max_tool_calls",
                "tool calls",
                Some(bounds.tool_calls),
                limits.max_tool_calls,
            ),
            (
                "max_model_tokens",
                "tokens of models",
                bounds.tokens,
                limits.max_model_tokens,
            ),
        ]
    };
    for (field, what, most, limit) in counts(&facts.plan.limits) {
        if let (Some(most), Some(limit)) = (most, limit)
            && most > limit
        {
            let at = Pointer::root().join("limits").join(field);
            let message = format!("the plan makes up to {most} {what}, and allows itself {limit}");
            findings.add(told(at, message, limit));
        }
    }
    for (_, what, most, limit) in counts(&facts.policy.budgets) {
        if let (Some(most), Some(limit)) = (most, limit)
            && most > limit
        {
            let at = Pointer::root().join("steps");
            let message =
                format!("the plan makes up to {most} {what}, and the policy allows {limit}");
            findings.add(told(at, message, limit));
        }
    }
    items(facts, findings);
}

fn items(facts: &Facts<'_>, findings: &mut Findings) {
    let limits = [
        facts.plan.limits.max_fan_out_items,
        facts.policy.budgets.max_fan_out_items,
        Some(facts.limits.fan_out_items),
    ];
    let Some(limit) = limits.into_iter().flatten().min() else {
        return;
    };
    for (index, step) in facts.steps() {
        if let StepConfig::FanOut(fan) = &step.config
            && let Some(length) = bounds::known_length(facts, &fan.over.first)
            && length > limit
        {
            let at = step_pointer(index).join("config").join("over");
            let message = format!("the list has {length} items, over the limit of {limit}");
            findings.add(told(at, message, limit));
        }
    }
}

fn told(at: Pointer, message: String, limit: u64) -> crate::finding::Finding {
    RULE.at(at, message)
        .expected(Expected::Range(format!("at most {limit}")))
}
