//! P701 limit-exceeded: a plan that does more than it, or the policy, allows.

use plan_model::{PlanLimits, Pointer, StepConfig};

use crate::bounds::{self, Bounds, Unknown};
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
    let (own, policy) = (&facts.plan.limits, &facts.policy.budgets);
    if [own, policy]
        .iter()
        .any(|limits| **limits != PlanLimits::default())
    {
        // a list of unknown length counts as one item: the run stops at its budget, and may well stay below
        let bounds = bounds::count(facts, Unknown::One);
        for over in over(&bounds, own) {
            let at = Pointer::root().join("limits").join(over.field);
            let message = over.told("allows itself");
            findings.add(told(at, message, &over.limit));
        }
        for over in over(&bounds, policy) {
            let message = over.told("the policy allows");
            findings.add(told(Pointer::root().join("steps"), message, &over.limit));
        }
    }
    items(facts, findings);
}

/// A bound of the plan that is over a limit.
struct Over {
    field: &'static str,
    what: &'static str,
    most: String,
    limit: String,
}

impl Over {
    fn told(&self, who: &str) -> String {
        let does = self.what.replace("{}", &self.most);
        format!("the plan {does}, and {who} {}", self.limit)
    }
}

fn over(bounds: &Bounds, limits: &PlanLimits) -> Vec<Over> {
    let count = |field, what, most: Option<u64>, limit: Option<u64>| match (most, limit) {
        (Some(most), Some(limit)) if most > limit => Some(Over {
            field,
            what,
            most: most.to_string(),
            limit: limit.to_string(),
        }),
        _ => None,
    };
    let wall = match (bounds.wall_secs, limits.max_wall_secs) {
        (Some(most), Some(limit)) if most > limit => Some(Over {
            field: "max_wall_secs",
            what: "takes up to {} seconds",
            most: most.to_string(),
            limit: limit.to_string(),
        }),
        _ => None,
    };
    let calls = "makes up to {} tool calls";
    let tokens = "makes up to {} tokens of models";
    [
        count(
            "max_steps",
            "has {} steps",
            Some(bounds.steps),
            limits.max_steps,
        ),
        count(
            "max_tool_calls",
            calls,
            Some(bounds.tool_calls),
            limits.max_tool_calls,
        ),
        count(
            "max_model_tokens",
            tokens,
            bounds.tokens,
            limits.max_model_tokens,
        ),
        wall,
    ]
    .into_iter()
    .flatten()
    .collect()
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
        if matches!(step.config, StepConfig::FanOut(_))
            && let Some(length) = facts.most_items(index)
            && length > limit
        {
            let at = step_pointer(index).join("config").join("over");
            let message = format!("the list has up to {length} items, over the limit of {limit}");
            findings.add(told(at, message, &limit.to_string()));
        }
    }
}

fn told(at: Pointer, message: String, limit: &str) -> crate::finding::Finding {
    RULE.at(at, message)
        .expected(Expected::Range(format!("at most {limit}")))
}
