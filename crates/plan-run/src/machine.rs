//! One run: its state, and what can be asked of it.

mod agent_call;
mod answer;
mod basis;
mod budget;
mod build;
mod create;
mod decide;
mod drain;
mod effect;
mod fan_in;
mod fan_out;
mod fork;
mod frame;
mod giving_up;
mod items;
mod join;
mod layout;
mod measure;
mod outputs;
mod phase;
mod prompt_call;
mod propose;
mod publish;
mod ready;
mod recover;
mod request;
mod resolve;
mod resume;
mod retry;
mod scope;
mod settle;
mod slot;
mod snapshot;
mod spoken;
mod state;
mod tokens;
mod transition;

use std::sync::Arc;

use plan_model::Timestamp;
use plan_validate::ValidatedPlan;

use crate::event::Event;
use crate::{Refused, Request, RunId, RunStatus, StepPath};

pub use agent_call::{AgentEffect, AgentReport};
pub use answer::AnswerRefused;
pub use basis::{Basis, RecordedPlan};
pub use create::{CreateRefused, NewRun};
pub use decide::DecisionRefused;
pub use drain::Ending;
pub use effect::{CodeEffect, CodeText, EffectCall, ToolEffect};
pub use fork::{Fork, ForkRefused};
pub use prompt_call::{ModelAnswer, PromptEffect};
pub use recover::Drift;
pub use resume::{ResumeRefused, Resumption};
pub use settle::AttemptSuccess;

use layout::Layout;
use phase::Phase;
use slot::Slot;
use state::State;

/// One run of one plan.
///
/// A machine changes by [`Machine::apply`] alone. Everything else only reads it:
/// [`Machine::next`] and its kin *propose* events, and whoever drives the run
/// journals them before it applies them.
///
/// Guarantees: the same events give the same machine; a proposal of a machine is
/// accepted by that machine, all proposals of one call in their order; `apply` and
/// each proposal take time that depends on the step and its edges, not on the plan.
///
/// Over a [`RecordedPlan`] a machine only follows a journal, to look at a run that
/// need not be driven any more.
///
/// ```
/// use plan_model::Timestamp;
/// use plan_run::{Event, EventKind, Machine, NewRun, RunId, RunStatus};
/// use plan_validate::{Context, Policy, ToolCatalog, check};
/// use serde_json::{Map, json};
///
/// let catalog = ToolCatalog::from_names(["search"])?;
/// let policy = Policy::default();
/// let text = r#"{"steps": [{"name": "find", "tool": "search", "args": {"query": "rust"}}]}"#;
/// let plan = check(text, &Context::new(&catalog, &policy))?;
///
/// // a driver journals each event before it applies it
/// let at = Timestamp::from_millis(0);
/// let kind = Machine::create(&plan, NewRun::new(RunId::new("run-1")?, Map::new()))?;
/// let mut journal = vec![Event { at, kind }];
/// let mut machine = Machine::new(plan.clone(), &journal[0])?;
/// let mut step = |machine: &mut Machine, kinds: Vec<EventKind>| {
///     kinds.into_iter().try_for_each(|kind| {
///         journal.push(Event { at, kind });
///         machine.apply(&journal[journal.len() - 1])
///     })
/// };
///
/// // what may happen: the call starts. What it came to is fed back
/// let proposals = machine.next(at);
/// step(&mut machine, proposals)?;
/// let (find, attempt) = machine.started().remove(0);
/// let ended = machine.settle(&find, attempt, Ok(json!({"found": 3}).into()), at, 0.5);
/// step(&mut machine, ended)?;
/// let proposals = machine.next(at);
/// step(&mut machine, proposals)?;
/// assert_eq!(machine.status(), RunStatus::Succeeded);
///
/// // the journal is the run
/// let again = Machine::replay(plan, journal)?;
/// assert_eq!(again.record(), machine.record());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Machine<P = ValidatedPlan> {
    plan: P,
    layout: Arc<Layout>,
    state: State,
}

impl Machine {
    /// The run that a journal describes.
    ///
    /// # Errors
    /// When there is no event, or one of them does not fit.
    pub fn replay(
        plan: ValidatedPlan,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<Self, Refused> {
        let mut events = events.into_iter();
        let first = events.next().ok_or(Refused::Empty)?;
        let mut machine = Self::new(plan, &first)?;
        for event in events {
            machine.apply(&event)?;
        }
        Ok(machine)
    }

    /// The plan that it runs.
    pub fn plan(&self) -> &ValidatedPlan {
        &self.plan
    }

    /// When [`Machine::next`] may propose something without a further event.
    pub fn due(&self) -> Option<Timestamp> {
        let state = &self.state;
        if state.ended.is_some() {
            return None;
        }
        let delay = state.delays.first().map(|(at, _)| *at);
        // an answer at the last moment counts
        let expiry = state
            .expiries
            .first()
            .map(|(at, _)| at.plus(std::time::Duration::from_millis(1)));
        [delay, expiry, self.budget_due()]
            .into_iter()
            .flatten()
            .min()
    }
}

impl<P: Basis> Machine<P> {
    /// The run.
    pub fn run_id(&self) -> &RunId {
        &self.state.created.run
    }

    /// The event that created it.
    pub fn created(&self) -> &crate::event::RunCreated {
        &self.state.created
    }

    /// Where it stands.
    pub fn status(&self) -> RunStatus {
        self.state.status()
    }

    /// How often it was reset.
    pub fn generation(&self) -> u32 {
        self.state.generation
    }

    /// Every open request, in plan order.
    pub fn requests(&self) -> Vec<&Request> {
        self.state
            .asking
            .iter()
            .filter_map(|slot| self.open_request(*slot))
            .collect()
    }

    /// Every attempt that has started and not ended, in plan order.
    pub fn started(&self) -> Vec<(StepPath, u32)> {
        self.attempts_of(&self.state.in_flight)
    }

    /// Whether an attempt has started and not ended.
    pub fn is_under_way(&self, step: &StepPath, attempt: u32) -> bool {
        let slot = self.slot_at(step);
        slot.is_some_and(|slot| {
            self.state.in_flight.contains(&slot)
                && self.state.steps.at(slot).last_attempt() == attempt
        })
    }

    /// Every attempt in doubt, in plan order.
    pub fn in_doubt(&self) -> Vec<(StepPath, u32)> {
        self.attempts_of(&self.state.doubtful)
    }

    fn attempts_of(&self, slots: &std::collections::BTreeSet<Slot>) -> Vec<(StepPath, u32)> {
        slots
            .iter()
            .map(|slot| (self.path(*slot), self.state.steps.at(*slot).last_attempt()))
            .collect()
    }

    fn open_request(&self, slot: Slot) -> Option<&Request> {
        match &self.state.steps.at(slot).phase {
            Phase::Asking(request) => Some(request),
            _ => None,
        }
    }
}
