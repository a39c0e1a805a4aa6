//! Decisions about attempts in doubt, and the wish that a run ends.

use super::Machine;
use super::measure::weigh;
use super::phase::Phase;
use super::resolve::listed;
use crate::event::EventKind;
use crate::{Decision, PrincipalName, RunStatus, StepPath, StepStatus};

/// Why a decision is refused. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecisionRefused {
    /// The plan has no such step.
    #[error("the plan has no step `{0}`")]
    UnknownStep(StepPath),
    /// The step has no attempt in doubt.
    #[error("step `{step}` is {status}, not in doubt")]
    NotInDoubt {
        /// The step.
        step: StepPath,
        /// Where it stands.
        status: StepStatus,
    },
    /// The run is ending, or a fan-out around the step is out of time, so the call cannot be made again.
    #[error("nothing more starts there, so `{0}` cannot be made again")]
    RunEnding(StepPath),
    /// The outputs are not what the step declares.
    #[error("the outputs of `{step}` do not fit: {problem}")]
    DoesNotFit {
        /// The step.
        step: StepPath,
        /// What is wrong, as a clause.
        problem: String,
    },
    /// The run has ended.
    #[error("the run has ended as {0}")]
    RunEnded(RunStatus),
}

impl Machine {
    /// What a person's decision about an attempt in doubt does.
    ///
    /// # Errors
    /// Says why the decision is refused; nothing has changed.
    pub fn decide(
        &self,
        step: &StepPath,
        decision: Decision,
        by: PrincipalName,
    ) -> Result<EventKind, DecisionRefused> {
        if let Some(ended) = &self.state.ended {
            return Err(DecisionRefused::RunEnded(ended.status));
        }
        let slot = self
            .slot(step)
            .map_err(|_| DecisionRefused::UnknownStep(step.clone()))?;
        let state = self.state.steps.at(slot);
        if state.phase != Phase::Doubtful {
            return Err(DecisionRefused::NotInDoubt {
                step: step.clone(),
                status: state.phase.status(),
            });
        }
        match &decision {
            // also where only the items of a fan-out are given up
            Decision::Retry if self.is_given_up(slot) => {
                return Err(DecisionRefused::RunEnding(step.clone()));
            }
            Decision::MarkSucceeded(outputs) => {
                let refuse = |problem| DecisionRefused::DoesNotFit {
                    step: step.clone(),
                    problem,
                };
                let limits = self.limits();
                for (name, value) in outputs.iter() {
                    weigh(value, limits.depth, limits.value_bytes).map_err(|_| {
                        refuse(format!("output `{name}` is too large or nests too deep"))
                    })?;
                }
                self.plan
                    .check_outputs(step.step(), outputs)
                    .map_err(|problems| refuse(listed(&problems)))?;
            }
            Decision::Retry | Decision::MarkFailed => {}
        }
        Ok(EventKind::Decided {
            step: step.clone(),
            attempt: state.last_attempt(),
            decision,
            by,
        })
    }

    /// The wish that the run ends. The machine refuses it once the run has ended.
    pub fn cancel(&self, by: PrincipalName, reason: impl Into<String>) -> EventKind {
        EventKind::CancelRequested {
            by,
            reason: reason.into(),
        }
    }
}
