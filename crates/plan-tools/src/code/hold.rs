//! What a script or an agent is held to.

use std::sync::atomic::{AtomicU64, Ordering};

use plan_exec::{FileAccess, GrantedFile, ToolContext, ToolError};
use plan_run::{Confinement, FailureClass, Restraint};
use plan_validate::policy::{SandboxMode, SandboxPolicy};

use super::confine::Roots;
use super::refused;
use crate::process::{ChildCommand, Network, Sandbox, SandboxMissing, Support};

/// The variable that names the attempt that a process belongs to.
const MARK: &str = "PLANWRIGHT_ATTEMPT";

/// What scripts without network are held to on such a system.
pub(super) fn available(
    mode: SandboxMode,
    support: Support,
) -> Result<Confinement, SandboxMissing> {
    Sandbox::new(mode, support, Network::Closed).map(|sandbox| sandbox.confinement())
}

/// The sandbox of a program with or without the network, which grants nothing yet.
pub(crate) fn sandbox(
    policy: SandboxPolicy,
    support: Support,
    network: bool,
) -> Result<Sandbox, ToolError> {
    let network = if network {
        Network::Open
    } else {
        Network::Closed
    };
    Sandbox::new(policy.mode, support, network)
        .map_err(|missing| refused(FailureClass::Permission, missing.to_string()))
}

/// The sandbox with what the run was granted, and what its language or agent may read.
pub(crate) fn grant(
    sandbox: Sandbox,
    roots: &Roots,
    files: &[GrantedFile],
    readable: &[String],
) -> Sandbox {
    let granted = roots.folders().fold(sandbox, Sandbox::write);
    let granted = files
        .iter()
        .fold(granted, |granted, file| match file.access {
            FileAccess::Read => granted.read(&file.path),
            FileAccess::Write => granted.write(&file.path),
        });
    readable.iter().fold(granted, Sandbox::read)
}

/// The command with a variable that no other attempt has.
pub(crate) fn mark(command: ChildCommand, cx: &ToolContext) -> ChildCommand {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let value = format!(
        "{}/{}/{}/{}.{}",
        cx.run(),
        cx.step_path(),
        cx.attempt(),
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    command.mark(MARK, value)
}

/// Says what a script or an agent should be held to and is not.
pub(crate) fn warn(what: &str, cx: &ToolContext) {
    let Some(held) = cx.confinement() else { return };
    let missing: Vec<&str> = [Restraint::Files, Restraint::Network]
        .iter()
        .filter(|restraint| held.missing.contains(restraint))
        .map(|restraint| restraint.as_str())
        .collect();
    if !missing.is_empty() {
        let missing = missing.join(" and ");
        tracing::warn!(run = %cx.run(), step = %cx.step_path(), missing, "the {what} runs without a whole sandbox");
        cx.progress(format!(
            "the {what} runs without a whole sandbox: the kernel of this host cannot hold {missing}"
        ));
    }
}
