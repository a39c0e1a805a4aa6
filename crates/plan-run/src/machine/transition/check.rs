//! What must hold before an event changes anything.

use crate::event::EventKind;
use crate::machine::Machine;
use crate::machine::basis::Basis;
use crate::machine::phase::{Move, Phase, after};
use crate::machine::slot::Slot;
use crate::machine::state::RequestState;
use crate::{Refused, Request, RequestId, SkipReason, StepPath};

impl<P: Basis> Machine<P> {
    /// The slot of a path.
    pub(in crate::machine) fn slot(&self, path: &StepPath) -> Result<Slot, Refused> {
        self.slot_at(path)
            .ok_or_else(|| Refused::UnknownStep { step: path.clone() })
    }

    /// The slot of a path and the phase that a move takes it to.
    pub(in crate::machine) fn follow(
        &self,
        path: &StepPath,
        by: Move,
        event: &EventKind,
    ) -> Result<(Slot, Phase), Refused> {
        let slot = self.slot(path)?;
        after(&self.state.steps.at(slot).phase, by)
            .map(|phase| (slot, phase))
            .ok_or_else(|| self.wrong_phase(slot, event))
    }

    pub(in crate::machine) fn wrong_phase(&self, slot: Slot, event: &EventKind) -> Refused {
        Refused::WrongPhase {
            step: self.path(slot),
            status: self.state.steps.at(slot).phase.status(),
            event: event.name(),
        }
    }

    /// Whether anything may still start.
    pub(in crate::machine) fn check_going(&self, step: &StepPath) -> Result<(), Refused> {
        let is_given_up = match self.slot_at(step) {
            Some(slot) => self.is_given_up(slot),
            None => self.state.ending.is_some(),
        };
        if is_given_up {
            Err(Refused::RunEnding { step: step.clone() })
        } else {
            Ok(())
        }
    }

    /// Whether a reason fits where the run stands.
    pub(in crate::machine) fn check_reason(
        &self,
        step: &StepPath,
        reason: SkipReason,
    ) -> Result<(), Refused> {
        let fits = match reason {
            SkipReason::NotTaken
            | SkipReason::UpstreamSkipped
            | SkipReason::UpstreamFailed
            | SkipReason::ItemFailed => self.state.ending.is_none(),
            SkipReason::OutOfTime => {
                let slot = self.slot(step)?;
                self.state.ending.is_none() && self.is_given_up(slot)
            }
            SkipReason::RunFailed => self.state.ending.is_some() && !self.state.is_cancelled(),
            SkipReason::RunCancelled => self.state.is_cancelled(),
        };
        if fits {
            Ok(())
        } else {
            Err(Refused::WrongReason { step: step.clone() })
        }
    }

    pub(in crate::machine) fn check_last(&self, slot: Slot, attempt: u32) -> Result<(), Refused> {
        let expected = self.state.steps.at(slot).last_attempt();
        if expected == attempt {
            Ok(())
        } else {
            Err(Refused::WrongAttempt {
                step: self.path(slot),
                expected,
                actual: attempt,
            })
        }
    }

    pub(in crate::machine) fn check_open(
        &self,
        slot: Slot,
        id: &RequestId,
    ) -> Result<&Request, Refused> {
        self.open_request(slot)
            .filter(|request| request.id == *id)
            .ok_or_else(|| Refused::OtherRequest {
                request: id.clone(),
                step: self.path(slot),
            })
    }

    pub(in crate::machine) fn close(&mut self, request: &RequestId, to: RequestState) {
        if let Some((_, state)) = self.state.requests.get_mut(request) {
            *state = to;
        }
    }
}

pub(super) fn wrong_kind(step: &StepPath, event: &EventKind) -> Refused {
    Refused::WrongKind {
        step: step.clone(),
        event: event.name(),
    }
}
