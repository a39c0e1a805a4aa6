//! P701 limit-exceeded: a plan that does more than it, or the policy, allows.

use plan_model::{PlanLimits, Pointer, StepKind};

use crate::bounds::{self, Bounds, Share, Unknown};
use crate::facts::{Facts, step_pointer};
use crate::finding::{Expected, Finding, Severity};
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
            let finding = with_shares(facts, &over, told(at, message, &over.limit));
            findings.add(finding.help(format!(
                "{}, or let `{}` of the plan be at least {}",
                over.way_out, over.field, over.most
            )));
        }
        for over in over(&bounds, policy) {
            let message = over.told("the policy allows");
            let at = Pointer::root().join("steps");
            let finding = with_shares(facts, &over, told(at, message, &over.limit));
            findings.add(finding.help(format!(
                "{}, or let `{}` of the policy be at least {}",
                over.way_out, over.field, over.most
            )));
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
    way_out: &'static str,
    share: Share,
}

/// Further places that a finding has at most.
const RELATED: usize = 5;

impl Over {
    fn told(&self, who: &str) -> String {
        let does = self.what.replace("{}", &self.most);
        format!("the plan {does}, and {who} {}", self.limit)
    }
}

fn over(bounds: &Bounds, limits: &PlanLimits) -> Vec<Over> {
    let count = |field, most: Option<u64>, limit: Option<u64>| match (most, limit) {
        (Some(most), Some(limit)) if most > limit => {
            let (what, way_out, share) = match field {
                "max_steps" => ("has {} steps", "do it in fewer steps", Share::None),
                "max_tool_calls" => (
                    "makes up to {} tool calls",
                    "leave out calls, retries or items",
                    Share::Calls,
                ),
                _ => (
                    "makes up to {} tokens of models",
                    "lower `max_tokens`, retries or items",
                    Share::Tokens,
                ),
            };
            Some(Over {
                field,
                what,
                most: most.to_string(),
                limit: limit.to_string(),
                way_out,
                share,
            })
        }
        _ => None,
    };
    let wall = match (bounds.wall_secs, limits.max_wall_secs) {
        (Some(most), Some(limit)) if most > limit => Some(Over {
            field: "max_wall_secs",
            what: "takes up to {} seconds",
            most: most.to_string(),
            limit: limit.to_string(),
            way_out: "shorten timeouts, pauses or retries",
            share: Share::Time,
        }),
        _ => None,
    };
    [
        count("max_steps", Some(bounds.steps), limits.max_steps),
        count(
            "max_tool_calls",
            Some(bounds.tool_calls),
            limits.max_tool_calls,
        ),
        count("max_model_tokens", bounds.tokens, limits.max_model_tokens),
        wall,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// With the steps that the bound is made of, the largest first, and how each comes to its part of it.
fn with_shares(facts: &Facts<'_>, over: &Over, finding: Finding) -> Finding {
    let mut shares = bounds::shares(facts, over.share);
    shares.sort_by_key(|share| std::cmp::Reverse(share.amount));
    let further = shares.len().saturating_sub(RELATED);
    let shown = shares.iter().take(RELATED);
    let finding = shown.fold(finding, |finding, share| {
        finding.related(step_pointer(share.step), share.told.clone())
    });
    match shares.get(RELATED) {
        Some(next) => finding.related(
            step_pointer(next.step),
            format!("and {further} more steps, this one among them"),
        ),
        None => finding,
    }
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
    for index in facts.of_kind(StepKind::FanOut) {
        if let Some(length) = facts.most_items(*index)
            && length > limit
        {
            let at = step_pointer(*index).join("config").join("over");
            let message = format!("the list has up to {length} items, over the limit of {limit}");
            findings.add(told(at, message, &limit.to_string()));
        }
    }
}

fn told(at: Pointer, message: String, limit: &str) -> Finding {
    RULE.at(at, message)
        .expected(Expected::Range(format!("at most {limit}")))
}
