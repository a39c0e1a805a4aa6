//! What the kernel can hold, and how a thread is held to it.

use std::path::Path;
use std::sync::OnceLock;

use super::Sandbox;

/// How much of a sandbox a system can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Support {
    files: bool,
    tcp: bool,
    signals: bool,
}

impl Support {
    /// A system that holds nothing but resource limits.
    pub fn none() -> Self {
        Self::default()
    }

    /// What the kernel under this process can hold. Found out once.
    pub fn of_this_system() -> Self {
        static FOUND: OnceLock<Support> = OnceLock::new();
        *FOUND.get_or_init(landlocked::support)
    }

    /// Whether access to files can be held, their length too: Landlock of Linux 6.2.
    pub fn files(self) -> bool {
        self.files
    }

    /// Whether TCP can be held: Landlock of Linux 6.7.
    pub fn tcp(self) -> bool {
        self.tcp
    }

    /// Whether signals and abstract sockets can be held: Landlock of Linux 6.12.
    pub fn signals(self) -> bool {
        self.signals
    }

    /// Whether new privileges can be kept out.
    pub fn privileges(self) -> bool {
        self.files
    }
}

/// A thread that could not be held.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(in crate::process) struct NotHeld(String);

/// Holds the calling thread, and all that it starts from now on, for good.
pub(in crate::process) fn restrict(sandbox: &Sandbox, program: &Path) -> Result<(), NotHeld> {
    if sandbox.support.files {
        landlocked::restrict(sandbox, program)
    } else {
        Ok(())
    }
}

#[cfg(target_os = "linux")]
mod landlocked {
    use std::path::Path;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
    };
    use plan_validate::policy::SandboxMode;

    use super::{NotHeld, Support};
    use crate::process::sandbox::{Network, Sandbox, system};

    /// The oldest interface that can hold files as we promise: before it, any file could be cut short.
    const FILES: ABI = ABI::V3;
    const TCP: ABI = ABI::V4;
    const SIGNALS: ABI = ABI::V6;
    /// The newest interface that we ask for where it is there: it holds sockets in the file system.
    const SOCKETS: ABI = ABI::V9;
    /// It holds UDP.
    const DATAGRAMS: ABI = ABI::V10;

    pub(super) fn support() -> Support {
        let strict = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let files = strict()
            .handle_access(AccessFs::from_all(FILES))
            .and_then(Ruleset::create);
        let tcp = strict()
            .handle_access(AccessNet::from_all(TCP))
            .and_then(Ruleset::create);
        let signals = strict()
            .scope(Scope::from_all(SIGNALS))
            .and_then(Ruleset::create);
        Support {
            files: files.is_ok(),
            tcp: tcp.is_ok(),
            signals: signals.is_ok(),
        }
    }

    pub(super) fn restrict(sandbox: &Sandbox, program: &Path) -> Result<(), NotHeld> {
        let status = ruleset(sandbox, program).map_err(|error| NotHeld(error.to_string()))?;
        let required = sandbox.mode == SandboxMode::Required;
        if required && (status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs) {
            return Err(NotHeld(
                "the kernel took the rules and holds none".to_owned(),
            ));
        }
        Ok(())
    }

    fn ruleset(
        sandbox: &Sandbox,
        program: &Path,
    ) -> Result<landlock::RestrictionStatus, RulesetError> {
        let closed = sandbox.network == Network::Closed;
        // an open network needs sockets too: the resolver's may be one
        let abi = if closed { SOCKETS } else { ABI::V8 };
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(FILES))?;
        if closed && sandbox.support.tcp {
            rules = rules.handle_access(AccessNet::from_all(TCP))?;
        }
        rules = rules
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(abi))?
            .scope(Scope::from_all(SIGNALS))?;
        if closed {
            rules = rules.handle_access(AccessNet::from_all(DATAGRAMS))?;
        }
        let read = AccessFs::from_read(abi);
        let devices = read | AccessFs::WriteFile | AccessFs::Truncate;
        rules
            .create()?
            .add_rules(path_beneath_rules(sandbox.readable(program), read))?
            .add_rules(path_beneath_rules(system::DEVICES, devices))?
            .add_rules(path_beneath_rules(&sandbox.write, AccessFs::from_all(abi)))?
            .restrict_self()
    }
}

#[cfg(not(target_os = "linux"))]
mod landlocked {
    use std::path::Path;

    use super::{NotHeld, Support};
    use crate::process::sandbox::Sandbox;

    pub(super) fn support() -> Support {
        Support::none()
    }

    pub(super) fn restrict(_: &Sandbox, _: &Path) -> Result<(), NotHeld> {
        Ok(())
    }
}
