//! Steps of a run by their place, and tables with one entry for each.

use plan_model::Step;

use super::basis::Basis;
use crate::Machine;

/// The place of a step in its run's tables.
///
/// INVARIANT: made from the index of a step of the machine's own plan, so every
/// table of that machine has an entry for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slot(pub(super) usize);

/// One entry for each step, in plan order.
#[derive(Debug, Clone)]
pub(super) struct PerStep<T>(Vec<T>);

impl<T> PerStep<T> {
    pub(super) fn new(count: usize, entry: impl FnMut() -> T) -> Self {
        let mut entries = Vec::with_capacity(count);
        entries.resize_with(count, entry);
        Self(entries)
    }

    #[expect(clippy::indexing_slicing, reason = "the invariant of Slot")]
    pub(super) fn at(&self, slot: Slot) -> &T {
        &self.0[slot.0]
    }

    #[expect(clippy::indexing_slicing, reason = "the invariant of Slot")]
    pub(super) fn at_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.0[slot.0]
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Every entry from `slot` on.
    pub(super) fn from(&self, slot: Slot) -> impl Iterator<Item = (Slot, &T)> {
        self.0
            .iter()
            .enumerate()
            .skip(slot.0)
            .map(|(index, entry)| (Slot(index), entry))
    }
}

impl<P: Basis> Machine<P> {
    /// The plan's step of a slot.
    #[expect(clippy::indexing_slicing, reason = "the invariant of Slot")]
    pub(super) fn step_of(&self, slot: Slot) -> &Step {
        &self.plan.plan().steps[slot.0]
    }

    /// Every slot, in plan order.
    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> + use<P> {
        (0..self.state.steps.len()).map(Slot)
    }

    /// What a step waits for.
    pub(super) fn dependencies(&self, slot: Slot) -> impl Iterator<Item = Slot> + '_ {
        self.plan
            .graph()
            .dependencies(slot.0)
            .iter()
            .copied()
            .map(Slot)
    }
}
