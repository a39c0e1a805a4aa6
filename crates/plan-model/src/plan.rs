//! A plan: what it takes, the steps it makes, what it publishes.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::document::{Purpose, write_plan};
use crate::json::{Canonical, digest_of, value_of};
use crate::{
    ConfigKey, Digest, InputName, OutputName, PlanId, Reference, Seconds, Step, StepId, Timestamp,
};

/// A whole plan, as read from a document or built in code.
///
/// A `Plan` is data that nobody has checked yet. Only `plan-validate` turns it
/// into something that can run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Identity, version and origin.
    pub metadata: Metadata,
    /// What a person calls the plan.
    pub name: String,
    /// What the plan is for.
    pub description: Option<String>,
    /// What a run must or may be given.
    pub inputs: Vec<Input>,
    /// Constants that steps read as `${conf.KEY}`.
    pub config: BTreeMap<ConfigKey, Value>,
    /// The steps in document order, which is also the order of ready steps.
    pub steps: Vec<Step>,
    /// What a finished run publishes.
    pub outputs: Vec<PlanOutput>,
    /// The most that a run of this plan may use.
    pub limits: PlanLimits,
    /// What a failed step means for the rest.
    pub failure_policy: FailurePolicy,
}

impl Plan {
    /// The step of this id, with its index in document order.
    ///
    /// Looks at every step; [`crate::Graph::index_of`] answers from a table.
    pub fn step(&self, id: &StepId) -> Option<(usize, &Step)> {
        self.steps
            .iter()
            .enumerate()
            .find(|(_, step)| step.id == *id)
    }

    /// The plan as a native document; what has its default is left out.
    ///
    /// [`crate::document::read`] of this value gives an equal plan.
    pub fn to_json(&self) -> Value {
        value_of(|out| write_plan(out, self, Purpose::Document))
    }

    /// [`Plan::to_json`] as canonical text, written without the value between.
    pub fn to_canonical_json(&self) -> String {
        let mut canonical = Canonical::default();
        write_plan(&mut canonical, self, Purpose::Document);
        canonical.finish()
    }

    /// SHA-256 over the canonical form of the native document, without status and times.
    ///
    /// Plans of one digest are equal in everything that a run can see.
    pub fn digest(&self) -> Digest {
        digest_of(|out| write_plan(out, self, Purpose::Digest))
    }
}

/// Who a plan is, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// The identity over all versions.
    pub id: PlanId,
    /// Counts from 1; a change of the content is a new version.
    pub version: u64,
    /// When this identity was first written. Not digested.
    pub created_at: Timestamp,
    /// When this version was written. Not digested.
    pub updated_at: Timestamp,
    /// The model that compiled it.
    pub compiled_by: Option<String>,
    /// What the person asked for.
    pub intent: Option<String>,
    /// The plan that this one was derived from.
    pub parent_plan_id: Option<PlanId>,
    /// The version of that plan.
    pub parent_version: Option<u64>,
    /// Whether it may run where only published plans may. Not digested.
    pub status: PlanStatus,
    /// Prose that explains the solution.
    pub solution_design: Option<String>,
}

/// Whether a plan is still being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum PlanStatus {
    /// Still being written.
    Draft,
    /// Ready to run.
    #[default]
    Published,
}

/// One value that a run is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The name in `${input.NAME}`.
    pub name: InputName,
    /// What a person should supply.
    pub description: Option<String>,
    /// The JSON type.
    pub value_type: ValueType,
    /// JSON Schema that refines the type.
    pub schema: Option<Schema>,
    /// Whether a run without it is refused. True unless said otherwise.
    pub required: bool,
    /// The value of a run that supplies none. Null only where the type is any.
    pub default: Option<Value>,
    /// Whether the value names a place in the file system.
    pub input_kind: InputKind,
    /// Whether the value is masked in every view, event, finding and prompt.
    pub sensitive: bool,
}

/// What an input's value names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum InputKind {
    /// A plain value.
    #[default]
    Value,
    /// A file that must exist.
    FilePath,
    /// A file that the run may create: its folder must be writable.
    OutputFilePath,
    /// A folder that must exist, and becomes a root of the run.
    DirectoryPath,
}

/// The JSON type of an input or an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ValueType {
    /// Text.
    String,
    /// Any number.
    Number,
    /// A number without a fraction.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// An object.
    Object,
    /// An array.
    Array,
    /// Anything, `null` included.
    #[default]
    Any,
}

/// A JSON Schema as written, not yet compiled.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema(pub Value);

/// One value that a finished run publishes.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanOutput {
    /// The name under which it is published.
    pub name: OutputName,
    /// What it is.
    pub description: Option<String>,
    /// Exactly one reference to a step output.
    pub source: Reference,
}

/// The most that a run of a plan may use; an absent bound is the host's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PlanLimits {
    /// Tool calls over all attempts.
    pub max_tool_calls: Option<u64>,
    /// Tokens over all model calls.
    pub max_model_tokens: Option<u64>,
    /// Driven time, waiting not counted.
    pub max_wall_secs: Option<Seconds>,
    /// Effects at one time.
    pub max_concurrency: Option<u64>,
    /// Items of one fan-out.
    pub max_fan_out_items: Option<u64>,
    /// Steps in the plan.
    pub max_steps: Option<u64>,
}

/// What a failed step means for the steps that do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum FailurePolicy {
    /// Nothing new starts; work in flight ends.
    #[default]
    Stop,
    /// What does not depend on the failure goes on.
    FinishIndependent,
}
