//! The most driven time that a run can use.
//!
//! Every effect is a task of bounded length on one of `k` equal slots: the
//! plan's, or those of its tool. A run starts whatever is ready as soon as a slot
//! is free, which is list scheduling, so Graham's argument holds (R. L. Graham,
//! "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17, 1969):
//! stop the clock while a pool of slots is full. On that clock nothing ever
//! waits, and the run takes no longer than its critical path; off that clock `k`
//! tasks are worked on. With the work `w` and the pauses `d` of each task
//!
//! ```text
//! time <= sum of w / k  +  longest path over d + w (1 - 1/k)
//! ```
//!
//! which for a chain is the sum of its tasks, and for independent tasks in one
//! slot as well. A fan-out is a task of its own on the path: `n` items, `m` at a
//! time, are at most `ceil(n/m)` items after each other.

use plan_model::{Retry, Seconds, Step, StepConfig};

use super::amounts::{self, Amounts};
use super::items::Items;
use crate::facts::Facts;

/// Effects at one time where neither plan nor policy says how many.
const MAX_CONCURRENCY: u64 = 64;

/// The longest pause before another attempt, whatever the plan says: a day.
const LONGEST_PAUSE: u64 = 24 * 60 * 60 * 1000;

/// A millisecond in parts, so that shares of it add up.
const PARTS: u128 = 1 << 40;

/// What one task adds to the time of a run.
#[derive(Debug, Clone, Copy)]
struct Task {
    /// To the sum.
    share: u128,
    /// To the path that it is on.
    path: u128,
}

/// The most driven time, to the millisecond; `None` where something has no bound.
pub(super) fn most(facts: &Facts<'_>, items: &Items) -> Option<Seconds> {
    let order = facts.graph.order()?;
    let slots = slots(facts);
    let mut tasks: Vec<Task> = Vec::with_capacity(facts.plan.steps.len());
    for (index, step) in facts.steps() {
        tasks.push(task(facts, index, step, slots)?);
    }
    for step in order {
        fan_out(facts, *step, items, &mut tasks);
    }
    let share = amounts::most(facts, &|step| {
        // the shares of a body are its owner's
        let task = tasks.get(step).filter(|_| facts.owner(step).is_none());
        Amounts {
            share: Some(task.map_or(0, |task| task.share)),
            ..Amounts::NONE
        }
    });
    let parts = share
        .share?
        .saturating_add(longest_path(facts, order, &tasks));
    let millis = parts.div_ceil(PARTS);
    Some(Seconds::from_millis(
        u64::try_from(millis).unwrap_or(u64::MAX),
    ))
}

fn slots(facts: &Facts<'_>) -> u64 {
    let limits = [&facts.plan.limits, &facts.policy.budgets];
    let limits = limits.iter().filter_map(|limits| limits.max_concurrency);
    limits.min().unwrap_or(MAX_CONCURRENCY).max(1)
}

/// One step alone, all its attempts; `None` where an attempt has no bound.
fn task(facts: &Facts<'_>, index: usize, step: &Step, slots: u64) -> Option<Task> {
    if !is_effect(&step.config) {
        return Some(Task { share: 0, path: 0 });
    }
    let own = facts.tool(index).and_then(|tool| tool.spec.max_concurrency);
    let slots = own.map_or(slots, |own| own.clamp(1, slots));
    let limit = limit(facts, index, step)?;
    let attempts = step.retry.as_ref().map_or(1, |retry| retry.max_attempts);
    let work = parts(limit.as_millis()).saturating_mul(attempts.into());
    let share = work / u128::from(slots);
    let pauses = step.retry.as_ref().map_or(0, pauses);
    Some(Task {
        share,
        path: parts(pauses).saturating_add(work - share),
    })
}

/// Whether a step takes time: people are waited for off the clock, and the rest takes none.
fn is_effect(config: &StepConfig) -> bool {
    match config {
        StepConfig::ToolCall(_)
        | StepConfig::CodeCall(_)
        | StepConfig::AgentCall(_)
        | StepConfig::PromptCall(_) => true,
        StepConfig::HumanInteraction(_)
        | StepConfig::Condition(_)
        | StepConfig::FanOut(_)
        | StepConfig::FanIn(_) => false,
    }
}

/// How long one attempt of an effect takes at most; `None` where it has no bound, and for other steps.
pub(super) fn limit(facts: &Facts<'_>, index: usize, step: &Step) -> Option<Seconds> {
    let limit = match &step.config {
        StepConfig::ToolCall(_) => facts.tool(index).and_then(|tool| tool.spec.timeout),
        StepConfig::CodeCall(call) => call.timeout_secs,
        StepConfig::AgentCall(call) => call.timeout_secs,
        config if is_effect(config) => None,
        _ => return None,
    };
    match (step.timeout_secs, limit) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b).or_else(|| around(facts, index)),
    }
}

