//! How often steps run: the items of the fan-outs around them.

use plan_model::{StepConfig, StepKind};

use super::Unknown;
use crate::facts::Facts;

/// For each step how often it runs, and for each fan-out how many items it has.
#[derive(Debug)]
pub(super) struct Items {
    /// `None` in a plan without fan-outs.
    counts: Option<Vec<Count>>,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    times: u64,
    items: u64,
}

impl Items {
    pub(super) fn of(facts: &Facts<'_>, unknown: Unknown) -> Self {
        if facts.of_kind(StepKind::FanOut).is_empty() {
            return Self { counts: None };
        }
        let limit = limit(facts);
        let items: Vec<u64> = facts
            .steps()
            .map(|(index, step)| match (&step.config, unknown) {
                (StepConfig::FanOut(_), unknown) => match (facts.most_items(index), unknown) {
                    (Some(length), _) => length,
                    (None, Unknown::Most) => limit,
                    (None, Unknown::One) => 1,
                },
                _ => 0,
            })
            .collect();
        let counts = (0..items.len()).map(|step| Count {
            times: times(facts, step, &items),
            items: items.get(step).copied().unwrap_or(0),
        });
        Self {
            counts: Some(counts.collect()),
        }
    }

    /// How often a step runs.
    pub(super) fn times(&self, step: usize) -> u64 {
        match &self.counts {
            Some(counts) => counts.get(step).map_or(0, |count| count.times),
            None => 1,
        }
    }

    /// The items of a fan-out, each time that it runs.
    pub(super) fn items(&self, fan_out: usize) -> u64 {
        let counts = self.counts.as_ref();
        counts
            .and_then(|counts| counts.get(fan_out))
            .map_or(0, |count| count.items)
    }
}

/// The most items that any fan-out may have.
fn limit(facts: &Facts<'_>) -> u64 {
    let limits = [
        facts.plan.limits.max_fan_out_items,
        facts.policy.budgets.max_fan_out_items,
        Some(facts.limits.fan_out_items),
    ];
    limits.into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// The product of the items of the fan-outs around a step.
fn times(facts: &Facts<'_>, step: usize, items: &[u64]) -> u64 {
    let owners = std::iter::successors(facts.owner(step), |owner| facts.owner(*owner));
    // ownership in a ring is refused elsewhere; here it must only end
    owners.take(facts.limits.depth).fold(1, |times, owner| {
        times.saturating_mul(items.get(owner).copied().unwrap_or(1))
    })
}
