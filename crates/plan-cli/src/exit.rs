//! How the command ends.

use std::process::ExitCode;

use planwright::validate::Finding;

/// The exit codes. They are a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Fine,
    /// The plan or its inputs are refused.
    Rejected,
    /// The command line, a file or the store is at fault.
    Usage,
    /// The run failed.
    Failed,
    /// The run waits for an answer or a decision, or was stopped and can be resumed.
    Waiting,
    /// The run was cancelled.
    Cancelled,
    /// Another process drives the run.
    Driven,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Rejected => 1,
            Exit::Usage => 2,
            Exit::Failed => 3,
            Exit::Waiting => 4,
            Exit::Cancelled => 5,
            Exit::Driven => 6,
        })
    }
}

/// Why the command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Halt {
    /// The exit code.
    pub(crate) exit: Exit,
    /// What is wrong, as a clause.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: Option<String>,
    /// What was found in a document that came with the plan.
    pub(crate) findings: Vec<Finding>,
}

impl Halt {
    /// The caller's command line, files or store are at fault.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Any end.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
            help: None,
            findings: Vec::new(),
        }
    }

    /// Says what to do about it.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
