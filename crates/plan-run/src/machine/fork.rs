//! A run that has ended goes on as another one, from chosen steps.

use std::collections::BTreeSet;

use plan_model::{StepId, Timestamp};

use super::Machine;
use super::basis::Basis;
use crate::event::{EventKind, RunForked, Trigger};
use crate::{Refused, RunId, RunStatus, StepPath};

/// What a fork of a run would do. Nothing has happened yet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fork {
    /// Steps that run again or for the first time, in plan order; those of items with their item.
    pub reset: Vec<StepPath>,
    /// Steps that keep their result, in plan order. Those of an item keep it if the item is still the same.
    pub kept: Vec<StepPath>,
    /// Steps among the reset ones whose call is not safe to repeat and has, or may have, been made by the run before.
    pub may_repeat: Vec<StepPath>,
    from: RunId,
    generation: u32,
    plan: plan_model::Digest,
}

impl Fork {
    /// The event after which the new run goes on.
    ///
    /// It follows the journal of the run before, which the new run has after its own creation.
    pub fn event(&self) -> EventKind {
        EventKind::RunForked(Box::new(RunForked {
            from: self.from.clone(),
            generation: self.generation,
            plan: self.plan,
            reset: self.reset.clone(),
        }))
    }
}

/// Why a run cannot be forked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForkRefused {
    /// The run has not ended: it is resumed, and not forked.
    #[error("the run is {0}, and only a run that has ended is forked")]
    NotEnded(RunStatus),
    /// No step is named to start from.
    #[error("no step is named to start from")]
    NoStep,
    /// The plan has no such step.
    #[error("the plan has no step `{0}`")]
    UnknownStep(StepId),
}

impl Machine {
    /// What a fork of this run would do that starts anew from these steps.
    ///
    /// Reset is each of them, in every item where it is in the body of a fan-out, every step that did not succeed and
    /// was not skipped by a condition or join that is kept, and everything downstream of those. An approval that the
    /// host's policy asks for is given for one run: it is reset where a call that it permits is.
    ///
    /// # Errors
    /// When the run has not ended, or a step is unknown.
    pub fn fork(&self, from: &[StepId]) -> Result<Fork, ForkRefused> {
        let status = self.status();
        if !status.is_finished() {
            return Err(ForkRefused::NotEnded(status));
        }
        if from.is_empty() {
            return Err(ForkRefused::NoStep);
        }
        let graph = self.plan.graph();
        let chosen = from
            .iter()
            .map(|step| {
                let place = graph.index_of(step);
                place.ok_or_else(|| ForkRefused::UnknownStep(step.clone()))
            })
            .collect::<Result<BTreeSet<_>, _>>()?;
        let anew = self.forked(chosen);
        Ok(Fork {
            from: self.run_id().clone(),
            generation: anew.generation,
            plan: anew.plan,
            reset: anew.reset,
            kept: anew.kept,
            may_repeat: anew.may_repeat,
        })
    }
}

impl<P: Basis> Machine<P> {
    /// The run goes on from what the one before had come to.
    pub(super) fn run_forked(&mut self, at: Timestamp, forked: &RunForked) -> Result<(), Refused> {
        if self.state.created.trigger != Trigger::Fork {
            return Err(Refused::NoFork);
        }
        if forked.plan != self.plan.digest() {
            return Err(Refused::OtherPlan {
                journaled: forked.plan,
                given: self.plan.digest(),
            });
        }
        let expected = self.state.generation.saturating_add(1);
        if forked.reset.is_empty() {
            return Err(Refused::NoFork);
        }
        if forked.generation != expected {
            return Err(Refused::WrongGeneration {
                expected,
                actual: forked.generation,
            });
        }
        let slots = self.to_reset(&forked.reset)?;
        let state = &mut self.state;
        // what the run before used is not this one's
        state.tool_calls = 0;
        state.items = 0;
        state.output_bytes = 0;
        state.used = None;
        state.driven = std::time::Duration::ZERO;
        state.driven_to = at;
        state.forked_from = Some(forked.from.clone());
        self.advance(at);
        self.start_anew(forked.generation, &slots);
        Ok(())
    }
}
