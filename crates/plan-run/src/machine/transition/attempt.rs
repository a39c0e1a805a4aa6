//! The beginning and the end of attempts, and decisions about those in doubt.

use plan_model::Timestamp;

use crate::event::{AttemptOutcome, AttemptStarted, EventKind};
use crate::machine::Machine;
use crate::machine::basis::Basis;
use crate::machine::layout::Work;
use crate::machine::measure::bytes_of;
use crate::machine::phase::{Move, Phase, after};
use crate::machine::state::{Asked, AttemptState};
use crate::record::{AttemptEnd, AttemptResult};
use crate::{Decision, Effect, Failure, FailureClass, PrincipalName, Refused, StepPath};

impl<P: Basis> Machine<P> {
    pub(in crate::machine) fn attempt_started(
        &mut self,
        at: Timestamp,
        started: &AttemptStarted,
    ) -> Result<(), Refused> {
        let name = "attempt_started";
        let step = &started.step;
        self.check_going(step)?;
        let slot = self.slot(step)?;
        let current = self.state.steps.at(slot);
        let Some(phase) = after(&current.phase, Move::Start) else {
            return Err(Refused::WrongPhase {
                step: step.clone(),
                status: current.phase.status(),
                event: name,
            });
        };
        let is_tool = match Work::of(&self.step_of(slot).config) {
            Work::Tool(_) => true,
            Work::Code(_) | Work::Prompt(_) | Work::Agent(_) => false,
            Work::Ask(_) | Work::Choose(_) | Work::FanOut(_) | Work::FanIn(_) => {
                return Err(Refused::WrongKind {
                    step: step.clone(),
                    event: name,
                });
            }
        };
        let expected = current.last_attempt().saturating_add(1);
        if started.attempt != expected {
            return Err(Refused::WrongAttempt {
                step: step.clone(),
                expected,
                actual: started.attempt,
            });
        }
        if started.generation != self.state.generation {
            return Err(Refused::WrongGeneration {
                expected: self.state.generation,
                actual: started.generation,
            });
        }
        if let Phase::Delayed(due_at) = current.phase
            && due_at > at.max(self.state.clock)
        {
            return Err(Refused::NotDue {
                step: step.clone(),
                due_at,
            });
        }
        self.tick(at);
        self.state.tool_calls += u64::from(is_tool);
        self.state.steps.at_mut(slot).attempts.push(AttemptState {
            started_at: at,
            arguments: started.arguments.clone(),
            end: None,
            late: None,
            asked: started.tokens.map(|tokens| {
                Box::new(Asked {
                    tokens: Some(tokens),
                    ..Asked::default()
                })
            }),
        });
        self.enter(slot, phase);
        Ok(())
    }

    pub(in crate::machine) fn attempt_ended(
        &mut self,
        at: Timestamp,
        event: &EventKind,
        step: &StepPath,
        attempt: u32,
        outcome: &AttemptOutcome,
    ) -> Result<(), Refused> {
        let by = match outcome {
            AttemptOutcome::Succeeded(_) => Move::Succeed,
            AttemptOutcome::Failed(_) => Move::Fail,
            AttemptOutcome::Retrying(_) => Move::FailForNow,
            AttemptOutcome::Cancelled(_) => Move::Stop,
            AttemptOutcome::Interrupted => Move::Interrupt,
        };
        let (slot, phase) = self.follow(step, by, event)?;
        self.check_last(slot, attempt)?;
        self.tick(at);
        if let AttemptOutcome::Succeeded(delivered) = outcome {
            let tails = [&delivered.stdout, &delivered.stderr];
            let tails = tails.into_iter().flatten().map(|text| text.len() as u64);
            let bytes = tails.fold(bytes_of(&delivered.outputs), u64::saturating_add);
            self.state.output_bytes = self.state.output_bytes.saturating_add(bytes);
        }
        let current = self.state.steps.at_mut(slot);
        let mut end = AttemptEnd::new(at, AttemptResult::Interrupted);
        match outcome {
            AttemptOutcome::Succeeded(delivered) => {
                end.result = AttemptResult::Succeeded;
                end.stdout.clone_from(&delivered.stdout);
                end.stderr.clone_from(&delivered.stderr);
                end.confinement.clone_from(&delivered.confinement);
                current.outputs = Some(delivered.outputs.clone());
                current.failure = None;
            }
            AttemptOutcome::Failed(failure) | AttemptOutcome::Retrying(failure) => {
                end.result = AttemptResult::Failed;
                current.failures = current.failures.saturating_add(1);
                end.confinement.clone_from(&failure.confinement);
                end.failure = Some(failure.clone());
                current.failure = Some(failure.clone());
            }
            AttemptOutcome::Cancelled(failure) => {
                end.result = AttemptResult::Cancelled;
                end.confinement.clone_from(&failure.confinement);
                end.failure = Some(failure.clone());
                current.failure = Some(failure.clone());
            }
            AttemptOutcome::Interrupted => {}
        }
        if let Some(record) = current.attempts.last_mut() {
            record.end = Some(Box::new(end));
        }
        self.enter(slot, phase);
        Ok(())
    }

    pub(in crate::machine) fn decided(
        &mut self,
        at: Timestamp,
        event: &EventKind,
        step: &StepPath,
        attempt: u32,
        (decision, by): (&Decision, &PrincipalName),
    ) -> Result<(), Refused> {
        let way = match decision {
            Decision::Retry => Move::Repeat,
            Decision::MarkSucceeded(_) => Move::Affirm,
            Decision::MarkFailed => Move::Deny,
        };
        if *decision == Decision::Retry {
            self.check_going(step)?;
        }
        let (slot, phase) = self.follow(step, way, event)?;
        self.check_last(slot, attempt)?;
        self.hear(at);
        let current = self.state.steps.at_mut(slot);
        let mut end = AttemptEnd::new(at, AttemptResult::Unknown);
        end.decided_by = Some(by.clone());
        match decision {
            Decision::Retry => {}
            Decision::MarkSucceeded(outputs) => {
                end.result = AttemptResult::Succeeded;
                current.outputs = Some(outputs.clone());
                current.failure = None;
            }
            Decision::MarkFailed => {
                let failure = Failure::new(
                    FailureClass::OutcomeUnknown,
                    "the process ended during the attempt, which was then marked as failed",
                )
                .with_effect(Effect::Unknown)
                .at(step.clone(), Some(attempt));
                end.failure = Some(Box::new(failure.clone()));
                current.failure = Some(Box::new(failure));
            }
        }
        if let Some(record) = current.attempts.last_mut() {
            record.end = Some(Box::new(end));
        }
        self.enter(slot, phase);
        Ok(())
    }
}
