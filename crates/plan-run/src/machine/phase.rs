//! The life of a step: its phases, what can befall it, and the one table that says what follows.

use plan_model::Timestamp;

use crate::{Request, SkipReason, StepStatus};

/// Where a step is in its life.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Phase {
    /// Something that it waits for has not ended.
    Blocked,
    /// Everything that it waits for has ended.
    Ready,
    /// Its last attempt runs.
    InFlight,
    /// Its last attempt failed and the next one is to be scheduled.
    Owed,
    /// Its next attempt may start at this time.
    Delayed(Timestamp),
    /// A person was asked.
    Asking(Box<Request>),
    /// Whether its last attempt had its effect is not known.
    Doubtful,
    /// Its items run.
    Spread,
    /// Its outputs are there.
    Succeeded,
    /// It failed.
    Failed,
    /// It did not run.
    Skipped(SkipReason),
    /// It was ended from outside.
    Cancelled,
}

impl Phase {
    pub(super) fn status(&self) -> StepStatus {
        match self {
            Self::Blocked | Self::Ready => StepStatus::Pending,
            Self::InFlight | Self::Owed | Self::Delayed(_) | Self::Spread => StepStatus::Running,
            Self::Asking(_) => StepStatus::Waiting,
            Self::Doubtful => StepStatus::InDoubt,
            Self::Succeeded => StepStatus::Succeeded,
            Self::Failed => StepStatus::Failed,
            Self::Skipped(reason) => StepStatus::Skipped(*reason),
            Self::Cancelled => StepStatus::Cancelled,
        }
    }
}

/// What befalls a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Move {
    /// An attempt starts.
    Start,
    /// The attempt delivered.
    Succeed,
    /// The attempt failed for good.
    Fail,
    /// The attempt failed and another one follows.
    FailForNow,
    /// The attempt was stopped.
    Stop,
    /// The process of the attempt died; it is made again.
    Interrupt,
    /// The process of the attempt died; nobody knows what it did.
    Doubt,
    /// The next attempt has a time.
    Schedule(Timestamp),
    /// The next attempt is given up because the run fails.
    GiveUp,
    /// The step is ended because the run is cancelled, or its request withdrawn.
    Cancel,
    /// The step will not run.
    Skip(SkipReason),
    /// The step failed outside an attempt.
    Break,
    /// The condition chose.
    Choose,
    /// The items begin.
    Expand,
    /// The list is there.
    Collect,
    /// The items are given up because the run is ending.
    Drop,
    /// A person is asked.
    Ask(Box<Request>),
    /// The answer delivers the outputs.
    Deliver,
    /// The answer permits the call.
    Permit,
    /// The answer ends the run.
    Refuse,
    /// The attempt in doubt is made again.
    Repeat,
    /// The attempt in doubt counts as done.
    Affirm,
    /// The attempt in doubt counts as failed.
    Deny,
}

