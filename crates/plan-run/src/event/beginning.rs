//! How runs begin.

use std::collections::BTreeMap;

use plan_model::{Digest, PlanId, Timestamp, ToolName};
use serde::{Deserialize, Serialize};

use crate::{JsonObject, PrincipalName, RunId, StepPath};

/// What a run is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunCreated {
    /// The run.
    pub run: RunId,
    /// The plan that it runs.
    pub plan: PlanRef,
    /// The digest of what it may do.
    pub grant: Digest,
    /// The digest of every tool that the plan uses.
    pub tools: BTreeMap<ToolName, Digest>,
    /// Every input of the plan, defaults filled in.
    pub inputs: JsonObject,
    /// Who asked for the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<PrincipalName>,
    /// The caller's own labels.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    /// What started it.
    #[serde(default)]
    pub trigger: Trigger,
    /// When it must be over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Where the host's catalog and policy came from, so that a resume reads them again.
    #[serde(default)]
    pub sources: BTreeMap<String, String>,
}

/// Which plan a run runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRef {
    /// Its identity over all versions.
    pub id: PlanId,
    /// Its version.
    pub version: u64,
    /// What a person calls it.
    pub name: String,
    /// The digest of its content.
    pub digest: Digest,
}

/// What started a run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A call of the library or the command line.
    #[default]
    Caller,
    /// A clock.
    Schedule,
    /// An MCP client.
    Mcp,
    /// Another run, whose results it keeps.
    Fork,
}

/// Where a run leaves the way of the one that it was forked from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunForked {
    /// The run whose events come before.
    pub from: RunId,
    /// Counts resets, those of the run before included.
    pub generation: u32,
    /// The plan that it goes on with.
    pub plan: Digest,
    /// The steps that run again.
    pub reset: Vec<StepPath>,
}
