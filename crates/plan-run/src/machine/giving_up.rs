//! What is given up: everything once the run is ending, the items of a fan-out once its time is up.

use plan_model::Timestamp;

use super::basis::Basis;
use super::frame::Fan;
use super::phase::Phase;
use super::slot::Slot;
use crate::Machine;
use crate::event::EventKind;

impl Machine {
    /// The first fan-out whose time is up before its items have ended.
    pub(super) fn items_out_of_time(&self, now: Timestamp) -> Option<EventKind> {
        let mut expired = self.state.expiries.iter().take_while(|(at, _)| *at < now);
        let is_late = |slot: Slot| {
            self.state.steps.at(slot).phase == Phase::Spread
                && self.fan(slot).is_some_and(|fan| !fan.is_through())
        };
        let (_, slot) = expired.find(|(_, slot)| is_late(*slot))?;
        let step = self.path(*slot);
        Some(EventKind::ItemsStopped { step })
    }
}

impl<P: Basis> Machine<P> {
    /// Whether a step starts nothing more.
    pub(super) fn is_given_up(&self, slot: Slot) -> bool {
        self.state.ending.is_some()
            || self
                .frame_of(slot)
                .is_some_and(|frame| self.frame(frame).stopped)
    }

    /// The run is ending: whatever neither runs nor is in doubt is let go.
    pub(super) fn give_all_up(&mut self) {
        let slots: Vec<Slot> = self.main_flow().collect();
        self.let_go(slots);
    }

    /// The time of a fan-out is up: nothing more starts in its items.
    pub(super) fn stop_items(&mut self, owner: Slot) {
        self.forget_expiry(owner);
        if let Some(fan) = self.fan_mut(owner) {
            fan.stopped = true;
        }
        let slots = self.open_within(owner);
        self.let_go(slots);
        self.go_on(owner);
    }

    pub(super) fn forget_expiry(&mut self, owner: Slot) {
        if let Some(at) = self.fan(owner).and_then(|fan| fan.expires_at) {
            self.state.expiries.remove(&(at, owner));
        }
    }

    /// Lets go of steps, and of those in the open items of the fan-outs among them.
    fn let_go(&mut self, slots: Vec<Slot>) {
        let mut slots = slots;
        while let Some(slot) = slots.pop() {
            let pool = self.layout.pool_of(self.place_of(slot));
            let state = &mut self.state;
            match &state.steps.at(slot).phase {
                Phase::Blocked | Phase::Asking(_) => {
                    state.loose.insert(slot);
                }
                Phase::Ready | Phase::Owed => {
                    state.ready.decisions.remove(&slot);
                    state.ready.withdraw(slot, pool);
                    state.loose.insert(slot);
                }
                Phase::Delayed(due_at) => {
                    state.delays.remove(&(*due_at, slot));
                    state.ready.withdraw(slot, pool);
                    state.loose.insert(slot);
                }
                Phase::Spread => {
                    state.ready.decisions.remove(&slot);
                    slots.extend(self.open_within(slot));
                    self.go_on(slot);
                }
                Phase::InFlight | Phase::Doubtful => {}
                Phase::Succeeded | Phase::Failed | Phase::Skipped(_) | Phase::Cancelled => {}
            }
        }
    }

    /// The steps of the open items of a fan-out, which are marked as stopped.
    fn open_within(&mut self, owner: Slot) -> Vec<Slot> {
        let open: Vec<_> = self
            .fan(owner)
            .into_iter()
            .flat_map(Fan::opened)
            .filter(|id| self.frame(*id).left > 0)
            .collect();
        for id in &open {
            self.state.frames.at_mut(*id).stopped = true;
        }
        open.iter().flat_map(|id| self.instances(*id)).collect()
    }
}
