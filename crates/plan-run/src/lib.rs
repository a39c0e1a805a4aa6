//! The run of a plan as a pure state machine over journaled events.
//!
//! A [`Machine`] holds one run. [`Machine::next`] only *proposes* events,
//! [`Machine::apply`] moves the state by one exhaustive table that can refuse,
//! and whoever drives the run journals each event before it applies it and
//! performs what the event says. Replaying a journal through `apply` is recovery.
//!
//! Nothing here is asynchronous, reads a clock or draws a random number: time,
//! jitter and results are given by the driver, and the events carry them.

pub mod codec;
pub mod event;
pub mod record;

mod confinement;
mod failure;
mod id;
mod machine;
mod millis;
mod object;
mod refused;
mod request;
mod status;
mod usage;

pub use codec::{DecodeError, decode, encode};
pub use confinement::{Confinement, Restraint};
pub use event::{Event, EventKind};
pub use failure::{Effect, Failure, FailureClass, RetryAdvice};
pub use id::{IdempotencyKey, NameError, PrincipalName, RequestId, RunId, StepPath, StepPathError};
pub use machine::{
    AgentEffect, AgentReport, AnswerRefused, AttemptSuccess, Basis, CodeEffect, CodeText,
    CreateRefused, DecisionRefused, Drift, EffectCall, Ending, Fork, ForkRefused, Machine,
    ModelAnswer, NewRun, PromptEffect, RecordedPlan, ResumeRefused, Resumption, ToolEffect,
};
pub use object::JsonObject;
pub use record::RunRecord;
pub use refused::Refused;
pub use request::{Answer, CallTarget, Decision, ProposedCall, Request, RequestKind};
pub use status::{RunStatus, SkipReason, StepStatus};
pub use usage::ModelUsage;
