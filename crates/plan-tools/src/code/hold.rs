//! What a script is held to, and what it ran into.

use std::sync::atomic::{AtomicU64, Ordering};

use plan_exec::{FileAccess, GrantedFile, ToolContext, ToolError};
use plan_run::{Confinement, FailureClass, Restraint};
use plan_validate::catalog::LanguageSpec;
use plan_validate::policy::SandboxMode;
use rustix::process::Signal;

use super::confine::Roots;
use super::refused;
use crate::process::{
    ChildCommand, Exit, Network, ResourceLimits, Sandbox, SandboxMissing, Support,
};

/// The variable that names the attempt that a process belongs to.
const MARK: &str = "PLANWRIGHT_ATTEMPT";

/// What scripts without network are held to on such a system.
pub(super) fn available(
    mode: SandboxMode,
    support: Support,
) -> Result<Confinement, SandboxMissing> {
    Sandbox::new(mode, support, Network::Closed).map(|sandbox| sandbox.confinement())
}

/// The sandbox of a language's scripts, which grants nothing yet.
pub(super) fn sandbox(
    mode: SandboxMode,
    support: Support,
    spec: &LanguageSpec,
) -> Result<Sandbox, ToolError> {
    let network = if spec.network {
        Network::Open
    } else {
        Network::Closed
    };
    Sandbox::new(mode, support, network)
        .map_err(|missing| refused(FailureClass::Permission, missing.to_string()))
}

/// The sandbox with what the run was granted and what the language may read.
pub(super) fn grant(
    sandbox: Sandbox,
    roots: &Roots,
    files: &[GrantedFile],
    spec: &LanguageSpec,
) -> Sandbox {
    let granted = roots.folders().fold(sandbox, Sandbox::write);
    let granted = files
        .iter()
        .fold(granted, |granted, file| match file.access {
            FileAccess::Read => granted.read(&file.path),
            FileAccess::Write => granted.write(&file.path),
        });
    spec.read_roots.iter().fold(granted, Sandbox::read)
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

/// Says what a script should be held to and is not.
pub(super) fn warn(cx: &ToolContext) {
    let Some(held) = cx.confinement() else { return };
    let missing: Vec<&str> = [Restraint::Files, Restraint::Network]
        .iter()
        .filter(|restraint| held.missing.contains(restraint))
        .map(|restraint| restraint.as_str())
        .collect();
    if !missing.is_empty() {
        let missing = missing.join(" and ");
        tracing::warn!(run = %cx.run(), step = %cx.step_path(), missing, "the script runs without a whole sandbox");
        cx.progress(format!(
            "the script runs without a whole sandbox: the kernel of this host cannot hold {missing}"
        ));
    }
}

/// Which bound a script was ended for.
pub(super) fn crossed(exit: Exit, limits: &ResourceLimits) -> Option<String> {
    let Exit::Signal(signal) = exit else {
        return None;
    };
    if signal == Signal::XCPU.as_raw() {
        let seconds = limits.processor_secs;
        Some(format!(
            "the script used more than {seconds} s of processor time"
        ))
    } else if signal == Signal::XFSZ.as_raw() {
        let bytes = limits.file_bytes;
        Some(format!(
            "the script wrote a file of more than {bytes} bytes"
        ))
    } else {
        None
    }
}
