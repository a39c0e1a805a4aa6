//! Why a call failed, said by whoever knows: the tool.

use std::io;

use plan_run::{FailureClass, RetryAdvice};
use serde_json::Value;

/// A failed call of a tool or a script.
///
/// The class is chosen where the failure happens; nobody ever reads it out of
/// the message. Unless said otherwise, a repeat is not advised against and it is
/// unknown whether the call reached the outside.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What kind of failure it is.
    pub class: FailureClass,
    /// When a repeat makes sense.
    pub retry: RetryAdvice,
    /// Whether the call may have changed anything.
    pub dispatched: Dispatched,
    /// What happened, in a clause.
    pub message: String,
    /// Facts for whoever looks into it.
    pub details: Option<Box<Value>>,
    /// The end of what was printed.
    pub stdout_tail: Option<String>,
    /// The end of what was complained about.
    pub stderr_tail: Option<String>,
}

/// Whether a failed call had been sent on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Dispatched {
    /// It was sent: whether it took effect is unknown.
    Yes,
    /// It never left: nothing can have changed.
    No,
    /// Nobody knows.
    #[default]
    Unknown,
}

impl ToolError {
    /// A failure of this class.
    pub fn new(class: FailureClass, message: impl Into<String>) -> Self {
        Self {
            class,
            retry: RetryAdvice::Later,
            dispatched: Dispatched::Unknown,
            message: message.into(),
            details: None,
            stdout_tail: None,
            stderr_tail: None,
        }
    }

    /// A failure that is likely to pass by itself.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::new(FailureClass::Transient, message)
    }

    /// A failure that no repeat will mend.
    pub fn permanent(message: impl Into<String>) -> Self {
        Self::new(FailureClass::Internal, message).retry(RetryAdvice::Never)
    }

    /// Arguments that the tool cannot take. Nothing was sent.
    pub fn invalid_arguments(message: impl Into<String>) -> Self {
        Self::new(FailureClass::InvalidArguments, message)
            .retry(RetryAdvice::Never)
            .dispatched(Dispatched::No)
    }

    /// Any error, with the whole chain of its causes as the message.
    pub fn from_error(error: &(dyn std::error::Error + 'static)) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message.push_str(": ");
            message.push_str(&error.to_string());
            cause = error.source();
        }
        Self::new(FailureClass::Internal, message)
    }

    /// Says when a repeat makes sense.
    #[must_use]
    pub fn retry(mut self, advice: RetryAdvice) -> Self {
        self.retry = advice;
        self
    }

    /// Says whether the call had been sent.
    #[must_use]
    pub fn dispatched(mut self, dispatched: Dispatched) -> Self {
        self.dispatched = dispatched;
        self
    }

    /// Adds facts for whoever looks into it.
    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Adds what was printed before the failure.
    #[must_use]
    pub fn output(mut self, stdout: Option<String>, stderr: Option<String>) -> Self {
        self.stdout_tail = stdout;
        self.stderr_tail = stderr;
        self
    }
}

impl From<String> for ToolError {
    fn from(message: String) -> Self {
        Self::new(FailureClass::Internal, message)
    }
}

impl From<&str> for ToolError {
    fn from(message: &str) -> Self {
        Self::new(FailureClass::Internal, message)
    }
}

impl From<Box<dyn std::error::Error + Send + Sync>> for ToolError {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self::from_error(&*error)
    }
}

impl From<serde_json::Error> for ToolError {
    fn from(error: serde_json::Error) -> Self {
        Self::from_error(&error)
    }
}

impl From<std::convert::Infallible> for ToolError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

impl From<io::Error> for ToolError {
    /// The class follows from the kind of the error.
    fn from(error: io::Error) -> Self {
        use io::ErrorKind as Kind;
        let class = match error.kind() {
            Kind::NotFound => FailureClass::NotFound,
            Kind::PermissionDenied => FailureClass::Permission,
            Kind::TimedOut => FailureClass::Timeout,
            Kind::ConnectionRefused | Kind::AddrNotAvailable | Kind::HostUnreachable => {
                FailureClass::EndpointDown
            }
            Kind::ConnectionReset
            | Kind::ConnectionAborted
            | Kind::BrokenPipe
            | Kind::Interrupted
            | Kind::WouldBlock
            | Kind::NetworkUnreachable
            | Kind::NetworkDown => FailureClass::Transient,
            _ => FailureClass::Internal,
        };
        Self {
            class,
            ..Self::from_error(&error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_io_error_is_classed_by_its_kind_not_its_text() {
        let refused = io::Error::new(io::ErrorKind::ConnectionRefused, "permission denied");
        let error = ToolError::from(refused);
        assert_eq!(error.class, FailureClass::EndpointDown);
        assert_eq!(error.message, "permission denied");
    }

    #[test]
    fn the_message_holds_every_cause() {
        #[derive(Debug, thiserror::Error)]
        #[error("no page")]
        struct Outer(#[source] io::Error);
        let error = ToolError::from_error(&Outer(io::Error::other("no route")));
        assert_eq!(error.message, "no page: no route");
    }
}
