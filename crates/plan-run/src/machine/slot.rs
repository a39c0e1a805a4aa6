//! Steps of a run by their place, and tables with one entry for each.

use plan_model::Step;

use super::basis::Basis;
use super::frame::FrameId;
use crate::Machine;

/// An instance of a step: the step itself in the main flow, or one for an item of a fan-out.
///
/// Ordered by the plan: instances within a fan-out come after it and before the step that follows it,
/// in the order in which their items were opened.
///
/// INVARIANT: made for a step of the machine's own plan or for a frame of its state, so every
/// table of that machine has an entry for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slot {
    /// The place in the plan of the step, or of the outermost fan-out around it.
    rank: u32,
    /// The entry in the tables.
    at: u32,
}

impl Slot {
    /// The step of the main flow at this index of the plan.
    pub(super) fn main(place: usize) -> Self {
        let at = narrow(place);
        Self { rank: at, at }
    }

    /// An instance in a frame of `owner`, with this entry in the tables.
    pub(super) fn within(owner: Self, at: usize) -> Self {
        Self {
            rank: owner.rank,
            at: narrow(at),
        }
    }

    /// The entry in the tables.
    pub(super) fn index(self) -> usize {
        widen(self.at)
    }
}

/// An index as the tables keep it. No run has four billion steps.
pub(super) fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

pub(super) fn widen(index: u32) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// One entry for each instance: first every step of the plan in its order, then items as they are opened.
#[derive(Debug, Clone)]
pub(super) struct PerStep<T>(Vec<T>);

impl<T> PerStep<T> {
    pub(super) fn new(entries: impl IntoIterator<Item = T>) -> Self {
        Self(entries.into_iter().collect())
    }

    #[expect(clippy::indexing_slicing, reason = "the invariant of Slot")]
    pub(super) fn at(&self, slot: Slot) -> &T {
        &self.0[slot.index()]
    }

    #[expect(clippy::indexing_slicing, reason = "the invariant of Slot")]
    pub(super) fn at_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.0[slot.index()]
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn extend(&mut self, entries: impl IntoIterator<Item = T>) {
        self.0.extend(entries);
    }
}

impl<P: Basis> Machine<P> {
    /// The index in the plan of a slot's step.
    pub(super) fn place_of(&self, slot: Slot) -> usize {
        widen(self.state.steps.at(slot).place)
    }

    /// The plan's step of a slot.
    #[expect(clippy::indexing_slicing, reason = "the invariant of Slot")]
    pub(super) fn step_of(&self, slot: Slot) -> &Step {
        &self.plan.plan().steps[self.place_of(slot)]
    }

    /// The item that a slot is for; `None` in the main flow.
    pub(super) fn frame_of(&self, slot: Slot) -> Option<FrameId> {
        self.state.steps.at(slot).frame
    }

    /// Every step of the main flow, in plan order.
    pub(super) fn main_flow(&self) -> impl Iterator<Item = Slot> + '_ {
        let graph = self.plan.graph();
        (0..graph.len())
            .filter(|place| graph.owner(*place).is_none())
            .map(Slot::main)
    }

    /// What a step waits for.
    pub(super) fn dependencies(&self, slot: Slot) -> impl Iterator<Item = Slot> + '_ {
        let frame = self.frame_of(slot);
        let places = self.plan.graph().dependencies(self.place_of(slot));
        places.iter().map(move |place| match frame {
            None => Slot::main(*place),
            Some(frame) => self.within(frame, *place),
        })
    }
}
