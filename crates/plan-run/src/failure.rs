//! Failures, typed where they happen.

use std::fmt;
use std::time::Duration;

use plan_model::RetryClass;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Confinement, StepPath};

/// Why an attempt, a step or a run failed.
///
/// Whoever meets the fault says its class; nobody reads it out of a text.
///
/// ```
/// use plan_run::{Effect, Failure, FailureClass};
///
/// let failure = Failure::new(FailureClass::RateLimited, "429 from the server").with_effect(Effect::None);
/// assert_eq!(failure.to_string(), "rate_limited: 429 from the server");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// What kind of fault it is.
    pub class: FailureClass,
    /// What happened, for a person.
    pub message: String,
    /// The step that failed; the machine fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepPath>,
    /// The attempt that failed, from 1; the machine fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// Facts for a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// The last of standard output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout_tail: Option<String>,
    /// The last of standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr_tail: Option<String>,
    /// What the attempt was held to, where it ran in a process that could be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confinement: Option<Box<Confinement>>,
    /// Whether the attempt may have changed anything.
    #[serde(default)]
    pub effect: Effect,
    /// When trying again makes sense.
    #[serde(default)]
    pub retry: RetryAdvice,
}

impl Failure {
    /// A failure whose effect is unknown and that may be tried again later.
    pub fn new(class: FailureClass, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
            step: None,
            attempt: None,
            details: None,
            stdout_tail: None,
            stderr_tail: None,
            confinement: None,
            effect: Effect::Unknown,
            retry: RetryAdvice::Later,
        }
    }

    /// The failure with what is known of its effect.
    #[must_use]
    pub fn with_effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// The failure with advice on trying again.
    #[must_use]
    pub fn with_retry(mut self, retry: RetryAdvice) -> Self {
        self.retry = retry;
        self
    }

    /// The failure with facts for a program.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// The failure with the last of what the attempt wrote.
    #[must_use]
    pub fn with_tails(mut self, stdout: Option<String>, stderr: Option<String>) -> Self {
        self.stdout_tail = stdout;
        self.stderr_tail = stderr;
        self
    }

    /// The failure with the place where it happened.
    #[must_use]
    pub fn at(mut self, step: StepPath, attempt: Option<u32>) -> Self {
        self.step = Some(step);
        self.attempt = attempt;
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

/// What kind of fault a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureClass {
    /// Nothing has this tool's name.
    ToolNotFound,
    /// The plan's grant does not allow the effect.
    RefusedByGrant,
    /// The arguments could not be built, or the tool does not take them.
    InvalidArguments,
    /// The outputs are not what the step declares.
    OutputContract,
    /// A fault that is likely to pass.
    Transient,
    /// The other side asked for a pause.
    RateLimited,
    /// The attempt, or the wait for a person, took too long.
    Timeout,
    /// The credentials were refused.
    Auth,
    /// The caller may not do this.
    Permission,
    /// The thing asked for is not there.
    NotFound,
    /// Nothing answers at the address.
    EndpointDown,
    /// The program that runs the code is not installed.
    MissingInterpreter,
    /// A process ended with another code than zero.
    ExitStatus,
    /// The model refused.
    ModelRefused,
    /// The model's answer was cut.
    ModelTruncated,
    /// A bound was crossed.
    LimitExceeded,
    /// Whether the effect took place could not be found out.
    OutcomeUnknown,
    /// The tool panicked.
    Panicked,
    /// The attempt was stopped from outside.
    Cancelled,
    /// A fault of the host itself.
    Internal,
}

impl FailureClass {
    /// The spelling in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolNotFound => "tool_not_found",
            Self::RefusedByGrant => "refused_by_grant",
            Self::InvalidArguments => "invalid_arguments",
            Self::OutputContract => "output_contract",
            Self::Transient => "transient",
            Self::RateLimited => "rate_limited",
            Self::Timeout => "timeout",
            Self::Auth => "auth",
            Self::Permission => "permission",
            Self::NotFound => "not_found",
            Self::EndpointDown => "endpoint_down",
            Self::MissingInterpreter => "missing_interpreter",
            Self::ExitStatus => "exit_status",
            Self::ModelRefused => "model_refused",
            Self::ModelTruncated => "model_truncated",
            Self::LimitExceeded => "limit_exceeded",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::Panicked => "panicked",
            Self::Cancelled => "cancelled",
            Self::Internal => "internal",
        }
    }

    /// The class by which a plan's `retry_on` names it; `None` where a plan cannot ask for a retry.
    pub fn retry_class(self) -> Option<RetryClass> {
        match self {
            Self::Transient => Some(RetryClass::Transient),
            Self::RateLimited => Some(RetryClass::RateLimited),
            Self::Timeout => Some(RetryClass::Timeout),
            Self::Auth => Some(RetryClass::Auth),
            Self::Permission => Some(RetryClass::Permission),
            Self::NotFound => Some(RetryClass::NotFound),
            Self::EndpointDown => Some(RetryClass::EndpointDown),
            Self::ExitStatus => Some(RetryClass::ExitStatus),
            Self::OutputContract => Some(RetryClass::OutputContract),
            Self::ModelRefused => Some(RetryClass::ModelRefused),
            Self::ModelTruncated => Some(RetryClass::ModelTruncated),
            Self::ToolNotFound
            | Self::RefusedByGrant
            | Self::InvalidArguments
            | Self::MissingInterpreter
            | Self::LimitExceeded
            | Self::OutcomeUnknown
            | Self::Panicked
            | Self::Cancelled
            | Self::Internal => None,
        }
    }
}

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether a failed attempt may have changed anything.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing was changed.
    None,
    /// Something may have been changed.
    #[default]
    Unknown,
}

/// When trying a failed attempt again makes sense.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum RetryAdvice {
    /// Never: it would fail again.
    Never,
    /// After the plan's own delay.
    #[default]
    Later,
    /// Not before this span has passed, to the millisecond; the other side said so.
    #[serde(rename = "after_ms")]
    After(#[serde(with = "crate::millis")] Duration),
}
