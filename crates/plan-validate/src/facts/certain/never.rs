//! Steps that no run starts, and which of them is where that begins.

use plan_model::{FailurePolicy, Join, OnError, StepConfig, StepKind};

use super::Untaken;
use super::implied::decided;
use super::sweep::Conflict;
use crate::facts::Facts;

/// Every branch of a condition that always comes out the other way, in plan order.
pub(super) fn untaken(facts: &Facts<'_>) -> Vec<Untaken> {
    let mut untaken = Vec::new();
    for (condition, step) in facts.of_kinds(&[StepKind::Condition]) {
        let StepConfig::Condition(config) = &step.config else {
            continue;
        };
        if config.true_steps.is_empty() && config.false_steps.is_empty() {
            continue;
        }
        let Some(always) = decided(facts, condition) else {
            continue;
        };
        let never = if always {
            &config.false_steps
        } else {
            &config.true_steps
        };
        let targets = never.iter().filter_map(|id| facts.index_of(id));
        untaken.extend(targets.map(|step| Untaken {
            step,
            condition,
            always,
        }));
    }
    untaken.sort_unstable();
    untaken.dedup_by_key(|untaken| untaken.step);
    untaken
}

/// For each step whether it succeeded in every run that still starts steps after it ended.
pub(crate) fn assured(facts: &Facts<'_>) -> Vec<bool> {
    let mut assured = vec![false; facts.plan.steps.len()];
    if facts.plan.failure_policy != FailurePolicy::Stop {
        return assured;
    }
    for index in facts.graph.order().unwrap_or_default() {
        let Some(step) = facts.step(*index) else {
            continue;
        };
        let dependencies = facts.graph.dependencies(*index);
        let mut ends = dependencies
            .iter()
            .map(|dependency| assured.get(*dependency).copied().unwrap_or(false));
        let runs = match step.join {
            Join::All => ends.all(|assured| assured),
            Join::Any => dependencies.is_empty() || ends.any(|assured| assured),
            Join::Settled => true,
        };
        let own = step.on_error == OnError::Fail
            && facts.owner(*index).is_none()
            && facts.graph.branch_of(*index).is_empty();
        if let Some(slot) = assured.get_mut(*index) {
            *slot = own && runs;
        }
    }
    assured
}

/// For each step whether any run starts it.
#[derive(Debug)]
pub(super) struct Never {
    never: Vec<bool>,
}

impl Never {
    pub(super) fn of(
        facts: &Facts<'_>,
        untaken: &[Untaken],
        conflicts: &[Conflict],
        undelivered: &[usize],
    ) -> Self {
        let mut this = Self {
            never: vec![false; facts.plan.steps.len()],
        };
        if untaken.is_empty() && conflicts.is_empty() && undelivered.is_empty() {
            return this;
        }
        let undelivered = undelivered.iter().copied().filter(|step| {
            // under `settled` it runs, with nothing
            facts.join(*step) == Some(Join::Any)
        });
        let roots = untaken.iter().map(|untaken| untaken.step);
        let roots = roots.chain(conflicts.iter().map(|conflict| conflict.step));
        for root in roots.chain(undelivered) {
            this.set(root);
        }
        // an owner stands behind its body in this order, but its own start does not wait for it
        for step in facts.graph.order().unwrap_or_default() {
            if !this.is(*step) && this.by_others(facts, *step) {
                this.set(*step);
            }
        }
        this
    }

    fn is(&self, step: usize) -> bool {
        self.never.get(step).copied().unwrap_or(false)
    }

    fn set(&mut self, step: usize) {
        if let Some(slot) = self.never.get_mut(step) {
            *slot = true;
        }
    }

    /// Whether a step cannot start because of steps that never do.
    fn by_others(&self, facts: &Facts<'_>, step: usize) -> bool {
        let mut conditions = facts.graph.branch_of(step).iter();
        if conditions.any(|(condition, _)| self.is(*condition)) {
            return true;
        }
        let mut around = facts.owner(step);
        for _ in 0..=facts.limits.depth {
            match around {
                Some(owner) if self.is(owner) => return true,
                Some(owner) => around = facts.owner(owner),
                None => break,
            }
        }
        let dependencies = facts.graph.dependencies(step);
        let mut never = dependencies.iter().map(|dependency| self.is(*dependency));
        match facts.join(step) {
            Some(Join::All) => never.any(|never| never),
            Some(Join::Any) => !dependencies.is_empty() && never.all(|never| never),
            Some(Join::Settled) | None => false,
        }
    }

    /// Whether a step that never starts does so for a reason of its own.
    pub(super) fn is_root(&self, facts: &Facts<'_>, step: usize) -> bool {
        !self.by_others(facts, step)
    }
}
