//! A run that is ending: what had not ended is given up, with its reason.

use super::Machine;
use super::phase::Phase;
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

    /// Gives up what was let go.
    pub(super) fn drain(&self, events: &mut Vec<EventKind>, limit: usize) {
        let reason = match &self.state.ending {
            Some(_) if self.state.is_cancelled() => StopReason::RunCancelled,
            Some(_) => StopReason::RunFailed,
            None => StopReason::OutOfTime,
        };
        for slot in self.state.loose.iter().take(limit).copied() {
            let step = self.path(slot);
            let event = match &self.state.steps.at(slot).phase {
                Phase::Blocked | Phase::Ready => EventKind::StepSkipped {
                    step,
                    reason: reason.into(),
                },
                Phase::Owed | Phase::Delayed(_) => EventKind::RetryDropped { step, reason },
                Phase::Asking(request) => EventKind::RequestWithdrawn {
                    request: request.id.clone(),
                    step,
                    reason,
                },
                Phase::Spread => self.conclude(slot, Some(reason)),
                Phase::InFlight | Phase::Doubtful => continue,
                Phase::Succeeded | Phase::Failed | Phase::Skipped(_) | Phase::Cancelled => continue,
            };
            let fails = matches!(
                event,
                EventKind::RetryDropped { .. } | EventKind::StepFailed { .. }
            );
            events.push(event);
            if fails && self.state.ending.is_none() && self.fails_run(slot) {
                // the run is ending with it: what is left is given up for that reason
                return;
            }
        }
    }
}

impl From<StopReason> for SkipReason {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::RunFailed => Self::RunFailed,
            StopReason::RunCancelled => Self::RunCancelled,
            StopReason::OutOfTime => Self::OutOfTime,
        }
    }
}
