//! The items of fan-outs: which were opened, and the instances of body steps that each has.

use std::sync::Arc;

use plan_model::{Digest, Timestamp};
use serde_json::Value;

use super::basis::Basis;
use super::slot::{Slot, narrow, widen};
use crate::{Machine, StepPath};

/// An item that was opened.
///
/// INVARIANT: made by [`Frames::push`] of the machine's own state, which never shrinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FrameId(u32);

/// One item of one fan-out, and where its steps are.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) owner: Slot,
    /// Which item, from 0.
    pub(super) item: usize,
    pub(super) digest: Digest,
    /// The entry of the first body step; the others follow in the order of the body.
    base: u32,
    /// Steps that have not ended.
    pub(super) left: usize,
    /// All before this position of the body have.
    pub(super) position: usize,
    /// The first step in the order of the body whose failure fails the item.
    pub(super) failed: Option<Slot>,
    /// Something of it was given up.
    pub(super) cut: bool,
    /// A fan-out around it ran out of time.
    pub(super) stopped: bool,
    /// Finished steps keep their results when the item is opened again.
    pub(super) kept: bool,
    /// What `until` came to.
    pub(super) until: Option<bool>,
}

/// Every item that was opened.
#[derive(Debug, Clone, Default)]
pub(super) struct Frames(Vec<Frame>);

/// The items of one instance of a fan-out.
#[derive(Debug, Clone)]
pub(super) struct Fan {
    pub(super) items: Arc<[Value]>,
    /// The items as views show them, where the list is of a sensitive input.
    pub(super) masked: Option<Arc<[Value]>>,
    pub(super) digests: Arc<[Digest]>,
    /// The items that were opened, in their order; those of an earlier generation among them.
    pub(super) frames: Vec<FrameId>,
    /// The next item to open.
    pub(super) next: usize,
    /// Open items with steps that have not ended.
    pub(super) active: usize,
    /// The item that `until` is to be asked about.
    pub(super) judging: Option<usize>,
    /// `until` held.
    pub(super) matched: bool,
    /// The first item that failed.
    pub(super) failed: Option<usize>,
    /// Something of an item was given up.
    pub(super) cut: bool,
    /// Its time is up.
    pub(super) stopped: bool,
    pub(super) expires_at: Option<Timestamp>,
}

impl Frame {
    pub(super) fn new(owner: Slot, item: usize, digest: Digest, base: usize) -> Self {
        Self {
            owner,
            item,
            digest,
            base: narrow(base),
            left: 0,
            position: 0,
            failed: None,
            cut: false,
            stopped: false,
            kept: false,
            until: None,
        }
    }

    /// The instance of the step at this position of the body.
    pub(super) fn slot(&self, position: usize) -> Slot {
        Slot::within(self.owner, widen(self.base).saturating_add(position))
    }
}

impl Frames {
    pub(super) fn push(&mut self, frame: Frame) -> FrameId {
        let id = FrameId(narrow(self.0.len()));
        self.0.push(frame);
        id
    }

    #[expect(clippy::indexing_slicing, reason = "the invariant of FrameId")]
    pub(super) fn at(&self, id: FrameId) -> &Frame {
        &self.0[widen(id.0)]
    }

    #[expect(clippy::indexing_slicing, reason = "the invariant of FrameId")]
    pub(super) fn at_mut(&mut self, id: FrameId) -> &mut Frame {
        &mut self.0[widen(id.0)]
    }
}

impl Fan {
    pub(super) fn new(
        items: Arc<[Value]>,
        digests: Arc<[Digest]>,
        expires_at: Option<Timestamp>,
    ) -> Self {
        Self {
            items,
            masked: None,
            digests,
            frames: Vec::new(),
            next: 0,
            active: 0,
            judging: None,
            matched: false,
            failed: None,
            cut: false,
            stopped: false,
            expires_at,
        }
    }

    /// The items of this expansion that were opened.
    pub(super) fn opened(&self) -> impl Iterator<Item = FrameId> + '_ {
        self.frames.iter().copied().take(self.next)
    }

    /// Whether every item that will be opened was, and has ended.
    pub(super) fn is_through(&self) -> bool {
        self.active == 0
            && self.judging.is_none()
            && (self.matched || self.next == self.items.len())
    }
}

impl<P: Basis> Machine<P> {
    pub(super) fn frame(&self, id: FrameId) -> &Frame {
        self.state.frames.at(id)
    }

    /// The items of a fan-out, once it was expanded.
    pub(super) fn fan(&self, owner: Slot) -> Option<&Fan> {
        self.state.steps.at(owner).fan.as_deref()
    }

    pub(super) fn fan_mut(&mut self, owner: Slot) -> Option<&mut Fan> {
        self.state.steps.at_mut(owner).fan.as_deref_mut()
    }

    /// The body of a fan-out: places of steps, in their order.
    pub(super) fn body(&self, owner: Slot) -> &[usize] {
        self.plan.graph().body(self.place_of(owner))
    }

    /// Every instance that an item has, in the order of the body.
    pub(super) fn instances(&self, id: FrameId) -> impl Iterator<Item = Slot> + '_ {
        let frame = self.frame(id);
        (0..self.body(frame.owner).len()).map(|position| frame.slot(position))
    }

    /// The instance of a body step in a frame of its owner.
    pub(super) fn within(&self, id: FrameId, place: usize) -> Slot {
        self.frame(id).slot(self.layout.position_of(place))
    }

    /// The instance of a step that the steps of `frame` see: in that item, in one around it, or in the main flow.
    pub(super) fn seen(&self, frame: Option<FrameId>, place: usize) -> Option<Slot> {
        let graph = self.plan.graph();
        let Some(owner) = graph.owner(place) else {
            return Some(Slot::main(place));
        };
        let mut around = frame;
        while let Some(id) = around {
            let frame = self.frame(id);
            if self.place_of(frame.owner) == owner {
                return Some(self.within(id, place));
            }
            around = self.frame_of(frame.owner);
        }
        None
    }

    /// The path of a slot.
    pub(super) fn path(&self, slot: Slot) -> StepPath {
        let step = self.step_of(slot).id.clone();
        let Some(mut around) = self.frame_of(slot) else {
            return StepPath::from(step);
        };
        let mut items = Vec::new();
        loop {
            let frame = self.frame(around);
            items.push((self.step_of(frame.owner).id.clone(), frame.item));
            match self.frame_of(frame.owner) {
                Some(next) => around = next,
                None => break,
            }
        }
        items.reverse();
        StepPath::within(items, step)
    }

    /// The slot of a path.
    pub(super) fn slot_at(&self, path: &StepPath) -> Option<Slot> {
        let graph = self.plan.graph();
        let mut frame = None;
        for (owner, item) in path.items() {
            let owner = self.child(frame, graph.index_of(owner)?)?;
            frame = Some(*self.fan(owner)?.frames.get(*item)?);
        }
        self.child(frame, graph.index_of(path.step())?)
    }

    /// The instance of a step in this very item, or in the main flow.
    fn child(&self, frame: Option<FrameId>, place: usize) -> Option<Slot> {
        let owner = self.plan.graph().owner(place);
        match (frame, owner) {
            (None, None) => Some(Slot::main(place)),
            (Some(id), Some(owner)) if self.place_of(self.frame(id).owner) == owner => {
                Some(self.within(id, place))
            }
            _ => None,
        }
    }
}
