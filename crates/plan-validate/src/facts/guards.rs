//! Which result of which condition a step cannot run without.
//!
//! A step has one guard at most: of several the innermost is kept. So guards
//! form a forest over the conditions of a plan, which is enough to say that two
//! steps never run in one run, and never says so of two that may.

use plan_model::Join;

use super::Facts;

/// So many guards around a step are looked at; two steps further apart than that are not compared.
const MOST_AROUND: usize = 32;

/// A result of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Guard {
    /// The condition.
    pub(crate) condition: usize,
    /// The result that chooses the step.
    pub(crate) side: bool,
}

/// The guard of every step. Empty where the plan has no branches, or has a cycle.
#[derive(Debug, Default)]
pub(crate) struct Guards {
    /// For each step its guard among its siblings, and how many are around it.
    own: Vec<(Option<Guard>, u32)>,
}

impl Guards {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let count = facts.plan.steps.len();
        let has_branches = (0..count).any(|step| !facts.graph.branch_of(step).is_empty());
        let Some(order) = facts.graph.order().filter(|_| has_branches) else {
            return Self::default();
        };
        let mut guards = Self {
            own: vec![(None, 0); count],
        };
        for step in order {
            let found = guards.find(facts, *step);
            let depth = found.map_or(0, |guard| guards.depth(guard.condition).saturating_add(1));
            if let Some(own) = guards.own.get_mut(*step) {
                *own = (found, depth);
            }
        }
        guards
    }

    /// Whether no step has a guard.
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// What a step cannot run without.
    pub(crate) fn guard(&self, facts: &Facts<'_>, step: usize) -> Option<Guard> {
        if self.is_empty() {
            return None;
        }
        // a body runs where its fan-out does
        std::iter::successors(Some(step), |step| facts.owner(*step))
            .take(facts.limits.depth)
            .find_map(|step| self.own.get(step)?.0)
    }

    /// The guards around a step, the innermost first: what it cannot run without, and what that cannot.
    pub(crate) fn around<'f>(
        &'f self,
        facts: &'f Facts<'_>,
        step: usize,
    ) -> impl Iterator<Item = Guard> + 'f {
        std::iter::successors(self.guard(facts, step), |guard| {
            self.guard(facts, guard.condition)
        })
        .take(MOST_AROUND)
    }

    /// Whether no run can run both steps.
    pub(crate) fn exclude(&self, facts: &Facts<'_>, a: usize, b: usize) -> bool {
        !self.is_empty()
            && self.around(facts, a).any(|guard| {
                self.around(facts, b)
                    .any(|other| guard.condition == other.condition && guard.side != other.side)
            })
    }

    fn depth(&self, step: usize) -> u32 {
        self.own.get(step).map_or(0, |(_, depth)| *depth)
    }

    /// The innermost of the step's own branches and of what it takes over from what it waits for.
    fn find(&self, facts: &Facts<'_>, step: usize) -> Option<Guard> {
        let branches = facts.graph.branch_of(step).iter();
        let own = branches.map(|(condition, side)| Guard {
            condition: *condition,
            side: *side,
        });
        let dependencies = facts.graph.dependencies(step);
        let guard_of = |step: &usize| self.own.get(*step).and_then(|(guard, _)| *guard);
        let taken_over = match facts.join(step)? {
            // every one of them must have run
            Join::All => self.innermost(dependencies.iter().filter_map(guard_of)),
            Join::Any => {
                let mut guards = dependencies.iter().map(guard_of);
                let first = guards.next().flatten();
                first.filter(|first| guards.all(|guard| guard == Some(*first)))
            }
            Join::Settled => None,
        };
        self.innermost(own.chain(taken_over))
    }

    fn innermost(&self, guards: impl Iterator<Item = Guard>) -> Option<Guard> {
        guards.reduce(|inner, guard| {
            if self.depth(guard.condition) > self.depth(inner.condition) {
                guard
            } else {
                inner
            }
        })
    }
}
