//! What happens in a run, one journaled fact at a time.

mod beginning;

use std::time::Duration;

use plan_model::{Digest, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    Answer, Confinement, Decision, Failure, IdempotencyKey, JsonObject, ModelUsage, PrincipalName,
    Request, RequestId, RunStatus, SkipReason, StepPath,
};

pub use beginning::{PlanRef, RunCreated, RunForked, Trigger};

/// One fact and when it happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When, by the clock of whoever journaled it.
    pub at: Timestamp,
    /// What.
    pub kind: EventKind,
}

/// A fact about a run.
///
/// Events carry every decision and every number that was drawn, so that
/// replaying them decides nothing again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// The run exists.
    RunCreated(Box<RunCreated>),
    /// An effect is about to be performed.
    AttemptStarted(AttemptStarted),
    /// An attempt is over.
    AttemptEnded {
        /// The step.
        step: StepPath,
        /// The attempt, from 1.
        attempt: u32,
        /// How it ended.
        outcome: AttemptOutcome,
    },
    /// A model answered an attempt, or counted tokens for an answer that it did not give.
    ModelAnswered {
        /// The step.
        step: StepPath,
        /// The attempt, from 1.
        attempt: u32,
        /// Which answer to this attempt it is, from 1.
        answer: u32,
        /// What it cost.
        usage: ModelUsage,
    },
    /// An agent asks for a call of a tool. Unless it is refused, it is made next.
    AgentCalled(Box<AgentCalled>),
    /// A call that an agent had asked for is over.
    AgentCallEnded {
        /// The step.
        step: StepPath,
        /// The attempt, from 1.
        attempt: u32,
        /// Which of the attempt's calls it is, from 1.
        call: u32,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Box<Failure>>,
    },
    /// A failed attempt will be followed by another one.
    RetryScheduled {
        /// The step.
        step: StepPath,
        /// When the next attempt may start.
        due_at: Timestamp,
        /// The delay that was drawn, in the journal as milliseconds.
        #[serde(rename = "delay_ms", with = "crate::millis")]
        delay: Duration,
    },
    /// The next attempt of a step will not be made: its last failure stands.
    RetryDropped {
        /// The step.
        step: StepPath,
        /// Whether the run is failing or cancelled.
        reason: StopReason,
    },
    /// A step will not run.
    StepSkipped {
        /// The step.
        step: StepPath,
        /// Why.
        reason: SkipReason,
    },
    /// A step failed outside an attempt: its values could not be built, or nobody answered in time.
    StepFailed {
        /// The step.
        step: StepPath,
        /// Why.
        failure: Box<Failure>,
    },
    /// A condition was evaluated.
    BranchTaken {
        /// The condition.
        step: StepPath,
        /// What its expression came to.
        result: bool,
    },
    /// A fan-out has its list, and its items begin.
    ItemsExpanded(Box<ItemsExpanded>),
    /// The `until` of a fan-out was evaluated for an item that had ended.
    UntilEvaluated {
        /// The fan-out.
        step: StepPath,
        /// The item, from 0.
        index: usize,
        /// What it came to.
        result: bool,
    },
    /// The time of a fan-out is up: what runs in its items is stopped, and the rest of them is given up.
    ItemsStopped {
        /// The fan-out.
        step: StepPath,
    },
    /// A fan-out or a fan-in has its list, which follows from what was delivered and is not written again.
    ListCollected {
        /// The step.
        step: StepPath,
        /// How many elements the list has.
        count: usize,
    },
    /// A fan-out ends without its items, because the run is ending.
    FanOutDropped {
        /// The fan-out.
        step: StepPath,
        /// Whether the run is failing or cancelled.
        reason: StopReason,
    },
    /// A person is asked.
    RequestOpened(Box<Request>),
    /// A person answered.
    RequestAnswered(Box<RequestAnswered>),
    /// A request is closed without an answer, because the run is ending.
    RequestWithdrawn {
        /// The request.
        request: RequestId,
        /// The step that asked.
        step: StepPath,
        /// Whether the run is failing or cancelled.
        reason: StopReason,
    },
    /// An attempt may or may not have had its effect, and must not be repeated unasked.
    InDoubtFound {
        /// The step.
        step: StepPath,
        /// The attempt, from 1.
        attempt: u32,
    },
    /// A person decided about an attempt in doubt.
    Decided {
        /// The step.
        step: StepPath,
        /// The attempt, from 1.
        attempt: u32,
        /// The decision.
        decision: Decision,
        /// Who decided.
        by: PrincipalName,
    },
    /// Somebody wants the run to end.
    CancelRequested {
        /// Who.
        by: PrincipalName,
        /// Why.
        reason: String,
    },
    /// The run used up a budget: nothing more starts.
    BudgetCrossed {
        /// Which one.
        budget: Budget,
        /// The bound, in the budget's unit.
        limit: u64,
    },
    /// A result of an attempt that had already ended. It changes nothing.
    LateResult {
        /// The step.
        step: StepPath,
        /// The attempt, from 1.
        attempt: u32,
        /// What came.
        result: LateResult,
    },
    /// A driver took the run up again; with a reset, a failed run starts anew from there.
    RunResumed {
        /// Counts resets; the same when nothing is reset.
        generation: u32,
        /// The plan that it goes on with.
        plan: Digest,
        /// The steps that run again.
        reset: Vec<StepPath>,
    },
    /// Everything before is what another run had come to; from here on it is this one.
    RunForked(Box<RunForked>),
    /// The run is over.
    RunEnded {
        /// How: succeeded, failed or cancelled.
        status: RunStatus,
        /// What the plan publishes.
        outputs: JsonObject,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Box<Failure>>,
    },
}

