//! What a list says about a run.

use std::collections::BTreeMap;

use plan_model::{PlanId, Timestamp};
use plan_run::{RunId, RunStatus};
use serde::Serialize;

/// What a store knows about a run without reading its journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunHead {
    /// Names the run.
    pub run: RunId,
    /// The plan that it runs.
    pub plan: PlanId,
    /// The version of that plan.
    pub plan_version: u64,
    /// What a person calls the plan.
    pub plan_name: String,
    /// How the run stands.
    pub status: RunStatus,
    /// When the run began.
    pub created_at: Timestamp,
    /// When its journal last grew.
    pub updated_at: Timestamp,
    /// What the host attached to the run.
    pub tags: BTreeMap<String, String>,
}

/// What an append changes in the [`RunHead`], together with its records or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeadUpdate {
    /// How the run stands after the records.
    pub status: RunStatus,
    /// The time of the records.
    pub updated_at: Timestamp,
    /// The version of the plan that the run follows from now on, if it changed.
    pub plan_version: Option<u64>,
}

impl HeadUpdate {
    /// A change of status at a time.
    pub fn new(status: RunStatus, updated_at: Timestamp) -> Self {
        Self {
            status,
            updated_at,
            plan_version: None,
        }
    }

    /// The run follows another version of its plan from now on.
    #[must_use]
    pub fn with_plan_version(mut self, version: u64) -> Self {
        self.plan_version = Some(version);
        self
    }

    /// Makes the change.
    pub fn apply(&self, head: &mut RunHead) {
        head.status = self.status;
        head.updated_at = self.updated_at;
        if let Some(version) = self.plan_version {
            head.plan_version = version;
        }
    }
}
