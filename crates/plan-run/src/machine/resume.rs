//! A failed run starts anew from what did not succeed.

use std::collections::{BTreeMap, BTreeSet};

use plan_model::{Digest, EdgeOrigin, Timestamp};

use super::Machine;
use super::basis::Basis;
use super::phase::Phase;
use super::ready::Ready;
use super::slot::Slot;
use crate::event::EventKind;
use crate::record::AttemptResult;
use crate::{Effect, Refused, RunStatus, SkipReason, StepPath};

/// What resuming a failed run would do. Nothing has happened yet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resumption {
    /// Steps that run again or for the first time, in plan order; those of items with their item.
    pub reset: Vec<StepPath>,
    /// Steps that keep their result, in plan order. Those of an item keep it if the item is still the same.
    pub kept: Vec<StepPath>,
    /// Steps whose call is not safe to repeat and has, or may have, been made: of the reset ones, and of those that
    /// are kept only if their item is still the same and whose list may become another.
    pub may_repeat: Vec<StepPath>,
    pub(super) generation: u32,
    pub(super) plan: Digest,
}

impl Resumption {
    /// The event that resumes the run.
    pub fn event(&self) -> EventKind {
        EventKind::RunResumed {
            generation: self.generation,
            plan: self.plan,
            reset: self.reset.clone(),
        }
    }
}

/// Why a run cannot be resumed with a reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeRefused {
    /// The run has not ended: it is taken up as it is.
    #[error("the run is {0} and is taken up as it is")]
    NotEnded(RunStatus),
    /// Every step keeps its result, so nothing would change.
    #[error("every step keeps its result, so the run would end as it did")]
    NothingToReset,
    /// A run that succeeded or was cancelled stays as it is.
    #[error("the run has {0} and stays as it is")]
    Final(RunStatus),
}

impl Machine {
    /// What resuming this failed run would do.
    ///
    /// Reset is every step that did not succeed and was not skipped by a condition or join that
    /// is kept, and everything downstream of those.
    ///
    /// # Errors
    /// When the run has not failed, or nothing would be reset.
    pub fn resumption(&self) -> Result<Resumption, ResumeRefused> {
        match self.status() {
            RunStatus::Failed => {}
            status if status.is_finished() => return Err(ResumeRefused::Final(status)),
            status => return Err(ResumeRefused::NotEnded(status)),
        }
        let resumption = self.anew(&BTreeSet::new());
        if resumption.reset.is_empty() {
            return Err(ResumeRefused::NothingToReset);
        }
        Ok(resumption)
    }

    /// What starts anew where the `chosen` steps of the plan do so in any case.
    pub(super) fn anew(&self, chosen: &BTreeSet<usize>) -> Resumption {
        let resets = self.resets(chosen);
        self.told(&resets)
    }

    fn resets(&self, chosen: &BTreeSet<usize>) -> Resets {
        let restless = self.restless(chosen);
        let mut resets = Resets {
            slots: BTreeMap::new(),
            kept: Vec::new(),
            unsure: Vec::new(),
        };
        for place in self.plan.graph().order().unwrap_or_default() {
            if self.plan.graph().owner(*place).is_none() {
                let slot = Slot::main(*place);
                self.sort(slot, Items::Kept, &restless, chosen, &mut resets);
            }
        }
        // the items of fan-outs that start anew; what is kept within them is told too
        let mut around: Vec<(Slot, bool)> =
            resets.slots.keys().map(|slot| (*slot, false)).collect();
        while let Some((owner, is_unsure)) = around.pop() {
            let mut waits = self.dependencies(owner);
            let is_unsure = is_unsure || waits.any(|slot| resets.slots.contains_key(&slot));
            let items = resets.slots.get(&owner).copied().unwrap_or(Items::Kept);
            let frames = self.fan(owner).map_or(&[][..], |fan| fan.frames.as_slice());
            for slot in frames.iter().flat_map(|id| self.instances(*id)) {
                if self.sort(slot, items, &restless, chosen, &mut resets) {
                    around.push((slot, is_unsure));
                } else {
                    resets.kept.push(slot);
                    if is_unsure {
                        resets.unsure.extend(self.all_within(slot));
                    }
                }
            }
        }
        let kept = self.main_flow();
        let kept: Vec<Slot> = kept
            .filter(|slot| !resets.slots.contains_key(slot))
            .collect();
        resets.kept.extend(kept);
        resets.kept.sort_unstable();
        resets
    }

