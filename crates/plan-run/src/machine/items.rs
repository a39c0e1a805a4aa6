//! How items of fan-outs are opened and end, which follows from what has ended and is no decision.

use plan_model::{FailurePolicy, FanOut, OnError, OnItemError, StepConfig};

use super::basis::Basis;
use super::frame::{Frame, FrameId};
use super::phase::Phase;
use super::slot::Slot;
use super::state::StepState;
use crate::{Machine, SkipReason};

impl<P: Basis> Machine<P> {
    /// What the plan says about a fan-out.
    pub(super) fn fan_out(&self, owner: Slot) -> Option<&FanOut> {
        match &self.step_of(owner).config {
            StepConfig::FanOut(fan_out) => Some(fan_out),
            _ => None,
        }
    }

    /// Whether the failure of a step fails the run, through every fan-out around it.
    pub(super) fn reaches_run(&self, slot: Slot) -> bool {
        let mut slot = slot;
        loop {
            if self.step_of(slot).on_error == OnError::Continue {
                return false;
            }
            let Some(frame) = self.frame_of(slot) else {
                return true;
            };
            slot = self.frame(frame).owner;
            let collects = self
                .fan_out(slot)
                .is_some_and(|it| it.on_item_error == OnItemError::Collect);
            if collects {
                return false;
            }
        }
    }

    /// Whether the item of a step has failed under a policy that then starts nothing more in it.
    pub(super) fn is_in_failed_item(&self, slot: Slot) -> bool {
        self.frame_of(slot)
            .is_some_and(|frame| self.frame(frame).failed.is_some())
            && self.plan.plan().failure_policy == FailurePolicy::Stop
    }

    /// A step of an item has ended: the next one of its body may follow, or the item ends.
    pub(super) fn settled_within(&mut self, id: FrameId, slot: Slot, fails: bool) {
        let was_cut = matches!(
            self.state.steps.at(slot).phase,
            Phase::Cancelled
                | Phase::Skipped(
                    SkipReason::RunFailed | SkipReason::RunCancelled | SkipReason::OutOfTime
                )
        );
        let frame = self.state.frames.at_mut(id);
        frame.left = frame.left.saturating_sub(1);
        frame.cut |= was_cut;
        if fails && frame.failed.is_none_or(|first| slot < first) {
            frame.failed = Some(slot);
        }
        if frame.left == 0 {
            self.item_ended(id);
        } else {
            self.go_on_within(id);
        }
    }

    /// The first step of an item that has not ended is next, unless it is under way.
    fn go_on_within(&mut self, id: FrameId) {
        let frame = self.frame(id);
        let positions = frame.position..self.body(frame.owner).len();
        let mut open = positions.map(|position| (position, frame.slot(position)));
        let next = open.find(|(_, slot)| !self.state.steps.at(*slot).phase.status().is_ended());
        if let Some((position, slot)) = next {
            self.state.frames.at_mut(id).position = position;
            let step = self.state.steps.at_mut(slot);
            step.open = 0;
            if step.phase == Phase::Blocked {
                self.enter(slot, Phase::Ready);
            }
        }
    }

    fn item_ended(&mut self, id: FrameId) {
        let owner = self.frame(id).owner;
        if let Some(fan) = self.fan_mut(owner) {
            fan.active = fan.active.saturating_sub(1);
        }
        self.count_item(id);
        self.go_on(owner);
    }

    /// Notes how an item ended.
    fn count_item(&mut self, id: FrameId) {
        let frame = self.frame(id);
        let (owner, item, cut) = (frame.owner, frame.item, frame.cut);
        let (failed, until) = (frame.failed.is_some(), frame.until);
        let asks = self.fan_out(owner).is_some_and(|it| it.until.is_some());
        if let Some(fan) = self.fan_mut(owner) {
            fan.cut |= cut;
            if failed && fan.failed.is_none_or(|first| item < first) {
                fan.failed = Some(item);
            }
            fan.matched |= until == Some(true);
            if asks && !failed && !cut && until.is_none() {
                fan.judging = Some(item);
            }
        }
    }

