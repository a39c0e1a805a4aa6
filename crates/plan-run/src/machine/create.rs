//! How a run comes to be.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan_model::{InputKind, Plan, Timestamp};
use plan_validate::{Finding, PathProblem, ValidatedPlan, check_inputs_with};
use serde_json::{Map, Value};

use super::Machine;
use super::basis::{Basis, RecordedPlan};
use super::frame::Frames;
use super::layout::Layout;
use super::phase::Phase;
use super::ready::Ready;
use super::scope::masked;
use super::slot::{PerStep, Slot};
use super::state::{State, StepState};
use crate::event::{Event, EventKind, PlanRef, RunCreated, Trigger};
use crate::{JsonObject, PrincipalName, Refused, RunId};

/// What a caller says about a run that is to be created.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewRun {
    /// The run.
    pub run: RunId,
    /// The inputs as supplied.
    pub inputs: Map<String, Value>,
    /// Who asks for it.
    pub principal: Option<PrincipalName>,
    /// The caller's own labels.
    pub tags: BTreeMap<String, String>,
    /// What starts it.
    pub trigger: Trigger,
    /// When it must be over.
    pub deadline: Option<Timestamp>,
    /// Where the host's catalog and policy came from.
    pub sources: BTreeMap<String, String>,
}

impl NewRun {
    /// A run of this name with these inputs, and nothing else said.
    pub fn new(run: RunId, inputs: Map<String, Value>) -> Self {
        Self {
            run,
            inputs,
            principal: None,
            tags: BTreeMap::new(),
            trigger: Trigger::default(),
            deadline: None,
            sources: BTreeMap::new(),
        }
    }
}

/// Why a run cannot be created. Nothing has happened.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CreateRefused {
    /// The supplied inputs do not fit the plan.
    #[error("{} of the inputs do not fit the plan", .0.len())]
    Inputs(Vec<Finding>),
}

impl Machine {
    /// The event that creates a run of a plan.
    ///
    /// Fills in the defaults of inputs, and pins the plan, its grant and its tools by digest.
    ///
    /// # Errors
    /// When inputs do not fit; every problem at once.
    pub fn create(plan: &ValidatedPlan, new: NewRun) -> Result<EventKind, CreateRefused> {
        Self::create_with(plan, new, &|_, _| None)
    }

    /// As [`Machine::create`], on a host that can look at the paths among the inputs.
    ///
    /// # Errors
    /// When inputs do not fit; every problem at once.
    pub fn create_with(
        plan: &ValidatedPlan,
        new: NewRun,
        look: &dyn Fn(InputKind, &str) -> Option<PathProblem>,
    ) -> Result<EventKind, CreateRefused> {
        let inputs = check_inputs_with(plan, new.inputs, look).map_err(CreateRefused::Inputs)?;
        let metadata = &plan.plan().metadata;
        Ok(EventKind::RunCreated(Box::new(RunCreated {
            run: new.run,
            plan: PlanRef {
                id: metadata.id,
                version: metadata.version,
                name: plan.plan().name.clone(),
                digest: plan.digest(),
            },
            grant: plan.grant().digest(),
            tools: plan.grant().tools().clone(),
            inputs: inputs.into(),
            principal: new.principal,
            tags: new.tags,
            trigger: new.trigger,
            deadline: new.deadline,
            sources: new.sources,
        })))
    }

    /// The run that its first event creates.
    ///
    /// # Errors
    /// When the event is not the creation of a run of this very plan.
    pub fn new(plan: ValidatedPlan, first: &Event) -> Result<Self, Refused> {
        let layout = Layout::checked(&plan);
        Self::begin(plan, layout, first)
    }
}

impl Machine<RecordedPlan> {
    /// A run to look at, whose plan nobody checked: it follows its journal and proposes nothing.
    ///
    /// # Errors
    /// When the event is not the creation of a run of this very plan.
    pub fn recorded(plan: impl Into<RecordedPlan>, first: &Event) -> Result<Self, Refused> {
        let plan = plan.into();
        let layout = Layout::recorded(plan.plan(), plan.graph());
        Self::begin(plan, layout, first)
    }
}

impl<P: Basis> Machine<P> {
    fn begin(plan: P, layout: Layout, first: &Event) -> Result<Self, Refused> {
        let EventKind::RunCreated(created) = &first.kind else {
            return Err(Refused::NotCreated);
        };
        if created.plan.digest != plan.digest() {
            return Err(Refused::OtherPlan {
                journaled: created.plan.digest,
                given: plan.digest(),
            });
        }
        let state = State {
            created: created.clone(),
            created_at: first.at,
            masked_inputs: mask_inputs(plan.plan(), &created.inputs),
            generation: 0,
            forked_from: None,
            ending: None,
            ended: None,
            steps: PerStep::new((0..plan.graph().len()).map(|place| StepState::new(place, None))),
            frames: Frames::default(),
            ready: Ready::new(&layout.pool_limits),
            in_flight: std::collections::BTreeSet::new(),
            asking: std::collections::BTreeSet::new(),
            doubtful: std::collections::BTreeSet::new(),
            delayed: 0,
            left: 0,
            failed: std::collections::BTreeSet::new(),
            delays: std::collections::BTreeSet::new(),
            expiries: std::collections::BTreeSet::new(),
            loose: std::collections::BTreeSet::new(),
            requests: BTreeMap::new(),
            tool_calls: 0,
            items: 0,
            output_bytes: 0,
            used: None,
            driven: std::time::Duration::ZERO,
            driven_to: first.at,
            clock: first.at,
        };
        let mut machine = Self {
            plan,
            layout: Arc::new(layout),
            state,
        };
        let main_flow: Vec<Slot> = machine.main_flow().collect();
        machine.state.left = main_flow.len();
        for slot in &main_flow {
            machine.state.steps.at_mut(*slot).open = machine.dependencies(*slot).count();
        }
        for slot in main_flow {
            if machine.state.steps.at(slot).open == 0 {
                machine.enter(slot, Phase::Ready);
            }
        }
        Ok(machine)
    }
}

/// The inputs with every sensitive value masked.
fn mask_inputs(plan: &Plan, inputs: &JsonObject) -> JsonObject {
    if plan.inputs.iter().all(|input| !input.sensitive) {
        return inputs.clone();
    }
    let mut shown = (**inputs).clone();
    for input in plan.inputs.iter().filter(|input| input.sensitive) {
        if let Some(value) = shown.get_mut(input.name.as_str()) {
            *value = masked(value);
        }
    }
    shown.into()
}
