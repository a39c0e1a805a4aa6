//! The most that a plan can do, counted before it runs.

use plan_model::{Path, Root, StepConfig, StepId};
use serde::Serialize;

use crate::facts::Facts;
use crate::grant::{Approval, Grant};

/// The most that a plan can do. Every number is an upper bound, retries and items included.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Bounds {
    /// Steps of the plan.
    pub steps: u64,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Questions to models.
    pub model_calls: u64,
    /// Tokens of their answers; absent where a step sets no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Attempts of all kinds.
    pub attempts: u64,
    /// Items of all fan-outs.
    pub items: u64,
    /// What a person will be asked, in plan order.
    pub asks: Vec<Ask>,
}

/// Something that a person will be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Ask {
    /// The step that asks.
    pub step: StepId,
    /// Why.
    pub reason: String,
}

/// How lists of unknown length are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// As long as the limits allow.
    Most,
    /// As one item: what the plan does in any case.
    One,
}

/// Counts a plan.
pub(crate) fn count(facts: &Facts<'_>, unknown: Unknown) -> Bounds {
    let items = items(facts, unknown);
    let mut bounds = Bounds {
        steps: facts.plan.steps.len() as u64,
        tokens: Some(0),
        ..Bounds::default()
    };
    for (index, step) in facts.steps() {
        let times = times(facts, index, &items);
        let attempts = step.retry.as_ref().map_or(1, |retry| retry.max_attempts);
        let all = times.saturating_mul(attempts);
        bounds.attempts = bounds.attempts.saturating_add(all);
        match &step.config {
            StepConfig::ToolCall(_) => bounds.tool_calls = bounds.tool_calls.saturating_add(all),
            StepConfig::PromptCall(call) => {
                bounds.model_calls = bounds.model_calls.saturating_add(all);
                let tokens = call.max_tokens.map(|tokens| tokens.saturating_mul(all));
                bounds.tokens = match (bounds.tokens, tokens) {
                    (Some(sum), Some(tokens)) => Some(sum.saturating_add(tokens)),
                    _ => None,
                };
            }
            StepConfig::AgentCall(_) => bounds.tokens = None,
            StepConfig::FanOut(_) => {
                let own = items.get(index).copied().flatten().unwrap_or(0);
                bounds.items = bounds.items.saturating_add(own.saturating_mul(times));
            }
            _ => {}
        }
    }
    bounds
}

impl Bounds {
    /// With what a person will be asked under a grant.
    pub(crate) fn with_asks(mut self, facts: &Facts<'_>, grant: &Grant) -> Self {
        for (_, step) in facts.steps() {
            let reason = match (&step.config, grant.site(&step.id)) {
                (StepConfig::HumanInteraction(ask), _) if ask.approval_required => {
                    "the plan asks for an approval".to_owned()
                }
                (StepConfig::HumanInteraction(_), _) => "the plan asks a question".to_owned(),
                (_, Some(site)) => match &site.approval {
                    Approval::AskAtCall(reason) => reason.clone(),
                    _ => continue,
                },
                _ => continue,
            };
            self.asks.push(Ask {
                step: step.id.clone(),
                reason,
            });
        }
        self
    }
}

/// For each step that is a fan-out: its most items.
fn items(facts: &Facts<'_>, unknown: Unknown) -> Vec<Option<u64>> {
    let limits = [
        facts.plan.limits.max_fan_out_items,
        facts.policy.budgets.max_fan_out_items,
        Some(facts.limits.fan_out_items),
    ];
    let most = limits.into_iter().flatten().min().unwrap_or(u64::MAX);
    facts
        .steps()
        .map(|(_, step)| match &step.config {
            StepConfig::FanOut(fan) => {
                let known = known_length(facts, &fan.over.first);
                Some(match (known, unknown) {
                    (Some(length), _) => length,
                    (None, Unknown::Most) => most,
                    (None, Unknown::One) => 1,
                })
            }
            _ => None,
        })
        .collect()
}

/// The length of a list that stands in the plan.
pub(crate) fn known_length(facts: &Facts<'_>, over: &Path) -> Option<u64> {
    match &over.root {
        Root::Config(key) if over.segments.is_empty() => {
            let list = facts.plan.config.get(key)?.as_array()?;
            Some(list.len() as u64)
        }
        _ => None,
    }
}

/// How often a step runs: the product of the items of the fan-outs around it.
fn times(facts: &Facts<'_>, step: usize, items: &[Option<u64>]) -> u64 {
    let mut times = 1_u64;
    let mut at = step;
    // ownership in a ring is refused elsewhere; here it must only end
    for _ in 0..=facts.limits.depth {
        let Some(owner) = facts.owner(at) else {
            return times;
        };
        let own = items.get(owner).copied().flatten().unwrap_or(1);
        times = times.saturating_mul(own);
        at = owner;
    }
    times
}