    /// Opens as many items as may run; a fan-out in which none does has something to decide.
    pub(super) fn go_on(&mut self, owner: Slot) {
        let parallel = match self.fan_out(owner) {
            // `until` looks at one item after the other
            Some(fan_out) if fan_out.until.is_some() => 1,
            Some(fan_out) => usize::try_from(fan_out.max_parallel).unwrap_or(usize::MAX),
            None => 0,
        };
        let goes_on = self.state.ending.is_none() && !self.is_given_up(owner);
        while let Some(fan) = self.fan(owner)
            && goes_on
            && !(fan.stopped || fan.matched)
            && fan.judging.is_none()
            && fan.active < parallel.max(1)
            && fan.next < fan.items.len()
        {
            self.open_next(owner);
        }
        let has_to_decide = self
            .fan(owner)
            .is_some_and(|fan| fan.active == 0 || fan.judging.is_some());
        if !has_to_decide || self.state.steps.at(owner).phase != Phase::Spread {
            return;
        }
        if self.is_given_up(owner) {
            self.state.loose.insert(owner);
        } else {
            self.state.ready.decisions.insert(owner);
        }
    }

    fn open_next(&mut self, owner: Slot) {
        let Some(fan) = self.fan_mut(owner) else {
            return;
        };
        let item = fan.next;
        fan.next += 1;
        let digest = fan.digests.get(item).copied();
        let id = match (fan.frames.get(item).copied(), digest) {
            (Some(id), Some(digest)) => {
                self.state.frames.at_mut(id).digest = digest;
                self.open_again(id);
                id
            }
            (None, Some(digest)) => {
                let base = self.state.steps.len();
                let id = self
                    .state
                    .frames
                    .push(Frame::new(owner, item, digest, base));
                let plan = self.plan.clone();
                let body = plan.graph().body(self.place_of(owner));
                let fresh = |place: &usize| StepState {
                    // the one before it in the body
                    open: 1,
                    ..StepState::new(*place, Some(id))
                };
                self.state.steps.extend(body.iter().map(fresh));
                self.state.frames.at_mut(id).left = body.len();
                self.state.left += body.len();
                if let Some(fan) = self.fan_mut(owner) {
                    fan.frames.push(id);
                }
                id
            }
            (_, None) => return,
        };
        if self.frame(id).left == 0 {
            self.count_item(id);
            return;
        }
        if let Some(fan) = self.fan_mut(owner) {
            fan.active += 1;
        }
        self.go_on_within(id);
    }

    /// A fan-out has ended: what it did not open is free for others.
    pub(super) fn give_back_items(&mut self, owner: Slot) {
        let Some(fan) = self.fan(owner) else {
            return;
        };
        let is_kept = |item: &usize| {
            let frame = fan.frames.get(*item);
            frame.is_some_and(|id| self.frame(*id).kept)
        };
        let unopened = (fan.next..fan.items.len()).filter(|item| !is_kept(item));
        let unopened = unopened.count() as u64;
        self.state.items = self.state.items.saturating_sub(unopened);
    }

    /// Opens an item of an earlier generation: what is to run anew is reset, the rest is kept.
    fn open_again(&mut self, id: FrameId) {
        let slots: Vec<Slot> = self.instances(id).collect();
        let frame = self.state.frames.at_mut(id);
        frame.position = 0;
        frame.failed = None;
        frame.cut = false;
        frame.stopped = false;
        if !frame.kept {
            self.mark_anew(id);
        }
        let mut anew = 0;
        for slot in slots {
            let step = self.state.steps.at_mut(slot);
            if step.anew {
                step.reset();
                step.open = 1;
                anew += 1;
            }
        }
        self.state.left += anew;
        let frame = self.state.frames.at_mut(id);
        frame.left = anew;
        if anew > 0 {
            frame.until = None;
        }
    }

    /// Nothing of an item is kept, nor of the items within it.
    fn mark_anew(&mut self, id: FrameId) {
        let mut frames = vec![id];
        while let Some(id) = frames.pop() {
            let slots: Vec<Slot> = self.instances(id).collect();
            for slot in slots {
                let step = self.state.steps.at_mut(slot);
                step.anew = true;
                frames.extend(step.fan.iter().flat_map(|fan| fan.frames.iter().copied()));
            }
        }
    }
}
