//! What each event does to a run: one match over all of them, each arm checks before it changes anything.

mod agent;
mod attempt;
mod check;
mod items;
mod request;

use plan_model::{StepConfig, Timestamp};
use serde_json::Value;

use super::Machine;
use super::basis::Basis;
use super::phase::{Move, Phase};
use super::state::{Ended, RequestState, StopCause};
use crate::event::{Event, EventKind, StopReason};
use crate::{Refused, RunStatus};

pub(super) use request::digest_of;

use check::wrong_kind;

impl<P: Basis> Machine<P> {
    /// Moves the run by one event, which the journal already holds.
    ///
    /// The only way in which a run changes. It decides nothing: whatever was
    /// decided stands in the event. Applying a journal from its start gives the
    /// run as it was.
    ///
    /// # Errors
    /// When the event does not fit where the run stands; the run is then unchanged.
    pub fn apply(&mut self, event: &Event) -> Result<(), Refused> {
        let at = event.at;
        if let Some(ended) = &self.state.ended {
            match &event.kind {
                EventKind::LateResult { .. } => {}
                EventKind::RunResumed { reset, .. }
                    if ended.status == RunStatus::Failed && !reset.is_empty() => {}
                EventKind::RunForked(_) => {}
                _ => {
                    return Err(Refused::RunEnded {
                        status: ended.status,
                    });
                }
            }
        }
        match &event.kind {
            EventKind::RunCreated(_) => return Err(Refused::AlreadyCreated),
            EventKind::AttemptStarted(started) => self.attempt_started(at, started)?,
            EventKind::AttemptEnded {
                step,
                attempt,
                outcome,
            } => {
                self.attempt_ended(at, &event.kind, step, *attempt, outcome)?;
            }
            EventKind::ModelAnswered {
                step,
                attempt,
                answer,
                usage,
            } => self.model_answered(at, (step, *attempt), *answer, *usage)?,
            EventKind::AgentCalled(called) => self.agent_called(at, called)?,
            EventKind::AgentCallEnded {
                step,
                attempt,
                call,
                failure,
            } => self.agent_call_ended(at, (step, *attempt), *call, failure.as_deref())?,
            EventKind::RetryScheduled { step, due_at, .. } => {
                let (slot, phase) = self.follow(step, Move::Schedule(*due_at), &event.kind)?;
                self.tick(at);
                self.enter(slot, phase);
            }
            EventKind::RetryDropped { step, reason } => {
                self.check_reason(step, (*reason).into())?;
                let by = match reason {
                    StopReason::RunFailed | StopReason::OutOfTime => Move::GiveUp,
                    StopReason::RunCancelled => Move::Cancel,
                };
                let (slot, phase) = self.follow(step, by, &event.kind)?;
                if matches!(self.state.steps.at(slot).phase, Phase::Asking(_)) {
                    return Err(self.wrong_phase(slot, &event.kind));
                }
                self.tick(at);
                self.enter(slot, phase);
            }
            EventKind::StepSkipped { step, reason } => {
                self.check_reason(step, *reason)?;
                let (slot, phase) = self.follow(step, Move::Skip(*reason), &event.kind)?;
                if self.state.steps.at(slot).phase == Phase::Blocked && !self.is_given_up(slot) {
                    return Err(self.wrong_phase(slot, &event.kind));
                }
                self.tick(at);
                self.enter(slot, phase);
            }
            EventKind::StepFailed { step, failure } => {
                let (slot, phase) = self.follow(step, Move::Break, &event.kind)?;
                let asking = self.open_request(slot).map(|request| request.id.clone());
                if self.state.steps.at(slot).phase == Phase::Spread {
                    self.check_through(slot)?;
                } else if asking.is_none() {
                    self.check_going(step)?;
                }
                self.tick(at);
                if let Some(request) = asking {
                    self.close(&request, RequestState::Expired);
                }
                self.state.steps.at_mut(slot).failure = Some(failure.clone());
                self.enter(slot, phase);
            }
            EventKind::BranchTaken { step, result } => {
                self.check_going(step)?;
                let (slot, phase) = self.follow(step, Move::Choose, &event.kind)?;
                if !matches!(self.step_of(slot).config, StepConfig::Condition(_)) {
                    return Err(wrong_kind(step, &event.kind));
                }
                self.tick(at);
                let outputs =
                    serde_json::Map::from_iter([("result".to_owned(), Value::Bool(*result))]);
                self.state.steps.at_mut(slot).outputs = Some(outputs.into());
                self.enter(slot, phase);
            }
            EventKind::ItemsExpanded(expanded) => {
                self.items_expanded(at, &event.kind, expanded)?;
            }
            EventKind::UntilEvaluated {
                step,
                index,
                result,
            } => {
                self.until_evaluated(at, &event.kind, step, *index, *result)?;
            }
            EventKind::ItemsStopped { step } => self.items_stopped(at, &event.kind, step)?,
            EventKind::ListCollected { step, count } => {
                self.list_collected(at, &event.kind, step, *count)?;
            }
            EventKind::FanOutDropped { step, reason } => {
                self.check_reason(step, (*reason).into())?;
                let (slot, phase) = self.follow(step, Move::Drop, &event.kind)?;
                self.check_through(slot)?;
                self.tick(at);
                self.enter(slot, phase);
            }
            EventKind::RequestOpened(request) => self.request_opened(at, &event.kind, request)?,
            EventKind::RequestAnswered(answered) => {
                self.request_answered(at, &event.kind, answered)?;
            }
            EventKind::RequestWithdrawn {
                request,
                step,
                reason,
            } => {
                self.check_reason(step, (*reason).into())?;
                let (slot, phase) = self.follow(step, Move::Cancel, &event.kind)?;
                self.check_open(slot, request)?;
                self.tick(at);
                self.close(request, RequestState::Withdrawn);
                self.enter(slot, phase);
            }
            EventKind::InDoubtFound { step, attempt } => {
                let (slot, phase) = self.follow(step, Move::Doubt, &event.kind)?;
                self.check_last(slot, *attempt)?;
                self.tick(at);
                self.enter(slot, phase);
            }
            EventKind::Decided {
                step,
                attempt,
                decision,
                by,
            } => {
                self.decided(at, &event.kind, step, *attempt, (decision, by))?;
            }
            EventKind::CancelRequested { by, reason } => {
                self.hear(at);
                let reason = Some(reason.clone()).filter(|reason| !reason.is_empty());
                self.stop(
                    StopCause::Cancelled {
                        by: by.clone(),
                        reason,
                    },
                    true,
                );
            }
            EventKind::BudgetCrossed { budget, limit } => {
                self.tick(at);
                self.stop(StopCause::Crossed(*budget, *limit), budget.stops_work());
            }
            EventKind::LateResult {
                step,
                attempt,
                result,
            } => {
                let slot = self.slot(step)?;
                let current = self.state.steps.at(slot);
                if current.phase == Phase::InFlight && current.last_attempt() == *attempt {
                    return Err(self.wrong_phase(slot, &event.kind));
                }
                let expected = current.last_attempt();
                let index = usize::try_from(*attempt)
                    .unwrap_or(usize::MAX)
                    .wrapping_sub(1);
                if index >= current.attempts.len() {
                    return Err(Refused::WrongAttempt {
                        step: step.clone(),
                        expected,
                        actual: *attempt,
                    });
                }
                self.tick(at);
                if let Some(record) = self.state.steps.at_mut(slot).attempts.get_mut(index) {
                    record.late = Some(Box::new(result.clone()));
                }
            }
            EventKind::RunResumed {
                generation,
                plan,
                reset,
            } => {
                self.resumed(at, *generation, *plan, reset)?;
            }
            EventKind::RunForked(forked) => {
                if self.state.ended.is_none() {
                    return Err(Refused::NoFork);
                }
                self.run_forked(at, forked)?;
            }
            EventKind::RunEnded {
                status,
                outputs,
                failure,
            } => {
                let open = self.state.left;
                let fits = match status {
                    RunStatus::Running | RunStatus::Waiting => false,
                    RunStatus::Succeeded => {
                        self.state.ending.is_none() && self.state.failed.is_empty()
                    }
                    RunStatus::Failed => !self.state.is_cancelled(),
                    RunStatus::Cancelled => self.state.is_cancelled(),
                };
                if open > 0 || !fits {
                    return Err(Refused::NotOver {
                        status: *status,
                        open,
                    });
                }
                self.tick(at);
                self.state.ended = Some(Ended {
                    at,
                    status: *status,
                    outputs: outputs.clone(),
                    failure: failure.clone(),
                });
            }
        }
        Ok(())
    }

    /// The time has come to `at`: counts what was driven, and frees what is due.
    pub(super) fn tick(&mut self, at: Timestamp) {
        let state = &mut self.state;
        if state.status() == RunStatus::Running {
            state.driven += at.since(state.driven_to);
        }
        state.driven_to = state.driven_to.max(at);
        self.advance(at);
    }

    /// The time has come to `at`, says somebody who need not be the driver.
    ///
    /// Whether the run was driven until then is for the driver's next event to say:
    /// one that takes the run up counts nothing, any other counts it all.
    pub(super) fn hear(&mut self, at: Timestamp) {
        let state = &mut self.state;
        if state.status() != RunStatus::Running {
            state.driven_to = state.driven_to.max(at);
        }
        self.advance(at);
    }
}
