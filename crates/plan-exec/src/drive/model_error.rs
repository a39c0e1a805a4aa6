//! From why a model did not answer to why an attempt failed.

use plan_llm::{FinishReason, ModelError, ModelErrorKind, ModelRetry, Reached};
use plan_run::{FailureClass, RetryAdvice};

use crate::{Dispatched, ToolError};

/// The failure of an attempt whose model did not answer.
pub(crate) fn tool_error(error: ModelError) -> ToolError {
    let retry = match error.retry() {
        ModelRetry::Never => RetryAdvice::Never,
        ModelRetry::Later => RetryAdvice::Later,
        ModelRetry::After(span) => RetryAdvice::After(span),
    };
    let dispatched = match error.reached {
        Reached::Yes => Dispatched::Yes,
        Reached::No => Dispatched::No,
        Reached::Unknown => Dispatched::Unknown,
    };
    ToolError::new(class(&error.kind), error.message)
        .retry(retry)
        .dispatched(dispatched)
}

/// Why an answer is not whole, where it is not.
pub(crate) fn cut(finish: FinishReason) -> Option<(FailureClass, &'static str)> {
    match finish {
        FinishReason::Length => Some((
            FailureClass::ModelTruncated,
            "the answer reached its bound and is cut",
        )),
        FinishReason::ContentFilter => Some((
            FailureClass::ModelRefused,
            "the provider of the model held the answer back",
        )),
        _ => None,
    }
}

fn class(kind: &ModelErrorKind) -> FailureClass {
    match kind {
        // a provider that stammers is likely to speak again
        ModelErrorKind::Transient | ModelErrorKind::Malformed => FailureClass::Transient,
        ModelErrorKind::RateLimited { .. } => FailureClass::RateLimited,
        ModelErrorKind::ContextOverflow | ModelErrorKind::BudgetCrossed => {
            FailureClass::LimitExceeded
        }
        ModelErrorKind::Refused => FailureClass::ModelRefused,
        ModelErrorKind::Truncated => FailureClass::ModelTruncated,
        ModelErrorKind::SchemaUnsupported | ModelErrorKind::Invalid => {
            FailureClass::InvalidArguments
        }
        ModelErrorKind::Auth => FailureClass::Auth,
        ModelErrorKind::NotOnTape => FailureClass::NotFound,
        _ => FailureClass::Internal,
    }
}