/// The timeout of the nearest fan-out that has one: it ends whatever its body is doing.
fn around(facts: &Facts<'_>, step: usize) -> Option<Seconds> {
    let owners = std::iter::successors(facts.owner(step), |owner| facts.owner(*owner));
    owners
        .take(facts.limits.depth)
        .find_map(|owner| facts.step(owner)?.timeout_secs)
}

fn parts(millis: u64) -> u128 {
    u128::from(millis).saturating_mul(PARTS)
}

/// All pauses between the attempts, without jitter, which only shortens them; in milliseconds.
pub(super) fn pauses(retry: &Retry) -> u64 {
    let cap = retry
        .max_delay_secs
        .map_or(LONGEST_PAUSE, Seconds::as_millis)
        .min(LONGEST_PAUSE);
    let mut pause = retry.delay_secs.as_millis().min(cap);
    let count = retry.max_attempts.saturating_sub(1);
    if !retry.backoff || pause == 0 {
        return pause.saturating_mul(count);
    }
    let mut all: u64 = 0;
    for made in 0..count {
        if pause == cap {
            return all.saturating_add(cap.saturating_mul(count - made));
        }
        all = all.saturating_add(pause);
        pause = pause.saturating_mul(2).min(cap);
    }
    all
}

/// Makes a task of a fan-out whose body is known. Bodies come before their owners.
fn fan_out(facts: &Facts<'_>, index: usize, items: &Items, tasks: &mut [Task]) {
    let Some(Step {
        config: StepConfig::FanOut(fan),
        timeout_secs,
        ..
    }) = facts.step(index)
    else {
        return;
    };
    let (mut share, mut path) = (0_u128, 0_u128);
    let body = facts.graph.body(index).iter();
    for task in body.filter_map(|step| tasks.get(*step)) {
        share = share.saturating_add(task.share);
        path = path.saturating_add(task.path);
    }
    let count = items.items(index);
    let side_by_side = fan.max_parallel.max(1).min(count);
    share = share.saturating_mul(count.into());
    path = path.saturating_mul(count.div_ceil(side_by_side.max(1)).into());
    if let Some(limit) = timeout_secs.map(|limit| parts(limit.as_millis())) {
        path = path.min(limit);
        share = share.min(limit.saturating_mul(side_by_side.into()));
    }
    if let Some(task) = tasks.get_mut(index) {
        *task = Task { share, path };
    }
}

/// The longest path over the main flow.
fn longest_path(facts: &Facts<'_>, order: &[usize], tasks: &[Task]) -> u128 {
    let mut ends = vec![0_u128; tasks.len()];
    let mut longest = 0;
    for step in order.iter().filter(|step| facts.owner(**step).is_none()) {
        let starts = facts
            .graph
            .dependencies(*step)
            .iter()
            .filter_map(|dependency| ends.get(*dependency))
            .max();
        let path = tasks.get(*step).map_or(0, |task| task.path);
        let end = starts.copied().unwrap_or(0).saturating_add(path);
        longest = longest.max(end);
        if let Some(slot) = ends.get_mut(*step) {
            *slot = end;
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retry(max_attempts: u64, delay: u64, backoff: bool, cap: Option<u64>) -> Retry {
        Retry {
            max_attempts,
            delay_secs: Seconds::from_secs(delay),
            backoff,
            max_delay_secs: cap.map(Seconds::from_secs),
            jitter: true,
            retry_on: None,
        }
    }

    #[test]
    fn pauses_double_up_to_their_cap() {
        assert_eq!(pauses(&retry(1, 5, true, None)), 0);
        assert_eq!(pauses(&retry(4, 5, false, None)), 15_000);
        assert_eq!(pauses(&retry(5, 1, true, None)), 15_000);
        assert_eq!(pauses(&retry(6, 1, true, Some(4))), 15_000);
        assert_eq!(pauses(&retry(3, 9, true, Some(4))), 8_000);
        assert_eq!(pauses(&retry(64, 0, true, None)), 0);
    }

    #[test]
    fn no_number_of_attempts_takes_longer_to_count_than_a_few() {
        let day = LONGEST_PAUSE;
        assert_eq!(pauses(&retry(u64::MAX, 1, true, None)), u64::MAX);
        assert_eq!(pauses(&retry(3, 1_000_000, false, None)), 2 * day);
    }
}
