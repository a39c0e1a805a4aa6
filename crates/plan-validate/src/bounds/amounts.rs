//! Sums over a plan in which of two branches only the larger one counts.

use plan_model::{Step, StepConfig};

use super::items::Items;
use crate::facts::Facts;

/// What some steps can use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amounts {
    pub(super) tool_calls: u64,
    pub(super) model_calls: u64,
    /// `None` where there is no bound.
    pub(super) tokens: Option<u64>,
    pub(super) attempts: u64,
    pub(super) items: u64,
    pub(super) asks: u64,
    /// Shares of time, in the unit of `wall`; `None` where there is no bound.
    pub(super) share: Option<u128>,
}

impl Amounts {
    pub(super) const NONE: Self = Self {
        tool_calls: 0,
        model_calls: 0,
        tokens: Some(0),
        attempts: 0,
        items: 0,
        asks: 0,
        share: Some(0),
    };

    /// What one step uses in calls, tokens, attempts and items, over all its items and retries.
    pub(super) fn of(step: &Step, index: usize, items: &Items) -> Self {
        let times = items.times(index);
        let attempts = step.retry.as_ref().map_or(1, |retry| retry.max_attempts);
        let all = times.saturating_mul(attempts);
        let mut amounts = Self {
            attempts: all,
            ..Self::NONE
        };
        match &step.config {
            StepConfig::ToolCall(_) => amounts.tool_calls = all,
            StepConfig::PromptCall(call) => {
                amounts.model_calls = all;
                amounts.tokens = call.max_tokens.map(|tokens| tokens.saturating_mul(all));
            }
            StepConfig::AgentCall(_) => amounts.tokens = None,
            StepConfig::FanOut(_) => amounts.items = items.items(index).saturating_mul(times),
            _ => {}
        }
        amounts
    }

    fn plus(&mut self, other: &Self) {
        self.tool_calls = self.tool_calls.saturating_add(other.tool_calls);
        self.model_calls = self.model_calls.saturating_add(other.model_calls);
        self.tokens = both(self.tokens, other.tokens, u64::saturating_add);
        self.attempts = self.attempts.saturating_add(other.attempts);
        self.items = self.items.saturating_add(other.items);
        self.asks = self.asks.saturating_add(other.asks);
        self.share = both(self.share, other.share, u128::saturating_add);
    }

    /// The larger of both, amount by amount.
    fn or(&self, other: &Self) -> Self {
        Self {
            tool_calls: self.tool_calls.max(other.tool_calls),
            model_calls: self.model_calls.max(other.model_calls),
            tokens: both(self.tokens, other.tokens, u64::max),
            attempts: self.attempts.max(other.attempts),
            items: self.items.max(other.items),
            asks: self.asks.max(other.asks),
            share: both(self.share, other.share, u128::max),
        }
    }
}

/// Where one has no bound, neither have both.
fn both<T>(a: Option<T>, b: Option<T>, with: fn(T, T) -> T) -> Option<T> {
    Some(with(a?, b?))
}

/// The most that any run can use, given what each step does over all its items.
///
/// Each step belongs to one guard at most, and a step runs only if its guard's condition
/// ran and chose it: so what a condition brings about is at most the larger of its sides.
pub(super) fn most(facts: &Facts<'_>, of_step: &dyn Fn(usize) -> Amounts) -> Amounts {
    let guards = facts.guards();
    let mut total = Amounts::NONE;
    let Some(order) = facts.graph.order().filter(|_| !guards.is_empty()) else {
        for step in 0..facts.plan.steps.len() {
            total.plus(&of_step(step));
        }
        return total;
    };
    let mut sides: Vec<Option<Box<[Amounts; 2]>>> = vec![None; facts.plan.steps.len()];
    // what a condition guards comes after it
    for step in order.iter().rev() {
        let mut amounts = of_step(*step);
        if let Some([fails, holds]) = sides.get_mut(*step).and_then(Option::take).as_deref() {
            amounts.plus(&fails.or(holds));
        }
        let into = guards.guard(facts, *step).and_then(|guard| {
            let sides = sides.get_mut(guard.condition)?;
            let sides = sides.get_or_insert_with(|| Box::new([Amounts::NONE; 2]));
            sides.get_mut(usize::from(guard.side))
        });
        into.unwrap_or(&mut total).plus(&amounts);
    }
    total
}
