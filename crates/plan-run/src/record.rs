//! A run as it stands, for people and programs.

mod write;

use std::collections::BTreeMap;

use plan_model::{StepId, Timestamp};
use serde_json::{Map, Value};

use crate::event::{Event, LateResult, PlanRef};
use crate::{
    Confinement, Failure, JsonObject, Machine, ModelUsage, PrincipalName, RecordedPlan, Refused,
    Request, RunId, RunStatus, StepPath, StepStatus,
};

/// A run as it stands: its status, its steps, what it published.
///
/// Serialises as `{run_id, status, plan, inputs, steps, outputs, waiting, failure?}` and more
/// members that a reader may ignore; steps are in plan order. Sensitive inputs are masked.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    pub(crate) run: RunId,
    pub(crate) status: RunStatus,
    pub(crate) plan: PlanRef,
    pub(crate) created_at: Timestamp,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) generation: u32,
    pub(crate) forked_from: Option<RunId>,
    pub(crate) principal: Option<PrincipalName>,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) inputs: JsonObject,
    pub(crate) usage: Option<ModelUsage>,
    pub(crate) steps: Vec<StepRecord>,
    pub(crate) index: BTreeMap<StepId, usize>,
    pub(crate) outputs: JsonObject,
    pub(crate) waiting: Vec<Request>,
    pub(crate) failure: Option<Box<Failure>>,
    pub(crate) cancelled: Option<Cancelled>,
}

/// Who ended a run, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cancelled {
    /// Who.
    pub by: PrincipalName,
    /// Why, where that was said.
    pub reason: Option<String>,
}

/// One step of a run as it stands.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StepRecord {
    /// The step.
    pub id: StepId,
    /// Where it stands.
    pub status: StepStatus,
    /// Its attempts, over all resets.
    pub attempts: Vec<AttemptRecord>,
    /// What it delivered; empty where it delivered nothing.
    pub outputs: JsonObject,
    /// The last of standard output, where there was one.
    pub stdout: Option<String>,
    /// The last of standard error, where there was one.
    pub stderr: Option<String>,
    /// What models counted for it, over all its attempts and, of a fan-out, over its items; `None` where none answered.
    pub usage: Option<ModelUsage>,
    /// Who answered its last request.
    pub answered_by: Option<PrincipalName>,
    /// Its last failure, unless it went well afterwards.
    pub failure: Option<Box<Failure>>,
    /// The items of a fan-out that were begun, in their order.
    pub items: Vec<ItemRecord>,
}

/// One item of a fan-out.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ItemRecord {
    /// Which item, from 0.
    pub index: usize,
    /// Where it stands: as its steps do, failed where one of them failed it.
    pub status: StepStatus,
    /// The steps of the body, in the order in which they run.
    pub steps: Vec<StepRecord>,
}

impl ItemRecord {
    /// The step of this id.
    pub fn step(&self, id: &str) -> Option<&StepRecord> {
        self.steps.iter().find(|step| step.id.as_str() == id)
    }
}

/// One attempt of a step.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AttemptRecord {
    /// Its number, from 1.
    pub attempt: u32,
    /// When it started.
    pub started_at: Timestamp,
    /// Its arguments; secrets and sensitive inputs are masked.
    pub arguments: JsonObject,
    /// How it ended; `None` while it runs or is in doubt.
    pub end: Option<Box<AttemptEnd>>,
    /// A result that came after it had ended.
    pub late: Option<Box<LateResult>>,
    /// What models counted for it; `None` where none answered.
    pub usage: Option<ModelUsage>,
    /// The calls that its agent asked for.
    pub calls: Vec<AgentCallRecord>,
}

/// A call of a tool that an agent asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AgentCallRecord {
    /// Its number among the calls of the attempt, from 1.
    pub call: u32,
    /// The tool, as the agent named it.
    pub tool: String,
    /// The arguments, as the agent wrote them.
    pub arguments: JsonObject,
    /// When it was asked for.
    pub started_at: Timestamp,
    /// When it ended; `None` while it runs, where it was refused, and where the attempt ended before.
    pub ended_at: Option<Timestamp>,
    /// Why it was not made.
    pub refusal: Option<Box<Failure>>,
    /// Why it failed.
    pub failure: Option<Box<Failure>>,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AttemptEnd {
    /// When.
    pub at: Timestamp,
    /// How.
    pub result: AttemptResult,
    /// Why it failed or was stopped.
    pub failure: Option<Box<Failure>>,
    /// Who decided, where it was in doubt.
    pub decided_by: Option<PrincipalName>,
    /// The last of standard output, where that is not among the outputs.
    pub stdout: Option<String>,
    /// The last of standard error, where that is not among the outputs.
    pub stderr: Option<String>,
    /// What it was held to, where it ran in a process that could be.
    pub confinement: Option<Box<Confinement>>,
}

