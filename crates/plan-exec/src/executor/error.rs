//! What can keep a run from being started, taken up or told something.

use std::fmt;
use std::time::Duration;

use plan_model::{AgentName, Digest, ModelName, StepId, Timestamp, ToolName};
use plan_run::{
    AnswerRefused, CreateRefused, DecisionRefused, DecodeError, ForkRefused, Refused, RunId,
    RunStatus, StepPath,
};
use plan_store::{OwnerId, Sequence, StoreError};
use plan_validate::{Finding, PlanRejected};

/// Why no run was started. But for [`StartError::Undriven`], nothing was written but, at most, the version of the plan.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A run of this id exists.
    #[error("run `{run}` already exists")]
    AlreadyExists {
        /// The id.
        run: RunId,
    },
    /// The inputs are not what the plan takes.
    #[error("the inputs are refused: {}", Told(findings))]
    InputsRejected {
        /// Every problem.
        findings: Vec<Finding>,
    },
    /// The machine does not create the run, for a reason that this release has no words for.
    #[error(transparent)]
    NotCreated(CreateRefused),
    /// The executor cannot do what the plan was checked for.
    #[error(transparent)]
    Unequipped(#[from] Unequipped),
    /// The plan was checked under another policy, and is refused under the one of this executor.
    #[error("the plan was checked under another policy than this executor has: {0}")]
    PlanRejected(Box<PlanRejected>),
    /// The plan was checked under another policy, and would be granted something else under the one of this executor.
    #[error(
        "the plan was checked under another policy, and is granted {granted} where this executor's policy gives {own}"
    )]
    GrantDiffers {
        /// The digest of what it is granted.
        granted: Digest,
        /// The digest of what this executor would grant.
        own: Digest,
    },
    /// The machine refused the event that it made itself: a fault of this library.
    #[error("run `{run}` refused its own beginning: {refused}")]
    Refused {
        /// The run.
        run: RunId,
        /// Why.
        refused: Box<Refused>,
    },
    /// The run was created, and this executor could not claim it: a recovery takes it up.
    #[error("run `{run}` was created and is not driven: {error}")]
    Undriven {
        /// The run.
        run: RunId,
        /// Why it was not claimed.
        error: StoreError,
    },
    /// Another content of the same id and version is stored, or the store failed.
    #[error(transparent)]
    Store(StoreError),
}

/// Why an executor cannot run a plan that was checked: it has other tools than the check had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unequipped {
    /// The catalog of the executor does not have the tool, or has it with another schema, effect or command.
    #[error("the tool `{tool}` is not the one that the plan was checked with")]
    ToolDiffers {
        /// The first such tool.
        tool: ToolName,
    },
    /// The catalog describes the tool, and nothing implements it.
    #[error("nothing implements the tool `{tool}`")]
    NotImplemented {
        /// The first such tool.
        tool: ToolName,
    },
    /// The plan asks a model, and nothing answers for it.
    #[error("step `{step}` asks the model `{model}`, and nothing answers for it")]
    NoModel {
        /// The first such step.
        step: StepId,
        /// The model.
        model: ModelName,
    },
    /// The plan uses an agent, and nothing runs it.
    #[error("step `{step}` uses {}, and nothing runs it", Agent(.agent.as_ref()))]
    NoAgent {
        /// The first such step.
        step: StepId,
        /// The agent; absent: the host's default.
        agent: Option<AgentName>,
    },
    /// The plan runs scripts, and the registry has no code runner.
    #[error("step `{step}` is a script, and there is no code runner")]
    NoCodeRunner {
        /// The first such step.
        step: StepId,
    },
}

/// Why a run cannot be rebuilt from its journal under the present tools and policy.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The store has no such run, or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A record of the journal cannot be read.
    #[error("record {sequence} of run `{run}` cannot be read: {error}")]
    Unreadable {
        /// The run.
        run: RunId,
        /// Which record, from 1.
        sequence: Sequence,
        /// What is wrong with it.
        error: DecodeError,
    },
    /// A record is no possible next event of the run.
    #[error("record {sequence} of run `{run}` does not follow from those before: {refused}")]
    OutOfOrder {
        /// The run.
        run: RunId,
        /// Which record, from 1.
        sequence: Sequence,
        /// Why it was refused.
        refused: Box<Refused>,
    },
    /// The journal does not begin with the creation of the run.
    #[error("the journal of run `{run}` does not begin with its creation")]
    NoBeginning {
        /// The run.
        run: RunId,
    },
    /// What is stored as the plan is no plan.
    #[error("what is stored as the plan of run `{run}` is no plan")]
    NoPlan {
        /// The run.
        run: RunId,
    },
    /// The stored plan does not pass the check any more.
    #[error("the plan of run `{run}` is refused: {rejected}")]
    PlanRejected {
        /// The run.
        run: RunId,
        /// Every finding.
        rejected: Box<PlanRejected>,
    },
    /// The stored plan is not the one that the run was started with.
    #[error(
        "the plan of run `{run}` was changed: its digest is {actual}, and the run has {expected}"
    )]
    PlanDiffers {
        /// The run.
        run: RunId,
        /// What the run was started with.
        expected: Digest,
        /// What is stored now.
        actual: Digest,
    },
    /// Tools that the plan uses are gone or are not what they were.
    #[error("tools of run `{run}` are gone or changed: {}", Names(tools))]
    ToolsDiffer {
        /// The run.
        run: RunId,
        /// The tools, by name.
        tools: Vec<ToolName>,
    },
    /// The present policy or catalog would grant something else.
    #[error("the present policy and catalog do not grant what run `{run}` was started with")]
    GrantDiffers {
        /// The run.
        run: RunId,
        /// The digest of what it was started with.
        expected: Digest,
        /// The digest of what would be granted now.
        actual: Digest,
    },
}

