//! What a bound is made of, for those who are told that it is too high.

use plan_model::{Step, StepConfig};

use super::items::Items;
use super::{Unknown, wall};
use crate::facts::Facts;

/// Which bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    /// One that every step has the same part of.
    None,
    /// The calls of tools.
    Calls,
    /// The tokens of models.
    Tokens,
    /// The driven time.
    Time,
}

/// The part of one step.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) step: usize,
    pub(crate) amount: u64,
    /// How it comes to that.
    pub(crate) told: String,
}

/// The parts of a bound, in plan order, without those of nothing.
///
/// They are what each step can use alone: of branches only the larger one counts, and time is spent side by side.
pub(crate) fn shares(facts: &Facts<'_>, share: Share) -> Vec<Part> {
    let items = Items::of(facts, Unknown::One);
    let part = |(index, step): (usize, &Step)| {
        let times = items.times(index);
        let attempts = step.retry.as_ref().map_or(1, |retry| retry.max_attempts);
        let (each, unit) = match (share, &step.config) {
            (Share::Calls, StepConfig::ToolCall(_)) => (1, "tool call"),
            (Share::Tokens, StepConfig::PromptCall(call)) => (call.max_tokens?, "token"),
            (Share::Time, _) => return time(facts, (index, step), times, attempts),
            _ => return None,
        };
        let amount = each.saturating_mul(times).saturating_mul(attempts);
        let told = format!(
            "{}{}{}",
            counted(amount, unit),
            if attempts > 1 || times > 1 { ":" } else { "" },
            factors(times, attempts)
        );
        Some(Part {
            step: index,
            amount,
            told,
        })
    };
    facts.steps().filter_map(part).collect()
}

fn time(
    facts: &Facts<'_>,
    (index, step): (usize, &Step),
    times: u64,
    attempts: u64,
) -> Option<Part> {
    let limit = wall::limit(facts, index, step)?.as_millis();
    let pauses = step.retry.as_ref().map_or(0, wall::pauses);
    let once = limit.saturating_mul(attempts).saturating_add(pauses);
    let mut told = format!("up to {}", seconds(once.saturating_mul(times)));
    if times > 1 || attempts > 1 {
        told = format!(
            "{told}: {} each,{}",
            seconds(limit),
            factors(times, attempts)
        );
    }
    if pauses > 0 {
        told = format!("{told}, and {} of pauses", seconds(pauses));
    }
    Some(Part {
        step: index,
        amount: once.saturating_mul(times),
        told,
    })
}

fn factors(times: u64, attempts: u64) -> String {
    let mut factors = String::new();
    if attempts > 1 {
        factors = format!(" {attempts} attempts");
    }
    if times > 1 {
        let of = if attempts > 1 { " of each of" } else { "" };
        factors = format!("{factors}{of} {times} items");
    }
    factors
}

fn counted(amount: u64, unit: &str) -> String {
    match amount {
        1 => format!("1 {unit}"),
        _ => format!("{amount} {unit}s"),
    }
}

fn seconds(millis: u64) -> String {
    match millis % 1000 {
        0 => format!("{} s", millis / 1000),
        rest => format!("{}.{rest:03} s", millis / 1000),
    }
}
