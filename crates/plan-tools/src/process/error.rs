//! Why a child could not be run to its end.

use super::Captured;

/// Why a child could not be run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The program is not there.
    #[error("there is no program `{program}`")]
    MissingProgram {
        /// The program.
        program: String,
    },
    /// The program is a script, and what should run it is not there.
    #[error("the interpreter that the first line of `{program}` names is missing")]
    MissingInterpreter {
        /// The script.
        program: String,
    },
    /// The file may not be run.
    #[error("`{program}` may not be run")]
    NotPermitted {
        /// The program.
        program: String,
    },
    /// The file is no program, nor a script with a first line `#!`.
    #[error("`{program}` is neither a program nor a script that names its interpreter")]
    NotAProgram {
        /// The file.
        program: String,
    },
    /// The folder to run in is not there.
    #[error("the working directory `{path}` is not a directory")]
    WorkingDirectory {
        /// The folder.
        path: String,
    },
    /// More bytes than a command line takes.
    #[error("{what} has {bytes} bytes, more than a command line takes")]
    TooLong {
        /// What is too long.
        what: String,
        /// Its bytes.
        bytes: usize,
    },
    /// A NUL byte, which no command line can hold.
    #[error("{what} holds a NUL character")]
    Nul {
        /// What holds it.
        what: String,
    },
    /// A text that cannot name a variable.
    #[error("`{name}` cannot name an environment variable")]
    BadVariable {
        /// The text.
        name: String,
    },
    /// The group's guard could not be started.
    #[error("could not start `/bin/sh` to guard a process: {source}")]
    Guard {
        /// What the system said.
        source: std::io::Error,
    },
    /// The system could not hold the child to its sandbox.
    #[error("could not put `{program}` into its sandbox: {message}")]
    Sandbox {
        /// The program.
        program: String,
        /// What happened.
        message: String,
    },
    /// The program could not be started for another reason.
    #[error("could not start `{program}`: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The time was over, and the group was killed.
    #[error("took longer than its time limit and was killed")]
    TimedOut {
        /// What it had written.
        captured: Box<Captured>,
    },
    /// The call was cancelled, and the group ended or was killed.
    #[error("was cancelled")]
    Cancelled {
        /// What it had written.
        captured: Box<Captured>,
    },
    /// The child wrote without end, and the group was killed.
    #[error("wrote more than {limit} bytes and was killed")]
    WroteTooMuch {
        /// The most bytes of one stream.
        limit: u64,
        /// The end of what it wrote.
        captured: Box<Captured>,
    },
    /// The system lost track of the child.
    #[error("could not wait for the process: {source}")]
    Lost {
        /// What the system said.
        source: std::io::Error,
    },
}

impl ProcessError {
    /// Whether the program had begun, so that it may have acted.
    pub fn was_started(&self) -> bool {
        match self {
            Self::MissingProgram { .. }
            | Self::MissingInterpreter { .. }
            | Self::NotPermitted { .. }
            | Self::NotAProgram { .. }
            | Self::WorkingDirectory { .. }
            | Self::TooLong { .. }
            | Self::Nul { .. }
            | Self::BadVariable { .. }
            | Self::Guard { .. }
            | Self::Sandbox { .. }
            | Self::Start { .. } => false,
            Self::TimedOut { .. }
            | Self::Cancelled { .. }
            | Self::WroteTooMuch { .. }
            | Self::Lost { .. } => true,
        }
    }

    /// What the program had written, where it had begun.
    pub fn captured(&self) -> Option<&Captured> {
        match self {
            Self::TimedOut { captured }
            | Self::Cancelled { captured }
            | Self::WroteTooMuch { captured, .. } => Some(captured),
            _ => None,
        }
    }
}
