//! A run that another process, or an earlier one, was driving.

use plan_model::{Digest, ToolName};

use super::Machine;
use crate::event::{AttemptOutcome, EventKind};
use crate::{Effect, Failure, FailureClass};

/// What differs between the host as it was when the run was created and as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Drift {
    /// The plan may now do something else.
    #[error("the grant was {journaled} and is now {present}")]
    Grant {
        /// When the run was created.
        journaled: Digest,
        /// Now.
        present: Digest,
    },
    /// A tool that the plan uses is not what it was.
    #[error("tool `{tool}` is not what it was when the run was created")]
    Tool {
        /// The tool.
        tool: ToolName,
    },
}

impl Machine {
    /// The events with which a driver takes the run up, before it asks for what is next.
    ///
    /// Work that was in flight is made again under its key where that is safe; otherwise it is
    /// in doubt. Empty for a run that has ended.
    pub fn recover(&self) -> Vec<EventKind> {
        if self.state.ended.is_some() {
            return Vec::new();
        }
        let mut events = vec![EventKind::RunResumed {
            generation: self.state.generation,
            plan: self.plan.digest(),
            reset: Vec::new(),
        }];
        for slot in &self.state.in_flight {
            let step = self.path(*slot);
            let attempt = self.state.steps.at(*slot).last_attempt();
            if !self.is_repeatable(*slot) {
                events.push(EventKind::InDoubtFound { step, attempt });
                continue;
            }
            let outcome = if self.is_given_up(*slot) {
                let failure = Failure::new(
                    FailureClass::Cancelled,
                    "the process ended during the attempt",
                )
                .with_effect(Effect::Unknown)
                .at(step.clone(), Some(attempt));
                AttemptOutcome::Cancelled(Box::new(failure))
            } else {
                AttemptOutcome::Interrupted
            };
            events.push(EventKind::AttemptEnded {
                step,
                attempt,
                outcome,
            });
        }
        events
    }

    /// Every difference between what the run was created under and what the plan was now checked
    /// under. A driver goes on only when there is none.
    pub fn drift(&self) -> Vec<Drift> {
        let created = &self.state.created;
        let grant = self.plan.grant();
        let tools = grant.tools();
        let mut drift: Vec<Drift> = created
            .tools
            .iter()
            .filter(|(name, digest)| tools.get(*name) != Some(*digest))
            .map(|(name, _)| Drift::Tool { tool: name.clone() })
            .collect();
        let present = grant.digest();
        if drift.is_empty() && created.grant != present {
            drift.push(Drift::Grant {
                journaled: created.grant,
                present,
            });
        }
        drift
    }
}