    fn told(&self, resets: &Resets) -> Resumption {
        let reset = resets.slots.keys();
        let made: BTreeSet<Slot> = reset.clone().chain(&resets.unsure).copied().collect();
        let may_repeat = made.into_iter().filter(|slot| self.may_repeat(*slot));
        Resumption {
            may_repeat: may_repeat.map(|slot| self.path(slot)).collect(),
            reset: reset.map(|slot| self.path(*slot)).collect(),
            kept: resets.kept.iter().map(|slot| self.path(*slot)).collect(),
            generation: self.state.generation.saturating_add(1),
            plan: self.plan.digest(),
        }
    }

    /// What a fork starts anew: as [`Machine::anew`], and approvals that the policy asks for, where a call that they
    /// permit starts anew. They were given for another run.
    pub(super) fn forked(&self, mut chosen: BTreeSet<usize>) -> Resumption {
        loop {
            let resets = self.resets(&chosen);
            let places = resets.slots.keys().map(|slot| self.place_of(*slot));
            let gates = places.filter_map(|place| self.layout.gate_of(place));
            let gates: Vec<Slot> = gates
                .filter(|gate| !resets.slots.contains_key(gate))
                .collect();
            if gates.is_empty() {
                return self.told(&resets);
            }
            chosen.extend(gates.into_iter().map(|gate| self.place_of(gate)));
        }
    }

    /// A step, and all that its items hold.
    fn all_within(&self, slot: Slot) -> Vec<Slot> {
        let mut all = vec![slot];
        let mut next = 0;
        while let Some(slot) = all.get(next).copied() {
            next += 1;
            let frames = self.fan(slot).map_or(&[][..], |fan| fan.frames.as_slice());
            let held: Vec<Slot> = frames.iter().flat_map(|id| self.instances(*id)).collect();
            all.extend(held);
        }
        all
    }

    /// The fan-outs in whose items a step did not succeed, whether that failed them or not.
    fn restless(&self, chosen: &BTreeSet<usize>) -> BTreeSet<Slot> {
        let mut within: Vec<(Slot, Slot)> = Vec::new();
        let mut owners: Vec<Slot> = self.main_flow().collect();
        while let Some(owner) = owners.pop() {
            let frames = self.fan(owner).map_or(&[][..], |fan| fan.frames.as_slice());
            for slot in frames.iter().flat_map(|id| self.instances(*id)) {
                within.push((owner, slot));
                if self.fan(slot).is_some() {
                    owners.push(slot);
                }
            }
        }
        let mut restless = BTreeSet::new();
        // what is within an item was found after it
        for (owner, slot) in within.into_iter().rev() {
            let own = self.is_unsettled(slot) || chosen.contains(&self.place_of(slot));
            if own || restless.contains(&slot) {
                restless.insert(owner);
            }
        }
        restless
    }

    /// Whether a step did not succeed, and is not skipped by a condition or join.
    fn is_unsettled(&self, slot: Slot) -> bool {
        let step = self.state.steps.at(slot);
        step.anew
            || match &step.phase {
                Phase::Succeeded
                | Phase::Skipped(SkipReason::NotTaken | SkipReason::UpstreamSkipped) => false,
                Phase::Skipped(
                    SkipReason::UpstreamFailed
                    | SkipReason::RunFailed
                    | SkipReason::RunCancelled
                    | SkipReason::ItemFailed
                    | SkipReason::OutOfTime,
                )
                | Phase::Failed
                | Phase::Cancelled
                | Phase::Blocked
                | Phase::Ready
                | Phase::InFlight
                | Phase::Owed
                | Phase::Delayed(_)
                | Phase::Asking(_)
                | Phase::Spread
                | Phase::Doubtful => true,
            }
    }

    /// Whether a step starts anew, given what it waits for and what is kept of its item.
    fn sort(
        &self,
        slot: Slot,
        items: Items,
        restless: &BTreeSet<Slot>,
        chosen: &BTreeSet<usize>,
        resets: &mut Resets,
    ) -> bool {
        let is_chosen = chosen.contains(&self.place_of(slot));
        let own = is_chosen || self.is_unsettled(slot) || restless.contains(&slot);
        let waits: Vec<Slot> = self
            .dependencies(slot)
            .filter(|dependency| resets.slots.contains_key(dependency))
            .collect();
        let starts_anew = own || items == Items::Anew || !waits.is_empty();
        if starts_anew {
            let forgets = is_chosen || self.forgets_items(slot, &waits);
            let items = if items == Items::Anew || forgets {
                Items::Anew
            } else {
                Items::Kept
            };
            resets.slots.insert(slot, items);
        }
        starts_anew
    }

