//! What a drive is told from outside.

use plan_model::Timestamp;
use plan_run::{
    Answer, Decision, EventKind, Machine, PrincipalName, RequestId, RunRecord, StepPath,
};
use tokio::sync::oneshot;

use crate::ControlError;

/// Something for the journal, or a question about the run.
#[derive(Debug)]
pub(crate) enum Command {
    /// To be journaled, if it fits.
    Control(Control, oneshot::Sender<Result<(), ControlError>>),
    /// The record as the journal has it.
    Record(oneshot::Sender<RunRecord>),
    /// Stop driving; the run stays as it is.
    Stop,
}

/// Something for the journal, and whom to tell once it is there.
pub(crate) type Told = (Control, oneshot::Sender<Result<(), ControlError>>);

/// What anybody may add to a run.
#[derive(Debug, Clone)]
pub(crate) enum Control {
    /// An answer to a request.
    Answer {
        request: RequestId,
        answer: Answer,
        by: PrincipalName,
    },
    /// A decision about an attempt in doubt.
    Decide {
        step: StepPath,
        decision: Decision,
        by: PrincipalName,
    },
    /// The wish to end the run.
    Cancel { by: PrincipalName, reason: String },
}

impl Control {
    /// Whether an event of the journal says just this.
    pub(crate) fn made(&self, event: &EventKind) -> bool {
        match (self, event) {
            (
                Self::Answer {
                    request,
                    answer,
                    by,
                },
                EventKind::RequestAnswered(answered),
            ) => (request, answer, by) == (&answered.request, &answered.answer, &answered.by),
            (
                Self::Decide { step, decision, by },
                EventKind::Decided {
                    step: of,
                    decision: made,
                    by: who,
                    ..
                },
            ) => (step, decision, by) == (of, made, who),
            (
                Self::Cancel { by, reason },
                EventKind::CancelRequested {
                    by: who,
                    reason: why,
                },
            ) => (by, reason) == (who, why),
            _ => false,
        }
    }

    /// The event that it makes, if it fits the run.
    pub(crate) fn event(
        &self,
        machine: &Machine,
        now: Timestamp,
    ) -> Result<EventKind, ControlError> {
        if machine.status().is_finished() {
            return Err(ControlError::Finished {
                run: machine.run_id().clone(),
            });
        }
        match self {
            Self::Answer {
                request,
                answer,
                by,
            } => Ok(machine.answer(request, answer.clone(), by.clone(), now)?),
            Self::Decide { step, decision, by } => {
                Ok(machine.decide(step, decision.clone(), by.clone())?)
            }
            Self::Cancel { by, reason } => Ok(machine.cancel(by.clone(), reason.clone())),
        }
    }
}
