//! What a store may answer instead of a result.

use std::fmt;

use plan_model::{PlanId, Timestamp};
use plan_run::{RetryAdvice, RunId};

use crate::{OwnerId, Sequence};

/// Why a store did not do what it was asked.
///
/// No variant but [`StoreError::Backend`] speaks of the machinery below: the
/// others are facts about runs and plans that a caller acts on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store does not hold it.
    #[error("the store holds no {what}")]
    NotFound {
        /// What was asked for.
        what: Entity,
    },
    /// A run of this id exists; nothing was written.
    #[error("run `{run}` already exists")]
    AlreadyExists {
        /// The id that is taken.
        run: RunId,
    },
    /// The journal does not end where the writer thought; nothing was written.
    ///
    /// Read from `expected` on, decide again, append again.
    #[error("the journal ends at {actual}, not at {expected}")]
    Sequence {
        /// Where the writer thought that it ends.
        expected: Sequence,
        /// Where it ends.
        actual: Sequence,
    },
    /// The writer does not own the run, or no longer; nothing was written.
    ///
    /// Stop driving the run.
    #[error("another owner has taken run `{run}`, or its claim was given up")]
    Fenced {
        /// The run.
        run: RunId,
    },
    /// Another owner that lives drives the run.
    #[error("run `{run}` is driven by `{owner}`")]
    Claimed {
        /// The run.
        run: RunId,
        /// Who drives it.
        owner: OwnerId,
        /// When its claim ends unless it is renewed.
        until: Timestamp,
    },
    /// This version of the plan is stored with other content, and versions never change.
    #[error("version {version} of plan `{plan}` is stored with other content")]
    Conflict {
        /// The plan.
        plan: PlanId,
        /// The version that exists.
        version: u64,
    },
    /// The plan has moved on: its current version is not the expected one; nothing was written.
    #[error("the current version of plan `{plan}` is {}, not {expected}", or_none(*.actual))]
    Stale {
        /// The plan.
        plan: PlanId,
        /// The version that the writer thought current.
        expected: u64,
        /// The version that is current; absent: the store holds none.
        actual: Option<u64>,
    },
    /// A newer release wrote the store. Nothing was read or changed.
    #[error(
        "the store has schema {found}, and this release reads up to {supported}: use a newer release"
    )]
    NewerSchema {
        /// The schema of the store.
        found: u32,
        /// The newest schema that this release reads.
        supported: u32,
    },
    /// Something in the store is damaged. The rest can still be used.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The store cannot be opened.
    #[error("cannot open the store `{location}`: {reason}")]
    Open {
        /// Where the store should be.
        location: String,
        /// What is wrong there.
        reason: String,
    },
    /// The machinery below failed; nothing was written unless the error says so.
    #[error("the store failed: {message}")]
    Backend {
        /// What it said.
        message: String,
        /// Whether to try again.
        retry: RetryAdvice,
    },
}

fn or_none(version: Option<u64>) -> String {
    version.map_or_else(|| "none".to_owned(), |version| version.to_string())
}

impl StoreError {
    /// Whether the same call may succeed if it is made again.
    ///
    /// A [`StoreError::Sequence`] says never: the same call fails again, another one may not.
    pub fn retry(&self) -> RetryAdvice {
        match self {
            Self::Backend { retry, .. } => *retry,
            Self::Claimed { .. } => RetryAdvice::Later,
            Self::NotFound { .. }
            | Self::AlreadyExists { .. }
            | Self::Sequence { .. }
            | Self::Fenced { .. }
            | Self::Conflict { .. }
            | Self::Stale { .. }
            | Self::NewerSchema { .. }
            | Self::Unreadable(_)
            | Self::Open { .. } => RetryAdvice::Never,
        }
    }
}

/// What a store was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Entity {
    /// A run.
    Run(RunId),
    /// A plan, in whatever version.
    Plan(PlanId),
    /// A version of a plan.
    PlanVersion(PlanId, u64),
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(run) => write!(f, "run `{run}`"),
            Self::Plan(plan) => write!(f, "plan `{plan}`"),
            Self::PlanVersion(plan, version) => write!(f, "version {version} of plan `{plan}`"),
        }
    }
}

/// Something that a store holds and cannot read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place} cannot be read: {reason}")]
pub struct Unreadable {
    /// Where it lies.
    pub place: Place,
    /// What is wrong with it.
    pub reason: String,
}

/// Where something lies in a store. Ids are as stored: they may be what is damaged.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// The head of a run.
    Run(String),
    /// A record of a run's journal.
    Record(RunId, Sequence),
    /// A version of a plan.
    Plan(String, u64),
    /// The store as a whole.
    Store,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(run) => write!(f, "run `{run}`"),
            Self::Record(run, sequence) => write!(f, "record {sequence} of run `{run}`"),
            Self::Plan(plan, version) => write!(f, "version {version} of plan `{plan}`"),
            Self::Store => f.write_str("the store"),
        }
    }
}