impl EventKind {
    /// The name of the kind, as the journal spells it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RunCreated(_) => "run_created",
            Self::AttemptStarted(_) => "attempt_started",
            Self::AttemptEnded { .. } => "attempt_ended",
            Self::ModelAnswered { .. } => "model_answered",
            Self::AgentCalled(_) => "agent_called",
            Self::AgentCallEnded { .. } => "agent_call_ended",
            Self::RetryScheduled { .. } => "retry_scheduled",
            Self::RetryDropped { .. } => "retry_dropped",
            Self::StepSkipped { .. } => "step_skipped",
            Self::StepFailed { .. } => "step_failed",
            Self::BranchTaken { .. } => "branch_taken",
            Self::ItemsExpanded(_) => "items_expanded",
            Self::UntilEvaluated { .. } => "until_evaluated",
            Self::ItemsStopped { .. } => "items_stopped",
            Self::ListCollected { .. } => "list_collected",
            Self::FanOutDropped { .. } => "fan_out_dropped",
            Self::RequestOpened(_) => "request_opened",
            Self::RequestAnswered(_) => "request_answered",
            Self::RequestWithdrawn { .. } => "request_withdrawn",
            Self::InDoubtFound { .. } => "in_doubt_found",
            Self::Decided { .. } => "decided",
            Self::CancelRequested { .. } => "cancel_requested",
            Self::BudgetCrossed { .. } => "budget_crossed",
            Self::LateResult { .. } => "late_result",
            Self::RunResumed { .. } => "run_resumed",
            Self::RunForked(_) => "run_forked",
            Self::RunEnded { .. } => "run_ended",
        }
    }

    /// The step that the event speaks of, where it speaks of one.
    pub fn step(&self) -> Option<&StepPath> {
        match self {
            Self::AttemptStarted(started) => Some(&started.step),
            Self::AgentCalled(called) => Some(&called.step),
            Self::ItemsExpanded(expanded) => Some(&expanded.step),
            Self::RequestOpened(request) => Some(&request.step),
            Self::RequestAnswered(answered) => Some(&answered.step),
            Self::AttemptEnded { step, .. }
            | Self::ModelAnswered { step, .. }
            | Self::AgentCallEnded { step, .. }
            | Self::RetryScheduled { step, .. }
            | Self::RetryDropped { step, .. }
            | Self::StepSkipped { step, .. }
            | Self::StepFailed { step, .. }
            | Self::BranchTaken { step, .. }
            | Self::UntilEvaluated { step, .. }
            | Self::ItemsStopped { step }
            | Self::ListCollected { step, .. }
            | Self::FanOutDropped { step, .. }
            | Self::RequestWithdrawn { step, .. }
            | Self::InDoubtFound { step, .. }
            | Self::Decided { step, .. }
            | Self::LateResult { step, .. } => Some(step),
            Self::RunCreated(_)
            | Self::CancelRequested { .. }
            | Self::BudgetCrossed { .. }
            | Self::RunResumed { .. }
            | Self::RunForked(_)
            | Self::RunEnded { .. } => None,
        }
    }
}

