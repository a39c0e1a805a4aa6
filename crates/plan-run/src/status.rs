//! Where a run and each of its steps stand.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Something runs or can start.
    Running,
    /// Nothing runs or can start, and a request or an in-doubt step is open.
    Waiting,
    /// Every step ended, none failed the run.
    Succeeded,
    /// A step failed the run, or a budget was crossed.
    Failed,
    /// Somebody ended the run.
    Cancelled,
}

impl RunStatus {
    /// The spelling in records and stores.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the run has ended.
    pub fn is_finished(self) -> bool {
        match self {
            Self::Running | Self::Waiting => false,
            Self::Succeeded | Self::Failed | Self::Cancelled => true,
        }
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepStatus {
    /// Not started yet.
    Pending,
    /// An attempt is in flight, or the next one is due later.
    Running,
    /// A person was asked.
    Waiting,
    /// An attempt may or may not have had its effect; a person decides.
    InDoubt,
    /// Its outputs are there.
    Succeeded,
    /// Its last attempt failed.
    Failed,
    /// It did not run, for this reason.
    Skipped(SkipReason),
    /// It was ended from outside after it began.
    Cancelled,
}

impl StepStatus {
    /// The spelling in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::InDoubt => "in_doubt",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Skipped(_) => "skipped",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the step has ended.
    pub fn is_ended(self) -> bool {
        match self {
            Self::Pending | Self::Running | Self::Waiting | Self::InDoubt => false,
            Self::Succeeded | Self::Failed | Self::Skipped(_) | Self::Cancelled => true,
        }
    }
}

impl fmt::Display for StepStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a step did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// A condition chose the other branch.
    NotTaken,
    /// A step that it waits for was skipped.
    UpstreamSkipped,
    /// A step that it waits for failed or was cancelled.
    UpstreamFailed,
    /// The run was failing before the step could start.
    RunFailed,
    /// The run was cancelled before the step could start.
    RunCancelled,
    /// The item that the step is in had failed before it could start.
    ItemFailed,
    /// A fan-out around the step was out of time before it could start.
    OutOfTime,
}

impl SkipReason {
    /// The spelling in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotTaken => "not_taken",
            Self::UpstreamSkipped => "upstream_skipped",
            Self::UpstreamFailed => "upstream_failed",
            Self::RunFailed => "run_failed",
            Self::RunCancelled => "run_cancelled",
            Self::ItemFailed => "item_failed",
            Self::OutOfTime => "out_of_time",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
