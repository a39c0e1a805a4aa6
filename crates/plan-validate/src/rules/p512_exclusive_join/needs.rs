//! Which results of which conditions a step needs in order to run.
//!
//! Conditions are taken 64 at a time, one bit each, and every batch is one
//! sweep over the graph in topological order.

use std::collections::HashMap;

use plan_model::{Join, StepConfig};

use crate::facts::Facts;

/// A step that needs a condition both to hold and not to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Conflict {
    pub(super) step: usize,
    pub(super) condition: usize,
    /// The dependency that needs the condition to hold; `None` where the step itself is that branch.
    pub(super) when_true: Option<usize>,
    /// The dependency that needs it not to hold; likewise.
    pub(super) when_false: Option<usize>,
}

/// What a step needs of one batch of conditions.
#[derive(Debug, Clone, Copy, Default)]
struct Needs {
    holds: u64,
    fails: u64,
    /// Whether the step can never run: nothing more is said of it and of what waits for it.
    never: bool,
}

/// One conflict for each step that has any and does not wait for another such step, in document order.
///
/// None where there is a cycle: nothing of that graph runs.
pub(super) fn conflicts(facts: &Facts<'_>) -> Vec<Conflict> {
    let Some(order) = facts.graph.order() else {
        return Vec::new();
    };
    // only a condition with both branches can exclude anything
    let conditions: Vec<usize> = facts
        .steps()
        .filter(|(_, step)| match &step.config {
            StepConfig::Condition(c) => !c.true_steps.is_empty() && !c.false_steps.is_empty(),
            _ => false,
        })
        .map(|(index, _)| index)
        .collect();
    let mut found: Vec<Conflict> = Vec::new();
    let mut never = vec![false; facts.plan.steps.len()];
    let mut needs = vec![Needs::default(); facts.plan.steps.len()];
    for batch in conditions.chunks(64) {
        let bits: HashMap<usize, u64> =
            batch.iter().copied().zip((0..64).map(|n| 1 << n)).collect();
        for step in order {
            let never_before = never.get(*step).copied().unwrap_or(false);
            let mut need = need_of(facts, *step, &bits, &needs);
            let both = need.holds & need.fails;
            if both != 0 && !need.never && !never_before {
                let condition = batch.get(both.trailing_zeros() as usize);
                found.extend(condition.map(|condition| {
                    explain(facts, *step, *condition, 1 << both.trailing_zeros(), &needs)
                }));
            }
            need.never |= never_before || both != 0;
            if let (Some(slot), Some(never)) = (needs.get_mut(*step), never.get_mut(*step)) {
                *never = need.never;
                *slot = need;
            }
        }
    }
    found.sort_unstable_by_key(|conflict| (conflict.step, conflict.condition));
    found
}

/// What a step needs, given what its dependencies need.
fn need_of(facts: &Facts<'_>, step: usize, bits: &HashMap<usize, u64>, needs: &[Needs]) -> Needs {
    let mut own = Needs::default();
    for (condition, result) in facts.graph.branch_of(step) {
        let bit = bits.get(condition).copied().unwrap_or(0);
        if *result {
            own.holds |= bit;
        } else {
            own.fails |= bit;
        }
    }
    // a step in both branches of one condition is P503's
    let both = own.holds & own.fails;
    own.holds &= !both;
    own.fails &= !both;
    let join = facts.step(step).map_or(Join::Settled, |step| step.join);
    let dependencies = facts.graph.dependencies(step);
    let waited = dependencies
        .iter()
        .filter_map(|dependency| needs.get(*dependency));
    match join {
        Join::Settled => own,
        Join::All => waited.fold(own, |all, need| Needs {
            holds: all.holds | need.holds,
            fails: all.fails | need.fails,
            never: all.never || need.never,
        }),
        Join::Any => {
            // what never runs is no way to this step
            let ways = waited.filter(|need| !need.never);
            let shared = ways.copied().reduce(|all, need| Needs {
                holds: all.holds & need.holds,
                fails: all.fails & need.fails,
                never: false,
            });
            let none_left = shared.is_none() && !dependencies.is_empty();
            let shared = shared.unwrap_or_default();
            Needs {
                holds: own.holds | shared.holds,
                fails: own.fails | shared.fails,
                never: none_left,
            }
        }
    }
}

/// Which dependencies of a step bring the two needs of one condition.
fn explain(
    facts: &Facts<'_>,
    step: usize,
    condition: usize,
    bit: u64,
    needs: &[Needs],
) -> Conflict {
    let branches = facts.graph.branch_of(step);
    let witness = |result: bool| {
        if branches.contains(&(condition, result)) {
            return None;
        }
        let needed = |need: &Needs| if result { need.holds } else { need.fails };
        let mut dependencies = facts.graph.dependencies(step).iter().copied();
        dependencies.find(|dependency| {
            needs
                .get(*dependency)
                .is_some_and(|need| needed(need) & bit != 0)
        })
    };
    Conflict {
        step,
        condition,
        when_true: witness(true),
        when_false: witness(false),
    }
}