    /// Whether nothing of the items of a fan-out can be kept: more than its list has changed, or keeping
    /// them all would end as before.
    fn forgets_items(&self, slot: Slot, waits: &[Slot]) -> bool {
        let Some((fan, fan_out)) = self.fan(slot).zip(self.fan_out(slot)) else {
            return false;
        };
        let never_held =
            fan_out.until.is_some() && fan.failed.is_none() && !fan.cut && !fan.stopped;
        let failed = self.state.steps.at(slot).phase == Phase::Failed;
        let only_for_its_list = |dependency: &Slot| {
            let graph = self.plan.graph();
            let origins = graph.origins(self.place_of(slot), self.place_of(*dependency));
            origins == [EdgeOrigin::Reference] && fan_out.until.is_none()
        };
        (failed && never_held) || !waits.iter().all(only_for_its_list)
    }

    /// Whether running a step anew could do a second time what is not safe to repeat.
    fn may_repeat(&self, slot: Slot) -> bool {
        !self.is_repeatable(slot)
            && self
                .state
                .steps
                .at(slot)
                .attempts
                .iter()
                .any(|attempt| match &attempt.end {
                    None => true,
                    Some(end) => match end.result {
                        AttemptResult::Failed | AttemptResult::Cancelled => end
                            .failure
                            .as_ref()
                            .is_none_or(|failure| failure.effect == Effect::Unknown),
                        AttemptResult::Succeeded
                        | AttemptResult::Interrupted
                        | AttemptResult::Unknown => true,
                    },
                })
    }
}

impl<P: Basis> Machine<P> {
    /// A driver took the run up, or it starts anew from a reset.
    pub(super) fn resumed(
        &mut self,
        at: Timestamp,
        generation: u32,
        plan: Digest,
        reset: &[StepPath],
    ) -> Result<(), Refused> {
        if plan != self.plan.digest() {
            return Err(Refused::OtherPlan {
                journaled: plan,
                given: self.plan.digest(),
            });
        }
        let expected = self
            .state
            .generation
            .saturating_add(u32::from(!reset.is_empty()));
        if generation != expected {
            return Err(Refused::WrongGeneration {
                expected,
                actual: generation,
            });
        }
        if let Some(first) = reset.first()
            && self.state.ended.is_none()
        {
            return Err(Refused::WrongReason {
                step: first.clone(),
            });
        }
        let slots = self.to_reset(reset)?;
        // the time since the last event was nobody's
        self.state.driven_to = self.state.driven_to.max(at);
        self.advance(at);
        if !slots.is_empty() {
            self.start_anew(generation, &slots);
        }
        Ok(())
    }

    /// The steps of a reset, each with the fan-out around it.
    pub(super) fn to_reset(&self, reset: &[StepPath]) -> Result<Vec<Slot>, Refused> {
        let slots = reset
            .iter()
            .map(|path| self.slot(path))
            .collect::<Result<Vec<_>, _>>()?;
        let known: BTreeSet<Slot> = slots.iter().copied().collect();
        for slot in &slots {
            let owner = self.frame_of(*slot).map(|frame| self.frame(frame).owner);
            if owner.is_some_and(|owner| !known.contains(&owner)) {
                return Err(Refused::WrongReason {
                    step: self.path(*slot),
                });
            }
        }
        Ok(slots)
    }

    pub(super) fn start_anew(&mut self, generation: u32, slots: &[Slot]) {
        let state = &mut self.state;
        state.generation = generation;
        state.ended = None;
        state.ending = None;
        state.ready = Ready::new(&self.layout.pool_limits);
        state.loose.clear();
        for slot in slots {
            let step = state.steps.at_mut(*slot);
            if step.frame.is_some() {
                // it stays as it was until its item is opened again
                step.anew = true;
            } else {
                step.reset();
                state.failed.remove(slot);
            }
        }
        let main_flow: Vec<Slot> = self.main_flow().collect();
        self.state.left = 0;
        for slot in main_flow {
            let open = self
                .dependencies(slot)
                .filter(|dependency| !self.state.steps.at(*dependency).phase.status().is_ended())
                .count();
            let step = self.state.steps.at_mut(slot);
            step.open = open;
            if !step.phase.status().is_ended() {
                self.state.left += 1;
            }
        }
        for slot in slots {
            let step = self.state.steps.at(*slot);
            if step.frame.is_none() && step.open == 0 {
                self.enter(*slot, Phase::Ready);
            }
        }
    }
}

/// What starts anew, and what is kept.
struct Resets {
    /// The steps that start anew, and what that means for the items of fan-outs among them.
    slots: BTreeMap<Slot, Items>,
    /// The steps that keep their results.
    kept: Vec<Slot>,
    /// Those of them that start anew if their item turns out to be another.
    unsure: Vec<Slot>,
}

/// Whether finished steps in the items of a fan-out keep their results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Items {
    Kept,
    Anew,
}
