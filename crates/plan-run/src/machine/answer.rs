//! Answers of people, and which are refused.

use plan_model::{HumanInteraction, OnReject, Step, Timestamp, ValueType};
use serde_json::{Map, Value};

use super::Machine;
use super::layout::Work;
use super::request::response;
use super::resolve::listed;
use super::state::RequestState;
use crate::event::{Consequence, EventKind, RequestAnswered};
use crate::{Answer, PrincipalName, RequestId, RequestKind, RunStatus};

/// Why an answer is refused. The request stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerRefused {
    /// The run has no such request.
    #[error("the run has no request `{0}`")]
    Unknown(RequestId),
    /// Somebody answered before.
    #[error("request `{0}` was answered before")]
    AlreadyAnswered(RequestId),
    /// The run closed the request because it is ending.
    #[error("request `{0}` was withdrawn because the run is ending")]
    Withdrawn(RequestId),
    /// The answer came too late.
    #[error("request `{0}` is out of time")]
    Expired(RequestId),
    /// A text for an approval: only `approve`, `reject` and `cancel` count.
    #[error("request `{0}` is an approval, which takes approve, reject or cancel and no text")]
    TextForApproval(RequestId),
    /// An approval or a rejection for a question.
    #[error("request `{0}` is a question, which takes a text or cancel")]
    ApprovalForQuestion(RequestId),
    /// The text is not what the question asks for.
    #[error("the answer to `{request}` does not fit: {problem}")]
    DoesNotFit {
        /// The request.
        request: RequestId,
        /// What is wrong, as a clause.
        problem: String,
    },
    /// The run has ended.
    #[error("the run has ended as {0}")]
    RunEnded(RunStatus),
}

impl Machine {
    /// What a person's answer does.
    ///
    /// The answer is bound to the request's content, is used once, and says who gave it.
    ///
    /// # Errors
    /// Says why the answer is refused; nothing has changed.
    pub fn answer(
        &self,
        request: &RequestId,
        answer: Answer,
        by: PrincipalName,
        now: Timestamp,
    ) -> Result<EventKind, AnswerRefused> {
        if let Some(ended) = &self.state.ended {
            return Err(AnswerRefused::RunEnded(ended.status));
        }
        let unknown = || AnswerRefused::Unknown(request.clone());
        let (slot, state) = self.state.requests.get(request).ok_or_else(unknown)?;
        match state {
            RequestState::Open => {}
            RequestState::Answered => return Err(AnswerRefused::AlreadyAnswered(request.clone())),
            RequestState::Expired => return Err(AnswerRefused::Expired(request.clone())),
            RequestState::Withdrawn => return Err(AnswerRefused::Withdrawn(request.clone())),
        }
        let open = self.open_request(*slot).ok_or_else(unknown)?;
        if open.expires_at.is_some_and(|last| now > last) {
            return Err(AnswerRefused::Expired(request.clone()));
        }
        let step = self.step_of(*slot);
        let ask = match Work::of(&step.config) {
            Work::Ask(ask) => Some(ask),
            _ => None,
        };
        let consequence = match (open.kind, &answer, ask) {
            (_, Answer::Cancel, _) => Consequence::Cancels,
            (RequestKind::Effect, Answer::Approve, _) => Consequence::Permits,
            (RequestKind::Effect, Answer::Reject, _) => Consequence::Rejects,
            (RequestKind::Effect | RequestKind::Approval, Answer::Text(_), _) => {
                return Err(AnswerRefused::TextForApproval(request.clone()));
            }
            (RequestKind::Approval, Answer::Approve, Some(ask)) => {
                Consequence::Delivers(approval(step, ask, true))
            }
            (RequestKind::Approval, Answer::Reject, Some(ask)) => match ask.on_reject {
                OnReject::Cancel => Consequence::Rejects,
                OnReject::Continue => Consequence::Delivers(approval(step, ask, false)),
            },
            (RequestKind::Question, Answer::Text(text), Some(ask)) => {
                let refuse = |problem| AnswerRefused::DoesNotFit {
                    request: request.clone(),
                    problem,
                };
                Consequence::Delivers(self.read_answer(step, ask, text).map_err(refuse)?)
            }
            (RequestKind::Question, Answer::Approve | Answer::Reject, _) => {
                return Err(AnswerRefused::ApprovalForQuestion(request.clone()));
            }
            (RequestKind::Approval | RequestKind::Question, _, None) => return Err(unknown()),
        };
        Ok(EventKind::RequestAnswered(Box::new(RequestAnswered {
            request: request.clone(),
            step: open.step.clone(),
            binding: open.binding,
            answer,
            by,
            consequence,
        })))
    }

    /// The outputs that a text gives.
    fn read_answer(
        &self,
        step: &Step,
        ask: &HumanInteraction,
        text: &str,
    ) -> Result<crate::JsonObject, String> {
        let most = self.limits().value_bytes;
        if text.len() > most {
            return Err(format!("it has more than {most} bytes"));
        }
        let outputs = Map::from_iter([(ask.response_field.to_string(), Value::from(text))]);
        self.plan
            .check_outputs(&step.id, &outputs)
            .map_err(|problems| listed(&problems))?;
        Ok(outputs.into())
    }
}

/// The outputs of an approval: a boolean, or a word where the output is declared as a string.
fn approval(step: &Step, ask: &HumanInteraction, approved: bool) -> crate::JsonObject {
    let is_text = response(step, ask).is_some_and(|output| output.value_type == ValueType::String);
    let value = match (is_text, approved) {
        (false, _) => Value::Bool(approved),
        (true, true) => Value::from("approved"),
        (true, false) => Value::from("rejected"),
    };
    Map::from_iter([(ask.response_field.to_string(), value)]).into()
}
