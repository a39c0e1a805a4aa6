//! What a process error means for a call.

use plan_exec::{Dispatched, ToolError};
use plan_run::{FailureClass, RetryAdvice};

use super::result::tail;
use crate::process::ProcessError;

/// The failed call of a process that did not run to its end.
pub(crate) fn tool_error(error: &ProcessError) -> ToolError {
    let (class, retry) = match error {
        ProcessError::MissingProgram { .. }
        | ProcessError::MissingInterpreter { .. }
        | ProcessError::NotAProgram { .. } => {
            (FailureClass::MissingInterpreter, RetryAdvice::Never)
        }
        ProcessError::NotPermitted { .. } | ProcessError::Sandbox { .. } => {
            (FailureClass::Permission, RetryAdvice::Never)
        }
        ProcessError::WorkingDirectory { .. } => (FailureClass::NotFound, RetryAdvice::Never),
        ProcessError::TooLong { .. }
        | ProcessError::Nul { .. }
        | ProcessError::BadVariable { .. } => (FailureClass::InvalidArguments, RetryAdvice::Never),
        // out of processes, memory or file descriptors
        ProcessError::Guard { .. } | ProcessError::Start { .. } => {
            (FailureClass::Transient, RetryAdvice::Later)
        }
        ProcessError::TimedOut { .. } => (FailureClass::Timeout, RetryAdvice::Later),
        ProcessError::Cancelled { .. } => (FailureClass::Cancelled, RetryAdvice::Never),
        ProcessError::WroteTooMuch { .. } => (FailureClass::LimitExceeded, RetryAdvice::Never),
        ProcessError::Lost { .. } => (FailureClass::OutcomeUnknown, RetryAdvice::Never),
    };
    let dispatched = if error.was_started() {
        Dispatched::Yes
    } else {
        Dispatched::No
    };
    let (stdout, stderr) = match error.captured() {
        Some(captured) => (tail(&captured.stdout), tail(&captured.stderr)),
        None => (None, None),
    };
    ToolError::new(class, error.to_string())
        .retry(retry)
        .dispatched(dispatched)
        .output(stdout, stderr)
}