/// Why a run was not taken up.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The run cannot be rebuilt.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Another executor drives the run.
    #[error("run `{run}` is driven by `{owner}`")]
    Driven {
        /// The run.
        run: RunId,
        /// Who drives it.
        owner: OwnerId,
        /// When its claim ends unless it is renewed.
        until: Timestamp,
    },
    /// The run has ended.
    #[error("run `{run}` has ended: it {status}")]
    Finished {
        /// The run.
        run: RunId,
        /// How.
        status: RunStatus,
    },
    /// The run failed, and going on would repeat calls whose effect is unknown: the caller has to say so.
    #[error(
        "going on with run `{run}` may repeat calls that took effect: {}",
        Paths(steps)
    )]
    MayRepeat {
        /// The run.
        run: RunId,
        /// The steps that would be called again.
        steps: Vec<StepPath>,
    },
    /// The executor has no implementation for what the plan does.
    #[error(transparent)]
    Unequipped(#[from] Unequipped),
}

impl From<StoreError> for ResumeError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Claimed { run, owner, until } => Self::Driven { run, owner, until },
            error => Self::Load(LoadError::Store(error)),
        }
    }
}

/// Why no run was forked. But for [`StartError::Undriven`], nothing was written.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ForkError {
    /// The run has not ended, or has no such step.
    #[error("run `{run}` is not forked: {refused}")]
    Refused {
        /// The run.
        run: RunId,
        /// Why.
        refused: ForkRefused,
    },
    /// Inputs were given, and kept results were made of those of the run before.
    #[error("a fork of run `{run}` has its inputs, and takes no others")]
    Inputs {
        /// The run.
        run: RunId,
    },
    /// The run cannot be rebuilt.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The executor has no implementation for what the plan does.
    #[error(transparent)]
    Unequipped(#[from] Unequipped),
    /// The new run was not started.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// Why an answer, a decision or a cancel request is not in the journal.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The answer does not fit the run as it stands.
    #[error(transparent)]
    Answer(#[from] AnswerRefused),
    /// The decision does not fit the run as it stands.
    #[error(transparent)]
    Decision(#[from] DecisionRefused),
    /// The run has ended.
    #[error("run `{run}` has ended")]
    Finished {
        /// The run.
        run: RunId,
    },
    /// The run cannot be rebuilt, so nobody can say whether it fits.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The journal grew faster than it could be read.
    #[error("the journal of run `{run}` grew at every attempt to add to it")]
    Contended {
        /// The run.
        run: RunId,
    },
    /// The drive that should have taken it ended before.
    #[error("the drive of run `{run}` ended before it took this")]
    DriveEnded {
        /// The run.
        run: RunId,
    },
}

impl From<StoreError> for ControlError {
    fn from(error: StoreError) -> Self {
        Self::Load(LoadError::Store(error))
    }
}

/// Why a drive ended without the record of its run. The run is as its journal has it, and can be resumed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// Another executor took the run. This one has stopped what it had in flight.
    #[error("another executor has taken run `{run}`")]
    Fenced {
        /// The run.
        run: RunId,
    },
    /// The claim could not be renewed for so long that another executor may have taken the run.
    #[error("the claim on run `{run}` was not renewed for {} s", .since.as_secs())]
    ClaimLost {
        /// The run.
        run: RunId,
        /// How long ago it was last renewed.
        since: Duration,
    },
    /// The store failed past every repeat. Nothing was started after it.
    #[error("the journal of run `{run}` cannot be written: {error}")]
    Store {
        /// The run.
        run: RunId,
        /// What it said.
        error: StoreError,
    },
    /// The journal holds what the run cannot follow.
    #[error(transparent)]
    Load(LoadError),
    /// The run refused an event that it had proposed itself: a fault of this library.
    #[error("run `{run}` refused its own event: {refused}")]
    Refused {
        /// The run.
        run: RunId,
        /// Why.
        refused: Box<Refused>,
    },
    /// The drive was stopped, on request or with its runtime.
    #[error("the drive of run `{run}` was stopped")]
    Stopped {
        /// The run.
        run: RunId,
    },
}

/// The first finding in words, and how many there are besides.
struct Told<'a>(&'a [Finding]);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("no reason given"),
            [only] => f.write_str(&only.message),
            [first, rest @ ..] => write!(f, "{} (and {} more)", first.message, rest.len()),
        }
    }
}

struct Agent<'a>(Option<&'a AgentName>);

impl fmt::Display for Agent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "the agent `{name}`"),
            None => f.write_str("the host's default agent"),
        }
    }
}

struct Paths<'a>(&'a [StepPath]);

impl fmt::Display for Paths<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, path) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}`{path}`")?;
        }
        Ok(())
    }
}

struct Names<'a>(&'a [ToolName]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, name) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}`{name}`")?;
        }
        Ok(())
    }
}
