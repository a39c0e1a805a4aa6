//! Requests: opened, and answered once by what they are bound to.

use plan_model::{Digest, Timestamp};
use serde_json::Value;

use super::check::wrong_kind;
use crate::event::{Consequence, EventKind, RequestAnswered};
use crate::machine::Machine;
use crate::machine::basis::Basis;
use crate::machine::layout::Work;
use crate::machine::phase::Move;
use crate::machine::state::{RequestState, StopCause};
use crate::{Answer, JsonObject, Refused, Request, RequestKind};

impl<P: Basis> Machine<P> {
    pub(in crate::machine) fn request_opened(
        &mut self,
        at: Timestamp,
        event: &EventKind,
        request: &Request,
    ) -> Result<(), Refused> {
        self.check_going(&request.step)?;
        let (slot, phase) =
            self.follow(&request.step, Move::Ask(Box::new(request.clone())), event)?;
        let fits = match Work::of(&self.step_of(slot).config) {
            Work::Ask(ask) => {
                let kind = if ask.approval_required {
                    RequestKind::Approval
                } else {
                    RequestKind::Question
                };
                request.kind == kind
            }
            Work::Tool(_) | Work::Code(_) | Work::Prompt(_) | Work::Agent(_) => {
                request.kind == RequestKind::Effect && request.call.is_some()
            }
            Work::Choose(_) | Work::FanOut(_) | Work::FanIn(_) => false,
        };
        if !fits {
            return Err(wrong_kind(&request.step, event));
        }
        if self.state.requests.contains_key(&request.id) {
            return Err(Refused::RepeatedRequest {
                request: request.id.clone(),
            });
        }
        self.tick(at);
        self.state
            .requests
            .insert(request.id.clone(), (slot, RequestState::Open));
        let current = self.state.steps.at_mut(slot);
        current.asked = current.asked.saturating_add(1);
        current.approved = None;
        self.enter(slot, phase);
        Ok(())
    }

    pub(in crate::machine) fn request_answered(
        &mut self,
        at: Timestamp,
        event: &EventKind,
        answered: &RequestAnswered,
    ) -> Result<(), Refused> {
        let by = match &answered.consequence {
            Consequence::Delivers(_) => Move::Deliver,
            Consequence::Permits => Move::Permit,
            Consequence::Rejects | Consequence::Cancels => Move::Refuse,
        };
        let (slot, phase) = self.follow(&answered.step, by, event)?;
        let request = self.check_open(slot, &answered.request)?;
        if request.binding != answered.binding {
            return Err(Refused::OtherRequest {
                request: answered.request.clone(),
                step: answered.step.clone(),
            });
        }
        if let Some(expires_at) = request.expires_at
            && at > expires_at
        {
            return Err(Refused::Expired {
                request: answered.request.clone(),
                expires_at,
            });
        }
        if !follows(request.kind, &answered.answer, &answered.consequence) {
            return Err(Refused::WrongConsequence {
                request: answered.request.clone(),
            });
        }
        let approved = request.call.as_ref().map(|call| digest_of(&call.arguments));
        self.hear(at);
        self.close(&answered.request, RequestState::Answered);
        let cancelled = |reason: &str| StopCause::Cancelled {
            by: answered.by.clone(),
            reason: Some(format!("{reason} at `{}`", answered.step)),
        };
        self.state.steps.at_mut(slot).answered_by = Some(answered.by.clone());
        match &answered.consequence {
            Consequence::Delivers(outputs) => {
                self.state.steps.at_mut(slot).outputs = Some(outputs.clone());
            }
            Consequence::Permits => {
                self.state.steps.at_mut(slot).approved = approved.map(Box::new);
            }
            Consequence::Rejects => self.stop(cancelled("rejected"), false),
            Consequence::Cancels => self.stop(cancelled("cancelled"), true),
        }
        self.enter(slot, phase);
        Ok(())
    }
}

/// Whether a consequence can follow from an answer. No text approves, and nothing but an approval permits.
fn follows(kind: RequestKind, answer: &Answer, consequence: &Consequence) -> bool {
    match (kind, answer, consequence) {
        (_, Answer::Cancel, Consequence::Cancels)
        | (RequestKind::Question, Answer::Text(_), Consequence::Delivers(_))
        | (RequestKind::Approval, Answer::Approve, Consequence::Delivers(_))
        | (
            RequestKind::Approval,
            Answer::Reject,
            Consequence::Delivers(_) | Consequence::Rejects,
        )
        | (RequestKind::Effect, Answer::Approve, Consequence::Permits)
        | (RequestKind::Effect, Answer::Reject, Consequence::Rejects) => true,
        (
            RequestKind::Question | RequestKind::Approval | RequestKind::Effect,
            Answer::Approve | Answer::Reject | Answer::Cancel | Answer::Text(_),
            Consequence::Delivers(_)
            | Consequence::Permits
            | Consequence::Rejects
            | Consequence::Cancels,
        ) => false,
    }
}

/// The digest of the arguments that a person saw.
pub(in crate::machine) fn digest_of(arguments: &JsonObject) -> Digest {
    Digest::of_json(&Value::Object((**arguments).clone()))
}
