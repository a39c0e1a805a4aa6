//! What a child may reach, held by the kernel.
//!
//! Files and TCP are held by [Landlock](https://docs.kernel.org/userspace-api/landlock.html): a
//! thread of its own restricts itself and starts the child, which inherits what the thread was
//! held to, as all of its descendants do. No other thread of this process is touched. Time,
//! memory, files and processes are held by resource limits, which a shell sets before it becomes
//! the program.
//!
//! Not held: names and sizes of files can be seen everywhere, UDP and sockets in the file system
//! can be used where the kernel is older than 7.1, and bounds on memory are for each process.

mod kernel;
mod limits;
mod system;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use plan_run::{Confinement, Restraint};
use plan_validate::policy::SandboxMode;

pub use kernel::Support;
pub use limits::ResourceLimits;

pub(super) use kernel::restrict;
pub(super) use limits::under_limits;

/// Whether the network is open to a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Network {
    /// No TCP connection, no TCP port.
    #[default]
    Closed,
    /// Any.
    Open,
}

/// What a child may reach beside its own program, the libraries of the system and a few devices.
///
/// Made for one system: what [`Support`] says that it can hold. Nothing is granted that is not named here.
#[derive(Debug, Clone)]
pub struct Sandbox {
    mode: SandboxMode,
    support: Support,
    read: BTreeSet<PathBuf>,
    write: BTreeSet<PathBuf>,
    network: Network,
    limits: ResourceLimits,
}

/// The system cannot hold what a sandbox must.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} cannot be held by the kernel of this host, and a sandbox is required; the line `sandbox: {{mode: best_effort}}` of a policy lets scripts and agents run without",
    listed(.missing)
)]
pub struct SandboxMissing {
    missing: Vec<Restraint>,
}

impl SandboxMissing {
    /// What cannot be held.
    pub fn missing(&self) -> &[Restraint] {
        &self.missing
    }
}

fn listed(missing: &[Restraint]) -> String {
    let words: Vec<&str> = missing
        .iter()
        .map(|restraint| match restraint {
            Restraint::Files => "access to files",
            Restraint::Network => "TCP",
            other => other.as_str(),
        })
        .collect();
    words.join(" and ")
}

impl Sandbox {
    /// A sandbox that grants nothing, on a system that can hold this much.
    ///
    /// # Errors
    /// When it is required, and the system cannot hold access to files, or TCP where the network is closed.
    pub fn new(
        mode: SandboxMode,
        support: Support,
        network: Network,
    ) -> Result<Self, SandboxMissing> {
        let sandbox = Self {
            mode,
            support,
            read: BTreeSet::new(),
            write: BTreeSet::new(),
            network,
            limits: ResourceLimits::default(),
        };
        let missing: Vec<Restraint> = sandbox
            .confinement()
            .missing
            .into_iter()
            .filter(|restraint| matches!(restraint, Restraint::Files | Restraint::Network))
            .collect();
        if mode == SandboxMode::Required && !missing.is_empty() {
            return Err(SandboxMissing { missing });
        }
        Ok(sandbox)
    }

    /// Grants reading and running what is at or below a path. One that does not exist grants nothing.
    #[must_use]
    pub fn read(mut self, path: impl Into<PathBuf>) -> Self {
        self.read.insert(path.into());
        self
    }

    /// Grants everything at or below a path. One that does not exist grants nothing.
    #[must_use]
    pub fn write(mut self, path: impl Into<PathBuf>) -> Self {
        self.write.insert(path.into());
        self
    }

    /// Sets the bounds on resources.
    #[must_use]
    pub fn limits(mut self, limits: ResourceLimits) -> Self {
        self.limits = limits;
        self
    }

    /// What a child is held to, and what it should be and is not.
    pub fn confinement(&self) -> Confinement {
        let (mut held, mut missing) = (Vec::new(), Vec::new());
        if self.mode != SandboxMode::Off {
            let mut add = |restraint, is_held| {
                if is_held {
                    held.push(restraint);
                } else {
                    missing.push(restraint);
                }
            };
            add(Restraint::Files, self.support.files());
            if self.network == Network::Closed {
                add(Restraint::Network, self.support.tcp());
            }
            add(Restraint::Signals, self.support.signals());
            add(Restraint::Privileges, self.support.privileges());
            add(Restraint::ProcessorTime, true);
            add(Restraint::Memory, true);
            add(Restraint::FileSize, true);
            add(Restraint::OpenFiles, true);
            add(Restraint::Processes, limits::bounds_processes());
        }
        let confinement = Confinement::new(self.mode, held, missing);
        if self.mode == SandboxMode::Off {
            return confinement;
        }
        confinement.with_limits(self.limits.settings())
    }

    pub(super) fn resource_limits(&self) -> &ResourceLimits {
        &self.limits
    }

    /// Whether children are started as without a sandbox.
    pub(super) fn is_off(&self) -> bool {
        self.mode == SandboxMode::Off
    }

    /// Everything that may be read, for a child that runs this program.
    fn readable(&self, program: &Path) -> impl Iterator<Item = PathBuf> {
        system::readable(self.network)
            .chain(system::installation(program))
            .chain(self.read.iter().cloned())
    }
}
