//! A failed run starts anew from what did not succeed.

use plan_model::{Digest, Timestamp};

use super::Machine;
use super::basis::Basis;
use super::phase::Phase;
use super::ready::Ready;
use super::slot::{PerStep, Slot};
use super::state::StepState;
use crate::event::EventKind;
use crate::record::AttemptResult;
use crate::{Effect, Refused, RunStatus, SkipReason, StepPath};

/// What resuming a failed run would do. Nothing has happened yet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resumption {
    /// Steps that run again or for the first time, in plan order.
    pub reset: Vec<StepPath>,
    /// Steps that keep their result, in plan order.
    pub kept: Vec<StepPath>,
    /// Steps among the reset ones whose call is not safe to repeat and has, or may have, been made.
    pub may_repeat: Vec<StepPath>,
    generation: u32,
    plan: Digest,
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
        let plan = self.plan.clone();
        let mut anew = PerStep::new(self.state.steps.len(), || false);
        for slot in plan
            .graph()
            .order()
            .unwrap_or_default()
            .iter()
            .copied()
            .map(Slot)
        {
            let own = match &self.state.steps.at(slot).phase {
                Phase::Succeeded
                | Phase::Skipped(SkipReason::NotTaken | SkipReason::UpstreamSkipped) => false,
                Phase::Skipped(
                    SkipReason::UpstreamFailed | SkipReason::RunFailed | SkipReason::RunCancelled,
                )
                | Phase::Failed
                | Phase::Cancelled
                | Phase::Blocked
                | Phase::Ready
                | Phase::InFlight
                | Phase::Owed
                | Phase::Delayed(_)
                | Phase::Asking(_)
                | Phase::Doubtful => true,
            };
            *anew.at_mut(slot) = own
                || self
                    .dependencies(slot)
                    .any(|dependency| *anew.at(dependency));
        }
        let (reset, kept): (Vec<Slot>, Vec<Slot>) = self.slots().partition(|slot| *anew.at(*slot));
        if reset.is_empty() {
            return Err(ResumeRefused::NothingToReset);
        }
        let may_repeat = reset.iter().filter(|slot| self.may_repeat(**slot));
        Ok(Resumption {
            may_repeat: may_repeat.map(|slot| self.path(*slot)).collect(),
            reset: reset.iter().map(|slot| self.path(*slot)).collect(),
            kept: kept.iter().map(|slot| self.path(*slot)).collect(),
            generation: self.state.generation.saturating_add(1),
            plan: plan.digest(),
        })
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
        if !reset.is_empty() && self.state.ended.is_none() {
            return Err(Refused::WrongReason {
                step: reset.first().cloned().unwrap_or_else(|| self.path(Slot(0))),
            });
        }
        let slots = reset
            .iter()
            .map(|path| self.slot(path))
            .collect::<Result<Vec<_>, _>>()?;
        // the time since the last event was nobody's
        self.state.driven_to = self.state.driven_to.max(at);
        self.advance(at);
        if !slots.is_empty() {
            self.start_anew(generation, &slots);
        }
        Ok(())
    }

    fn start_anew(&mut self, generation: u32, slots: &[Slot]) {
        let state = &mut self.state;
        state.generation = generation;
        state.ended = None;
        state.ending = None;
        state.sweep = Slot(0);
        state.ready = Ready::new(&self.layout.pool_limits);
        for slot in slots {
            let step = state.steps.at_mut(*slot);
            let attempts = std::mem::take(&mut step.attempts);
            *step = StepState {
                attempts,
                asked: step.asked,
                ..StepState::new()
            };
        }
        for slot in slots {
            self.state.failed.remove(slot);
        }
        self.state.settled = 0;
        for slot in self.slots() {
            let open = self
                .dependencies(slot)
                .filter(|dependency| !self.state.steps.at(*dependency).phase.status().is_ended())
                .count();
            let step = self.state.steps.at_mut(slot);
            step.open = open;
            if step.phase.status().is_ended() {
                self.state.settled += 1;
            }
        }
        for slot in slots {
            if self.state.steps.at(*slot).open == 0 {
                self.enter(*slot, Phase::Ready);
            }
        }
    }
}