/// What a move makes of a phase; `None` where it cannot befall a step there.
pub(super) fn after(phase: &Phase, by: Move) -> Option<Phase> {
    use Move as M;
    use Phase as P;
    match (phase, by) {
        (P::Blocked, M::Skip(reason)) => Some(P::Skipped(reason)),
        (
            P::Blocked,
            M::Start
            | M::Succeed
            | M::Fail
            | M::FailForNow
            | M::Stop
            | M::Interrupt
            | M::Doubt
            | M::Schedule(_)
            | M::GiveUp
            | M::Cancel
            | M::Break
            | M::Choose
            | M::Expand
            | M::Collect
            | M::Drop
            | M::Ask(_)
            | M::Deliver
            | M::Permit
            | M::Refuse
            | M::Repeat
            | M::Affirm
            | M::Deny,
        ) => None,

        (P::Ready, M::Start) => Some(P::InFlight),
        (P::Ready, M::Skip(reason)) => Some(P::Skipped(reason)),
        (P::Ready, M::Break) => Some(P::Failed),
        (P::Ready, M::Choose | M::Collect) => Some(P::Succeeded),
        (P::Ready, M::Expand) => Some(P::Spread),
        (P::Ready, M::Ask(request)) => Some(P::Asking(request)),
        (
            P::Ready,
            M::Succeed
            | M::Fail
            | M::FailForNow
            | M::Stop
            | M::Interrupt
            | M::Doubt
            | M::Schedule(_)
            | M::GiveUp
            | M::Cancel
            | M::Drop
            | M::Deliver
            | M::Permit
            | M::Refuse
            | M::Repeat
            | M::Affirm
            | M::Deny,
        ) => None,

        (P::InFlight, M::Succeed) => Some(P::Succeeded),
        (P::InFlight, M::Fail) => Some(P::Failed),
        (P::InFlight, M::FailForNow) => Some(P::Owed),
        (P::InFlight, M::Stop) => Some(P::Cancelled),
        (P::InFlight, M::Interrupt) => Some(P::Ready),
        (P::InFlight, M::Doubt) => Some(P::Doubtful),
        (
            P::InFlight,
            M::Start
            | M::Schedule(_)
            | M::GiveUp
            | M::Cancel
            | M::Skip(_)
            | M::Break
            | M::Choose
            | M::Expand
            | M::Collect
            | M::Drop
            | M::Ask(_)
            | M::Deliver
            | M::Permit
            | M::Refuse
            | M::Repeat
            | M::Affirm
            | M::Deny,
        ) => None,

        (P::Owed, M::Schedule(due_at)) => Some(P::Delayed(due_at)),
        (P::Owed | P::Delayed(_), M::GiveUp) => Some(P::Failed),
        (P::Owed | P::Delayed(_), M::Cancel) => Some(P::Cancelled),
        (
            P::Owed,
            M::Start
            | M::Succeed
            | M::Fail
            | M::FailForNow
            | M::Stop
            | M::Interrupt
            | M::Doubt
            | M::Skip(_)
            | M::Break
            | M::Choose
            | M::Expand
            | M::Collect
            | M::Drop
            | M::Ask(_)
            | M::Deliver
            | M::Permit
            | M::Refuse
            | M::Repeat
            | M::Affirm
            | M::Deny,
        ) => None,

        (P::Delayed(_), M::Start) => Some(P::InFlight),
        (P::Delayed(_), M::Break) => Some(P::Failed),
        (P::Delayed(_), M::Ask(request)) => Some(P::Asking(request)),
        (
            P::Delayed(_),
            M::Succeed
            | M::Fail
            | M::FailForNow
            | M::Stop
            | M::Interrupt
            | M::Doubt
            | M::Schedule(_)
            | M::Skip(_)
            | M::Choose
            | M::Expand
            | M::Collect
            | M::Drop
            | M::Deliver
            | M::Permit
            | M::Refuse
            | M::Repeat
            | M::Affirm
            | M::Deny,
        ) => None,

        (P::Asking(_), M::Deliver) => Some(P::Succeeded),
        (P::Asking(_), M::Permit) => Some(P::Ready),
        (P::Asking(_), M::Refuse | M::Cancel) => Some(P::Cancelled),
        (P::Asking(_), M::Break) => Some(P::Failed),
        (
            P::Asking(_),
            M::Start
            | M::Succeed
            | M::Fail
            | M::FailForNow
            | M::Stop
            | M::Interrupt
            | M::Doubt
            | M::Schedule(_)
            | M::GiveUp
            | M::Skip(_)
            | M::Choose
            | M::Expand
            | M::Collect
            | M::Drop
            | M::Ask(_)
            | M::Repeat
            | M::Affirm
            | M::Deny,
        ) => None,

        (P::Doubtful, M::Repeat) => Some(P::Ready),
        (P::Doubtful, M::Affirm) => Some(P::Succeeded),
        (P::Doubtful, M::Deny) => Some(P::Failed),
        (
            P::Doubtful,
            M::Start
            | M::Succeed
            | M::Fail
            | M::FailForNow
            | M::Stop
            | M::Interrupt
            | M::Doubt
            | M::Schedule(_)
            | M::GiveUp
            | M::Cancel
            | M::Skip(_)
            | M::Break
            | M::Choose
            | M::Expand
            | M::Collect
            | M::Drop
            | M::Ask(_)
            | M::Deliver
            | M::Permit
            | M::Refuse,
        ) => None,

        (P::Spread, M::Collect) => Some(P::Succeeded),
        (P::Spread, M::Break) => Some(P::Failed),
        (P::Spread, M::Drop) => Some(P::Cancelled),
        (
            P::Spread,
            M::Start
            | M::Succeed
            | M::Fail
            | M::FailForNow
            | M::Stop
            | M::Interrupt
            | M::Doubt
            | M::Schedule(_)
            | M::GiveUp
            | M::Cancel
            | M::Skip(_)
            | M::Choose
            | M::Expand
            | M::Ask(_)
            | M::Deliver
            | M::Permit
            | M::Refuse
            | M::Repeat
            | M::Affirm
            | M::Deny,
        ) => None,

        // what has ended stays as it is, until a reset starts it anew
        (
            P::Succeeded | P::Failed | P::Skipped(_) | P::Cancelled,
            M::Start
            | M::Succeed
            | M::Fail
            | M::FailForNow
            | M::Stop
            | M::Interrupt
            | M::Doubt
            | M::Schedule(_)
            | M::GiveUp
            | M::Cancel
            | M::Skip(_)
            | M::Break
            | M::Choose
            | M::Expand
            | M::Collect
            | M::Drop
            | M::Ask(_)
            | M::Deliver
            | M::Permit
            | M::Refuse
            | M::Repeat
            | M::Affirm
            | M::Deny,
        ) => None,
    }
}