/// An effect that is about to be performed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AttemptStarted {
    /// The step.
    pub step: StepPath,
    /// The attempt, from 1.
    pub attempt: u32,
    /// How often the run was reset before.
    pub generation: u32,
    /// The key under which the other side recognises a repeated call.
    pub key: IdempotencyKey,
    /// The arguments as resolved; secrets and sensitive inputs are masked.
    pub arguments: JsonObject,
    /// The most tokens that its models may use, set aside of what the run has left; absent: no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// A call that an agent asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentCalled {
    /// The step of the agent.
    pub step: StepPath,
    /// The attempt, from 1.
    pub attempt: u32,
    /// Which of the attempt's calls it is, from 1.
    pub call: u32,
    /// The tool, as the agent names it.
    pub tool: String,
    /// The arguments, as the agent wrote them.
    pub arguments: JsonObject,
    /// Why it is not made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Box<Failure>>,
}

/// The list of a fan-out, as far as a journal has it: the items are what its `over` reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ItemsExpanded {
    /// The fan-out.
    pub step: StepPath,
    /// How many items there are.
    pub count: usize,
    /// The digest of each item, in their order.
    pub digests: Vec<Digest>,
    /// After a reset: the items whose finished steps keep their results, because they are the same as before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<usize>,
    /// When all of them must have ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptOutcome {
    /// The step succeeded.
    Succeeded(Delivered),
    /// The step failed.
    Failed(Box<Failure>),
    /// The attempt failed and another one follows: see [`EventKind::RetryScheduled`].
    Retrying(Box<Failure>),
    /// The attempt was stopped because the run is ending.
    Cancelled(Box<Failure>),
    /// The process that made it died; it is made again under the same key.
    Interrupted,
}

/// What a successful attempt delivered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Delivered {
    /// The step's outputs.
    pub outputs: JsonObject,
    /// The last of standard output, where that is not among the outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// The last of standard error, where that is not among the outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// What the attempt was held to, where it ran in a process that could be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confinement: Option<Box<Confinement>>,
}

/// An answer, and what follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RequestAnswered {
    /// The request.
    pub request: RequestId,
    /// The step that asked.
    pub step: StepPath,
    /// What the answer was bound to: the request's own binding.
    pub binding: Digest,
    /// The answer.
    pub answer: Answer,
    /// Who answered.
    pub by: PrincipalName,
    /// What follows.
    pub consequence: Consequence,
}

/// What follows from an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consequence {
    /// The step succeeded with these outputs.
    Delivers(JsonObject),
    /// The call may be made.
    Permits,
    /// The run is cancelled once work in flight has ended.
    Rejects,
    /// The run is cancelled and work in flight is stopped.
    Cancels,
}

/// Why work that had begun is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The run is failing.
    RunFailed,
    /// The run is cancelled.
    RunCancelled,
    /// A fan-out around it is out of time.
    OutOfTime,
}

/// A bound on a whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// Tool calls over all attempts and generations.
    ToolCalls,
    /// Tokens of models over all attempts and generations.
    ModelTokens,
    /// Bytes that attempts delivered, over all of them and all generations.
    OutputBytes,
    /// Driven time in milliseconds; waiting is not counted.
    WallTime,
    /// The run's deadline, in milliseconds since 1970.
    Deadline,
}

/// A result that came after its attempt had ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LateResult {
    /// It was a success.
    Succeeded,
    /// It was a failure.
    Failed(Box<Failure>),
}
