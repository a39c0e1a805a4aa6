//! The command line of an interpreter.

use std::collections::BTreeMap;
use std::path::Path;

use plan_exec::ToolError;
use plan_validate::catalog::LanguageSpec;

use super::hook::Hook;
use crate::process::{ChildCommand, find_program, host_path};
use crate::subprocess::tool_error;

/// `command args… SCRIPT`, with the environment that the step and the language declare.
///
/// What the step declares wins over what the language passes on.
pub(super) fn command(
    spec: &LanguageSpec,
    script: &Path,
    env: &BTreeMap<String, String>,
    working_dir: &Path,
    hook: Option<&Hook>,
) -> Result<ChildCommand, ToolError> {
    let path = env.get("PATH").cloned().unwrap_or_else(host_path);
    // the interpreter is the host's, wherever the script's own path leads
    let program = find_program(&spec.command, Path::new("/"), &host_path())
        .map_err(|error| tool_error(&error))?;
    let (before, behind) = hook.map(Hook::arguments).unwrap_or_default();
    let mut command = ChildCommand::new(program, working_dir)
        .args(before)
        .args(spec.args.iter().cloned())
        .args(behind)
        .args([script.display().to_string()])
        .env("PATH", path);
    for name in &spec.env_pass {
        if name != "PATH"
            && let Ok(value) = std::env::var(name)
        {
            command = command.env(name, value);
        }
    }
    for (name, value) in env {
        command = command.env(name, value);
    }
    Ok(command)
}