impl AttemptEnd {
    pub(crate) fn new(at: Timestamp, result: AttemptResult) -> Self {
        Self {
            at,
            result,
            failure: None,
            decided_by: None,
            stdout: None,
            stderr: None,
            confinement: None,
        }
    }
}

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttemptResult {
    /// It delivered, or a person says so.
    Succeeded,
    /// It failed.
    Failed,
    /// It was stopped because the run was ending.
    Cancelled,
    /// Its process died, and it was safe to make it again.
    Interrupted,
    /// Its process died, nobody knows what it did, and a person had it made again.
    Unknown,
}

impl AttemptResult {
    /// The spelling in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
            Self::Unknown => "unknown",
        }
    }
}

impl RunRecord {
    /// The record of the run that a journal describes, over the plan as its store has it.
    ///
    /// Asks for no check and no catalog: a run stays readable where its plan would
    /// be refused today, where its tools have changed, and where there are none.
    ///
    /// # Errors
    /// When there is no event, one of them does not fit, or the plan is not the one that the run was created with.
    pub fn replay(
        plan: impl Into<RecordedPlan>,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<Self, Refused> {
        let mut events = events.into_iter();
        let first = events.next().ok_or(Refused::Empty)?;
        let mut machine = Machine::recorded(plan, &first)?;
        for event in events {
            machine.apply(&event)?;
        }
        Ok(machine.record())
    }

    /// The run.
    pub fn run_id(&self) -> &RunId {
        &self.run
    }

    /// Where the run stands.
    pub fn status(&self) -> RunStatus {
        self.status
    }

    /// The plan that it runs.
    pub fn plan(&self) -> &PlanRef {
        &self.plan
    }

    /// When it was created.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// When it ended, if it has.
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.ended_at
    }

    /// How often it was reset.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Who asked for it.
    pub fn principal(&self) -> Option<&PrincipalName> {
        self.principal.as_ref()
    }

    /// The caller's own labels.
    pub fn tags(&self) -> &BTreeMap<String, String> {
        &self.tags
    }

    /// Its inputs, defaults filled in, sensitive ones masked.
    pub fn inputs(&self) -> &Map<String, Value> {
        &self.inputs
    }

    /// What the plan published; empty unless the run succeeded.
    pub fn outputs(&self) -> &Map<String, Value> {
        &self.outputs
    }

    /// The run whose results this one began with, where it is a fork.
    pub fn forked_from(&self) -> Option<&RunId> {
        self.forked_from.as_ref()
    }

    /// What models counted over all attempts and resets, items included; `None` where none answered.
    pub fn usage(&self) -> Option<ModelUsage> {
        self.usage
    }

    /// Every step of the main flow, in plan order. Those of bodies are in the items of their fan-out.
    pub fn steps(&self) -> &[StepRecord] {
        &self.steps
    }

    /// Every step with its path: those of the main flow in plan order, each followed by those of its items.
    pub fn all_steps(&self) -> Vec<(StepPath, &StepRecord)> {
        let mut found = Vec::with_capacity(self.steps.len());
        let mut open: Vec<(StepPath, &StepRecord)> = self
            .steps
            .iter()
            .rev()
            .map(|step| (StepPath::from(&step.id), step))
            .collect();
        while let Some((path, step)) = open.pop() {
            for item in step.items.iter().rev() {
                let steps = item.steps.iter().rev();
                open.extend(steps.map(|step| (path.item(item.index, step.id.clone()), step)));
            }
            found.push((path, step));
        }
        found
    }

    /// The step at this path, in whatever item it is.
    pub fn step_at(&self, path: &StepPath) -> Option<&StepRecord> {
        let mut ids = path.items().iter().map(|(id, _)| id).chain([path.step()]);
        let mut step = self.step(ids.next()?.as_str())?;
        for ((_, item), id) in path.items().iter().zip(ids) {
            // the items that were begun are the first ones of the list
            step = step.items.get(*item)?.step(id.as_str())?;
        }
        Some(step)
    }

    /// The step of the main flow with this id.
    pub fn step(&self, id: &str) -> Option<&StepRecord> {
        self.index.get(id).and_then(|index| self.steps.get(*index))
    }

    /// Every open request, in plan order.
    pub fn waiting(&self) -> &[Request] {
        &self.waiting
    }

    /// Why the run failed.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_deref()
    }

    /// Who cancelled the run.
    pub fn cancelled(&self) -> Option<&Cancelled> {
        self.cancelled.as_ref()
    }
}
