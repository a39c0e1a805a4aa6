//! Why an event does not fit a run.

use plan_model::{Digest, Timestamp};

use crate::{RequestId, RunStatus, StepPath, StepStatus};

/// Why the machine refuses an event. The machine is as it was before.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// A journal without events.
    #[error("the journal is empty")]
    Empty,
    /// The first event is not the creation of the run.
    #[error("a journal begins with the creation of its run")]
    NotCreated,
    /// The run exists already.
    #[error("the run exists already")]
    AlreadyCreated,
    /// The journal is of another plan, or of another version of it.
    #[error("the journal is of the plan with digest {journaled}, not {given}")]
    OtherPlan {
        /// What the event says.
        journaled: Digest,
        /// The plan that the machine holds.
        given: Digest,
    },
    /// The run has ended.
    #[error("the run has ended as {status}")]
    RunEnded {
        /// How.
        status: RunStatus,
    },
    /// Only a run that was created as a fork goes on from another's end.
    #[error("the run is no fork of one that has ended")]
    NoFork,
    /// The run is ending and starts nothing more.
    #[error("the run is ending and `{step}` may not go on")]
    RunEnding {
        /// The step.
        step: StepPath,
    },
    /// The plan has no such step.
    #[error("the plan has no step `{step}`")]
    UnknownStep {
        /// The path.
        step: StepPath,
    },
    /// The event cannot befall a step that stands so.
    #[error("`{event}` cannot befall step `{step}`, which is {status}")]
    WrongPhase {
        /// The step.
        step: StepPath,
        /// Where it stands.
        status: StepStatus,
        /// The event.
        event: &'static str,
    },
    /// The event cannot befall a step of that kind.
    #[error("`{event}` cannot befall step `{step}`, which is of another kind")]
    WrongKind {
        /// The step.
        step: StepPath,
        /// The event.
        event: &'static str,
    },
    /// The event names another attempt than the one that it can speak of.
    #[error("attempt {actual} of `{step}` is not attempt {expected}")]
    WrongAttempt {
        /// The step.
        step: StepPath,
        /// The attempt that the event could speak of.
        expected: u32,
        /// The attempt that it names.
        actual: u32,
    },
    /// The event names another answer of a model than the next one.
    #[error("answer {actual} to `{step}` is not answer {expected}")]
    WrongAnswer {
        /// The step.
        step: StepPath,
        /// The answer that comes next.
        expected: u32,
        /// The answer that it names.
        actual: u32,
    },
    /// The event names another generation.
    #[error("generation {actual} is not generation {expected}")]
    WrongGeneration {
        /// The generation that the event could name.
        expected: u32,
        /// The generation that it names.
        actual: u32,
    },
    /// A retry before its time.
    #[error("`{step}` may not start before {due_at}")]
    NotDue {
        /// The step.
        step: StepPath,
        /// When it may.
        due_at: Timestamp,
    },
    /// A request of this id was opened before.
    #[error("request `{request}` was opened before")]
    RepeatedRequest {
        /// The request.
        request: RequestId,
    },
    /// The event names a request that the step has not open, or is bound to other content.
    #[error("request `{request}` is not the one that `{step}` has open")]
    OtherRequest {
        /// The request.
        request: RequestId,
        /// The step.
        step: StepPath,
    },
    /// The answer came after the request's time.
    #[error("request `{request}` took answers until {expires_at}")]
    Expired {
        /// The request.
        request: RequestId,
        /// The last moment.
        expires_at: Timestamp,
    },
    /// The answer and what is to follow from it do not fit the request.
    #[error("the answer to `{request}` cannot have that consequence")]
    WrongConsequence {
        /// The request.
        request: RequestId,
    },
    /// The reason of a skip does not fit where the run or the step stands.
    #[error("`{step}` cannot be given up for that reason")]
    WrongReason {
        /// The step.
        step: StepPath,
    },
    /// The event tells of other items than the list of the fan-out has.
    #[error("the items of `{step}` are not those of its list")]
    OtherItems {
        /// The fan-out.
        step: StepPath,
    },
    /// The items of a fan-out have not ended.
    #[error("`{step}` cannot end while {active} of its items have not")]
    ItemsOpen {
        /// The fan-out.
        step: StepPath,
        /// Items that have not ended.
        active: usize,
    },
    /// The run cannot end this way now.
    #[error("the run cannot end as {status} while {open} of its steps have not ended")]
    NotOver {
        /// How the event ends it.
        status: RunStatus,
        /// Steps that have not ended.
        open: usize,
    },
}
