//! Why a model did not answer, said by whoever knows: the adapter.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Usage;

/// A request that was not answered.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
#[non_exhaustive]
pub struct ModelError {
    /// What kind of failure it is.
    pub kind: ModelErrorKind,
    /// What happened, in a clause. It may quote a provider, and is data.
    pub message: String,
    /// Whether the request got there.
    pub reached: Reached,
    /// What it cost all the same, where the provider said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// What kind of failure a failed request is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// A fault that is likely to pass: an overloaded provider, a broken connection.
    Transient,
    /// The provider asks for a pause.
    RateLimited {
        /// How long, where it says so; in records milliseconds.
        #[serde(
            default,
            rename = "retry_after_ms",
            skip_serializing_if = "Option::is_none",
            with = "millis"
        )]
        retry_after: Option<Duration>,
    },
    /// The request is longer than the model takes.
    ContextOverflow,
    /// The model, or its provider, will not answer this.
    Refused,
    /// The answer was cut at its bound, and is of no use.
    Truncated,
    /// The model cannot be held to what was asked: a schema, a tool.
    SchemaUnsupported,
    /// The credentials were refused.
    Auth,
    /// The provider does not take the request, or does not know the model.
    Invalid,
    /// The provider answered with something that is no answer.
    Malformed,
    /// A [`Budgeted`](crate::Budgeted) model would have crossed its budget.
    BudgetCrossed,
    /// A [`Recorded`](crate::Recorded) model that replays has no such answer left.
    NotOnTape,
    /// Anything else.
    Other,
}

/// Whether a request got to the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// It got there, and may have cost something.
    Yes,
    /// It never left.
    No,
    /// Nobody knows.
    #[default]
    Unknown,
}

/// When asking again makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelRetry {
    /// Never: it would fail again.
    Never,
    /// After a while.
    Later,
    /// Not before this has passed: the provider said so.
    After(Duration),
}

impl ModelError {
    /// A failure of this kind, of which nothing else is known.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            reached: Reached::Unknown,
            usage: None,
        }
    }

    /// A failure that is likely to pass by itself.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::new(ModelErrorKind::Transient, message)
    }

    /// A pause that the provider asks for.
    pub fn rate_limited(retry_after: Option<Duration>, message: impl Into<String>) -> Self {
        Self::new(ModelErrorKind::RateLimited { retry_after }, message).reached(Reached::Yes)
    }

    /// Says whether the request got there.
    #[must_use]
    pub fn reached(mut self, reached: Reached) -> Self {
        self.reached = reached;
        self
    }

    /// Says what it cost all the same.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// When asking again makes sense.
    pub fn retry(&self) -> ModelRetry {
        match &self.kind {
            ModelErrorKind::RateLimited {
                retry_after: Some(span),
            } => ModelRetry::After(*span),
            ModelErrorKind::Transient
            | ModelErrorKind::RateLimited { retry_after: None }
            | ModelErrorKind::Refused
            | ModelErrorKind::Truncated
            | ModelErrorKind::Malformed
            | ModelErrorKind::Other => ModelRetry::Later,
            ModelErrorKind::ContextOverflow
            | ModelErrorKind::SchemaUnsupported
            | ModelErrorKind::Auth
            | ModelErrorKind::Invalid
            | ModelErrorKind::BudgetCrossed
            | ModelErrorKind::NotOnTape => ModelRetry::Never,
        }
    }
}

mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(
        span: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let millis = span.map(|span| u64::try_from(span.as_millis()).unwrap_or(u64::MAX));
        millis.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let millis = Option::<u64>::deserialize(deserializer)?;
        Ok(millis.map(Duration::from_millis))
    }
}
