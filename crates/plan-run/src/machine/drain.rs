//! A run that is ending: what had not ended is given up, with its reason.

use super::Machine;
use super::phase::Phase;
use super::state::{StopCause, Stopping};
use crate::SkipReason;
use crate::event::{EventKind, StopReason};

/// What the end of a run means for work in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// It goes on to its own end.
    Drain,
    /// It is stopped.
    Abort,
}

impl Machine {
    /// Whether the run is ending, and what that means for work in flight.
    pub fn ending(&self) -> Option<Ending> {
        if self.state.ended.is_some() {
            return None;
        }
        self.state.ending.as_ref().map(|stopping| {
            if stopping.abort {
                Ending::Abort
            } else {
                Ending::Drain
            }
        })
    }

    /// Gives up whatever neither runs nor is in doubt.
    pub(super) fn drain(&self, events: &mut Vec<EventKind>, limit: usize) {
        let (skip, stop) = match &self.state.ending {
            Some(Stopping {
                cause: StopCause::Cancelled { .. },
                ..
            }) => (SkipReason::RunCancelled, StopReason::RunCancelled),
            Some(_) | None => (SkipReason::RunFailed, StopReason::RunFailed),
        };
        for (slot, step) in self.state.steps.from(self.state.sweep) {
            match &step.phase {
                Phase::Blocked | Phase::Ready => events.push(EventKind::StepSkipped {
                    step: self.path(slot),
                    reason: skip,
                }),
                Phase::Owed | Phase::Delayed(_) => events.push(EventKind::RetryDropped {
                    step: self.path(slot),
                    reason: stop,
                }),
                Phase::Asking(request) => events.push(EventKind::RequestWithdrawn {
                    request: request.id.clone(),
                    step: self.path(slot),
                    reason: stop,
                }),
                Phase::InFlight | Phase::Doubtful => {}
                Phase::Succeeded | Phase::Failed | Phase::Skipped(_) | Phase::Cancelled => {}
            }
            if events.len() >= limit {
                break;
            }
        }
    }
}

impl From<StopReason> for SkipReason {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::RunFailed => Self::RunFailed,
            StopReason::RunCancelled => Self::RunCancelled,
        }
    }
}
