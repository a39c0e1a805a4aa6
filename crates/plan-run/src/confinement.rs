//! How a script or an agent was held while it ran.

use std::collections::BTreeSet;

use plan_validate::policy::{SandboxLimits, SandboxMode};
use serde::{Deserialize, Serialize};

/// What a sandbox held a process to, as the journal keeps it with the attempt.
///
/// ```
/// use plan_run::{Confinement, Restraint};
/// use plan_validate::policy::SandboxMode;
///
/// let held = Confinement::new(SandboxMode::BestEffort, [Restraint::Files], [Restraint::Network]);
/// assert_eq!(
///     serde_json::to_string(&held)?,
///     r#"{"mode":"best_effort","held":["files"],"missing":["network"]}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Confinement {
    /// What the policy asked for.
    pub mode: SandboxMode,
    /// What the process was held to.
    pub held: BTreeSet<Restraint>,
    /// What it should have been held to, and the system cannot.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub missing: BTreeSet<Restraint>,
    /// The bounds on what each of its processes used.
    #[serde(default, skip_serializing_if = "SandboxLimits::is_empty")]
    pub limits: SandboxLimits,
}

/// One thing that a sandbox holds a process to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Restraint {
    /// It opens files only in the folders that it was granted.
    Files,
    /// It opens no TCP connection and no TCP port.
    Network,
    /// It signals and reaches by abstract sockets only its own processes.
    Signals,
    /// It gains no privileges by the programs that it runs.
    Privileges,
    /// Its processor time has a bound.
    ProcessorTime,
    /// The memory of each of its processes has a bound.
    Memory,
    /// The size of each file that it writes has a bound.
    FileSize,
    /// The number of its open files has a bound.
    OpenFiles,
    /// The number of its processes has a bound.
    Processes,
}

impl Confinement {
    /// A confinement of these parts.
    pub fn new(
        mode: SandboxMode,
        held: impl IntoIterator<Item = Restraint>,
        missing: impl IntoIterator<Item = Restraint>,
    ) -> Self {
        Self {
            mode,
            held: held.into_iter().collect(),
            missing: missing.into_iter().collect(),
            limits: SandboxLimits::default(),
        }
    }

    /// The confinement, with these bounds.
    #[must_use]
    pub fn with_limits(mut self, limits: SandboxLimits) -> Self {
        self.limits = limits;
        self
    }

    /// What the message of a failed script or agent adds, so that whoever meant it to do more finds the way.
    pub fn advice(&self) -> Option<&'static str> {
        self.held.contains(&Restraint::Files).then_some(
            "; its sandbox is widened by `read_roots`, `network: true` and `env_pass` of the language or the agent, or `roots` of the policy",
        )
    }
}

impl Restraint {
    /// The spelling in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Network => "network",
            Self::Signals => "signals",
            Self::Privileges => "privileges",
            Self::ProcessorTime => "processor_time",
            Self::Memory => "memory",
            Self::FileSize => "file_size",
            Self::OpenFiles => "open_files",
            Self::Processes => "processes",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_held_is_advised_about() {
        let held = |held: &[Restraint]| {
            Confinement::new(SandboxMode::BestEffort, held.iter().copied(), []).advice()
        };
        assert!(held(&[Restraint::Files]).is_some_and(|advice| advice.contains("`read_roots`")));
        assert_eq!(held(&[Restraint::Memory]), None);
    }
}
