//! What the result of an attempt does to its run.

use plan_model::{Limits, Timestamp, plain_text};
use serde_json::Value;

use super::Machine;
use super::layout::Work;
use super::measure::{dismantle, weigh};
use super::outputs::tail;
use super::phase::Phase;
use crate::event::{AttemptOutcome, EventKind, LateResult};
use crate::{AgentReport, Confinement, Effect, Failure, FailureClass, ModelAnswer, StepPath};

/// What an effect returned.
#[derive(Debug, Clone, PartialEq)]
pub enum AttemptSuccess {
    /// A tool returned a value.
    Value {
        /// The value.
        value: Value,
        /// The last of standard output, where there was one.
        stdout: Option<String>,
        /// The last of standard error, where there was one.
        stderr: Option<String>,
    },
    /// A script ended. Another exit code than zero is a failure.
    Process {
        /// Its standard output.
        stdout: String,
        /// Its standard error.
        stderr: String,
        /// Its exit code.
        exit_code: i32,
        /// What it was held to, where the runner says.
        confinement: Option<Box<Confinement>>,
    },
    /// A model answered.
    Answer(ModelAnswer),
    /// An agent reported.
    Report {
        /// What it said.
        report: AgentReport,
        /// What it was held to, where it is a program.
        confinement: Option<Box<Confinement>>,
    },
}

impl From<Value> for AttemptSuccess {
    fn from(value: Value) -> Self {
        Self::Value {
            value,
            stdout: None,
            stderr: None,
        }
    }
}

impl Machine {
    /// The events that the result of an attempt leads to.
    ///
    /// Shapes the outputs and checks them, or decides whether another attempt follows; `jitter`
    /// is a number from 0 to 1 that the caller draws. The result of an attempt that has already
    /// ended is recorded and changes nothing. A timeout is a failure that the driver gives.
    pub fn settle(
        &self,
        step: &StepPath,
        attempt: u32,
        result: Result<AttemptSuccess, Failure>,
        now: Timestamp,
        jitter: f64,
    ) -> Vec<EventKind> {
        let current = self.slot(step).ok().filter(|slot| {
            let state = self.state.steps.at(*slot);
            state.phase == Phase::InFlight && state.last_attempt() == attempt
        });
        let limits = self.limits();
        let at =
            |failure: Failure| Box::new(bounded(failure, &limits).at(step.clone(), Some(attempt)));
        let Some(slot) = current else {
            let result = match result {
                Ok(success) => {
                    discard(success);
                    LateResult::Succeeded
                }
                Err(failure) => LateResult::Failed(at(failure)),
            };
            return vec![EventKind::LateResult {
                step: step.clone(),
                attempt,
                result,
            }];
        };
        let ended = |outcome| EventKind::AttemptEnded {
            step: step.clone(),
            attempt,
            outcome,
        };
        let mut failure = match result.and_then(|success| self.shape(slot, success)) {
            Ok(delivered) => return vec![ended(AttemptOutcome::Succeeded(delivered))],
            Err(failure) => failure,
        };
        if matches!(Work::of(&self.step_of(slot).config), Work::Prompt(_)) {
            // a question changes nothing, whatever became of it
            failure.effect = Effect::None;
        }
        if self.is_given_up(slot) {
            // nothing more starts, another attempt neither
            let stopped = failure.class == FailureClass::Cancelled;
            let failure = at(failure);
            return vec![ended(if stopped {
                AttemptOutcome::Cancelled(failure)
            } else {
                AttemptOutcome::Failed(failure)
            })];
        }
        match self.retry_delay(slot, &failure, jitter) {
            None => vec![ended(AttemptOutcome::Failed(at(failure)))],
            Some(delay) => vec![
                ended(AttemptOutcome::Retrying(at(failure))),
                EventKind::RetryScheduled {
                    step: step.clone(),
                    due_at: now.plus(delay),
                    delay,
                },
            ],
        }
    }
}

/// A failure that is safe to journal, whatever the tool put in it.
fn bounded(mut failure: Failure, limits: &Limits) -> Failure {
    const MESSAGE_BYTES: usize = 16 << 10;
    const DETAIL_BYTES: usize = 64 << 10;
    // what a model or a provider says is shown to people, and is not to speak to their terminals
    if let std::borrow::Cow::Owned(plain) = plain_text(&failure.message) {
        failure.message = plain;
    }
    if failure.message.len() > MESSAGE_BYTES {
        let end = failure.message.floor_char_boundary(MESSAGE_BYTES);
        failure.message.truncate(end);
        failure.message.push('…');
    }
    if let Some(details) = failure.details.take() {
        if weigh(&details, limits.depth, DETAIL_BYTES).is_ok() {
            failure.details = Some(details);
        } else {
            dismantle(details);
        }
    }
    failure.stdout_tail = failure
        .stdout_tail
        .map(|text| tail(text, limits.tail_bytes));
    failure.stderr_tail = failure
        .stderr_tail
        .map(|text| tail(text, limits.tail_bytes));
    failure
}

fn discard(success: AttemptSuccess) {
    match success {
        AttemptSuccess::Value { value, .. } | AttemptSuccess::Answer(ModelAnswer::Json(value)) => {
            dismantle(value);
        }
        AttemptSuccess::Process { .. }
        | AttemptSuccess::Answer(ModelAnswer::Text(_))
        | AttemptSuccess::Report { .. } => {}
    }
}
