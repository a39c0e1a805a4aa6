//! The items of fan-outs: expanded, judged by `until`, stopped, collected.

use std::sync::Arc;

use plan_model::{StepConfig, Timestamp};
use serde_json::{Map, Value};

use super::check::wrong_kind;
use crate::event::{EventKind, ItemsExpanded};
use crate::machine::Machine;
use crate::machine::basis::Basis;
use crate::machine::frame::Fan;
use crate::machine::phase::{Move, Phase};
use crate::machine::scope::{RunScope, masked};
use crate::machine::slot::Slot;
use crate::{Refused, StepPath};

impl<P: Basis> Machine<P> {
    pub(super) fn items_expanded(
        &mut self,
        at: Timestamp,
        event: &EventKind,
        expanded: &ItemsExpanded,
    ) -> Result<(), Refused> {
        let step = &expanded.step;
        self.check_going(step)?;
        let (slot, phase) = self.follow(step, Move::Expand, event)?;
        let Some(fan_out) = self.fan_out(slot) else {
            return Err(wrong_kind(step, event));
        };
        let other = || Refused::OtherItems { step: step.clone() };
        let scope = RunScope::plain(self, slot);
        let list = fan_out.over.resolve(&scope).map_err(|_| other())?;
        let Value::Array(items) = &*list else {
            return Err(other());
        };
        if items.len() != expanded.count || items.len() != expanded.digests.len() {
            return Err(other());
        }
        let hidden = self.hides_items(slot, &fan_out.over);
        let hidden = hidden.then(|| items.iter().map(masked).collect());
        let items: Arc<[Value]> = items.clone().into();
        let before = self.fan(slot).map_or(&[][..], |fan| fan.frames.as_slice());
        let is_same = |item: &usize| {
            let known = before.get(*item).map(|id| self.frame(*id).digest);
            known.is_some() && known == expanded.digests.get(*item).copied()
        };
        if !expanded.kept.iter().all(is_same) {
            return Err(other());
        }
        let mut frames = before.to_vec();
        self.tick(at);
        let fresh = items.len().saturating_sub(expanded.kept.len());
        self.state.items = self.state.items.saturating_add(fresh as u64);
        frames.truncate(items.len());
        for id in &frames {
            self.state.frames.at_mut(*id).kept = false;
        }
        for id in expanded.kept.iter().filter_map(|item| frames.get(*item)) {
            self.state.frames.at_mut(*id).kept = true;
        }
        let mut fan = Fan::new(items, expanded.digests.clone().into(), expanded.expires_at);
        fan.frames = frames;
        fan.masked = hidden;
        self.state.steps.at_mut(slot).fan = Some(Box::new(fan));
        self.enter(slot, phase);
        self.go_on(slot);
        Ok(())
    }

    pub(super) fn until_evaluated(
        &mut self,
        at: Timestamp,
        event: &EventKind,
        step: &StepPath,
        index: usize,
        result: bool,
    ) -> Result<(), Refused> {
        self.check_going(step)?;
        let slot = self.spread(step, event)?;
        let fan = self.fan(slot).filter(|fan| fan.judging == Some(index));
        let Some(id) = fan.and_then(|fan| fan.frames.get(index).copied()) else {
            return Err(Refused::OtherItems { step: step.clone() });
        };
        self.tick(at);
        self.state.frames.at_mut(id).until = Some(result);
        if let Some(fan) = self.fan_mut(slot) {
            fan.judging = None;
            fan.matched |= result;
        }
        self.state.ready.decisions.remove(&slot);
        self.go_on(slot);
        Ok(())
    }

    pub(super) fn items_stopped(
        &mut self,
        at: Timestamp,
        event: &EventKind,
        step: &StepPath,
    ) -> Result<(), Refused> {
        let slot = self.spread(step, event)?;
        if let Some(due_at) = self.fan(slot).and_then(|fan| fan.expires_at)
            && due_at > at
        {
            return Err(Refused::NotDue {
                step: step.clone(),
                due_at,
            });
        }
        self.tick(at);
        self.stop_items(slot);
        Ok(())
    }

    pub(super) fn list_collected(
        &mut self,
        at: Timestamp,
        event: &EventKind,
        step: &StepPath,
        count: usize,
    ) -> Result<(), Refused> {
        let (slot, phase) = self.follow(step, Move::Collect, event)?;
        let (outputs, elements) = match &self.step_of(slot).config {
            StepConfig::FanOut(fan_out) => {
                self.spread(step, event)?;
                self.check_through(slot)?;
                let opened = self.fan(slot).map_or(0, |fan| fan.next);
                (self.results(slot, fan_out), opened)
            }
            StepConfig::FanIn(fan_in) => {
                self.check_going(step)?;
                (self.collected(slot, fan_in), fan_in.from_steps.len())
            }
            _ => return Err(wrong_kind(step, event)),
        };
        if elements != count {
            return Err(Refused::OtherItems { step: step.clone() });
        }
        self.tick(at);
        if let Some(fan) = self.fan_mut(slot) {
            // items of an earlier generation that were not opened again
            let opened = fan.next;
            fan.frames.truncate(opened);
        }
        self.state.steps.at_mut(slot).outputs = Some(Map::clone(&outputs).into());
        self.enter(slot, phase);
        Ok(())
    }

    /// The slot of a fan-out whose items run.
    fn spread(&self, step: &StepPath, event: &EventKind) -> Result<Slot, Refused> {
        let slot = self.slot(step)?;
        if self.state.steps.at(slot).phase == Phase::Spread {
            Ok(slot)
        } else {
            Err(self.wrong_phase(slot, event))
        }
    }

    /// Whether nothing of a fan-out's items is under way.
    pub(super) fn check_through(&self, slot: Slot) -> Result<(), Refused> {
        match self.fan(slot).map_or(0, |fan| fan.active) {
            0 => Ok(()),
            active => Err(Refused::ItemsOpen {
                step: self.path(slot),
                active,
            }),
        }
    }
}
