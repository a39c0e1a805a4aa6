//! What a host says of the sandbox of scripts and agents.

use serde::{Deserialize, Serialize};

use super::Policy;

/// Whether scripts and agents must be sandboxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// They must; where the system cannot, nothing runs.
    Required,
    /// As far as the system can.
    BestEffort,
    /// They are not.
    Off,
}

/// Bounds on what a sandboxed process may use. An absent one is that of whoever starts the process.
///
/// ```
/// use plan_validate::policy::SandboxLimits;
///
/// let mut host = SandboxLimits::default();
/// host.memory_mib = Some(512);
/// let mut language = SandboxLimits::default();
/// language.cpu_secs = Some(60);
/// assert_eq!(serde_json::to_string(&language.or(host))?, r#"{"cpu_secs":60,"memory_mib":512}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SandboxLimits {
    /// Seconds of processor time of each process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_secs: Option<u64>,
    /// Mebibytes of memory of each process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u64>,
    /// Mebibytes of each file that is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_mib: Option<u64>,
    /// Files that each process has open at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u64>,
    /// Processes and threads beside those that the system has already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
}

impl SandboxLimits {
    /// These bounds, and for each that is absent that of `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            cpu_secs: self.cpu_secs.or(other.cpu_secs),
            memory_mib: self.memory_mib.or(other.memory_mib),
            file_mib: self.file_mib.or(other.file_mib),
            open_files: self.open_files.or(other.open_files),
            processes: self.processes.or(other.processes),
        }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// All that a policy says of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SandboxPolicy {
    /// Whether there must be one.
    pub mode: SandboxMode,
    /// Bounds on what is used in it.
    pub limits: SandboxLimits,
}

impl From<SandboxMode> for SandboxPolicy {
    fn from(mode: SandboxMode) -> Self {
        Self {
            mode,
            limits: SandboxLimits::default(),
        }
    }
}

impl From<&Policy> for SandboxPolicy {
    fn from(policy: &Policy) -> Self {
        Self {
            mode: policy.sandbox,
            limits: policy.sandbox_limits,
        }
    }
}
