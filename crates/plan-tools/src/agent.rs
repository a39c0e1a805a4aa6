//! Agents that are programs: any coding agent of the command line, by template.

use std::path::PathBuf;

use async_trait::async_trait;
use plan_exec::{AgentRunner, AgentTask, Dispatched, ToolContext, ToolError};
use plan_run::{AgentReport, Confinement, FailureClass, RetryAdvice};
use plan_validate::AgentSpec;
use plan_validate::policy::{SandboxLimits, SandboxMode, SandboxPolicy};
use serde_json::{Map, Value};

use crate::code::{Blanks, Roots, grant, mark, sandbox, scratch, temporary, warn};
use crate::process::{
    ChildCommand, Exit, Network, ResourceLimits, Sandbox, SandboxMissing, Support, find_program,
    host_path, run, stop,
};
use crate::subprocess::{ConfigError, check_input, check_script, fill_all, names, tool_error};

/// The argument of a template that stands for the objective.
const OBJECTIVE: &str = "objective";

/// An agent of a catalog whose `kind` is `subprocess`.
///
/// - The command is a program, never a shell line, found as a subprocess tool's is.
/// - `{objective}` in an element of `args` is replaced by the objective and stays one element. An objective that
///   would make its element start with `-` is refused unless a `--` stands before it: it cannot become an option.
///   Without `{objective}` anywhere, it is written to standard input. `{working_dir}`, `{max_turns}` and
///   `{scratch}` are filled in likewise.
/// - It works in the step's working directory, which must be in the scratch folder or a granted root.
/// - The environment is `PATH`, what `env_pass` names, and `PLANWRIGHT_RUN`, `_STEP`, `_ATTEMPT`, `_IDEMPOTENCY_KEY`,
///   `_MAX_TURNS` and `_OUTPUTS` (the declared outputs, as JSON).
/// - It is held to the sandbox that scripts are: it reads and writes the scratch folder, the granted roots and its
///   `write_roots`, reads its own installation and its `read_roots`, and opens no TCP connection unless it has
///   `network: true`. Where the mode is *required* and the kernel cannot hold that, it is not started.
/// - What it prints is its report and its transcript. Another exit code than 0 is a failure.
/// - It runs in a process group of its own, which is killed whole when its time is up, when the run is cancelled,
///   and when the process that started it dies.
///
/// It has no way to the tools of the plan: a subprocess agent uses its own.
#[derive(Debug)]
pub struct SubprocessAgent {
    command: String,
    args: Vec<String>,
    env_pass: Vec<String>,
    folder: PathBuf,
    read_roots: Vec<String>,
    write_roots: Vec<String>,
    network: bool,
    limits: SandboxLimits,
    sandbox: SandboxPolicy,
    support: Support,
    blanks: Blanks,
}

impl SubprocessAgent {
    /// Makes the agent of a catalog's entry, with a sandbox required; paths are relative to `folder`.
    ///
    /// # Errors
    /// When the entry names no program, or would let the objective run as a script.
    pub fn new(spec: &AgentSpec, folder: impl Into<PathBuf>) -> Result<Self, ConfigError> {
        let command = spec.command.clone().ok_or(ConfigError::NoCommand)?;
        check_script(&command, &spec.args)?;
        if !names_objective(&spec.args) {
            check_input(&command, &spec.args)?;
        }
        Ok(Self {
            command,
            args: spec.args.clone(),
            env_pass: spec.env_pass.clone(),
            folder: folder.into(),
            read_roots: spec.read_roots.clone(),
            write_roots: spec.write_roots.clone(),
            network: spec.network,
            limits: spec.limits,
            sandbox: SandboxMode::Required.into(),
            support: Support::of_this_system(),
            blanks: Blanks::default(),
        })
    }

    /// The agent, under a policy or a mode alone.
    #[must_use]
    pub fn sandbox(mut self, sandbox: impl Into<SandboxPolicy>) -> Self {
        self.sandbox = sandbox.into();
        self
    }

    /// The agent, as on a system that can hold this much.
    #[must_use]
    pub fn on(mut self, support: Support) -> Self {
        self.support = support;
        self
    }

    /// What such an agent is held to under this mode, on this system.
    ///
    /// # Errors
    /// Where a sandbox is required and the system cannot hold access to files, or TCP for an agent without network.
    pub fn available(
        spec: &AgentSpec,
        sandbox: SandboxMode,
    ) -> Result<Confinement, SandboxMissing> {
        let network = if spec.network {
            Network::Open
        } else {
            Network::Closed
        };
        Sandbox::new(sandbox, Support::of_this_system(), network)
            .map(|sandbox| sandbox.confinement())
    }

    /// The sandbox of one task.
    fn held(&self, roots: &Roots, cx: &ToolContext) -> Result<Sandbox, ToolError> {
        let limits = self.limits.or(self.sandbox.limits);
        let empty = sandbox(self.sandbox, self.support, self.network)?
            .limits(ResourceLimits::default().set(limits));
        let granted = grant(empty, roots, cx.files(), &self.read_roots);
        Ok(self.write_roots.iter().fold(granted, Sandbox::write))
    }

    async fn command(&self, task: &AgentTask, cx: &ToolContext) -> Result<ChildCommand, ToolError> {
        let scratch = scratch(cx).await?;
        let roots = Roots::of(&scratch, cx);
        let sandbox = self.held(&roots, cx)?;
        let working_dir = roots.folder(&task.working_dir)?;
        let path = host_path();
        let program =
            find_program(&self.command, &self.folder, &path).map_err(|error| tool_error(&error))?;
        let mut values = Map::new();
        values.insert(OBJECTIVE.to_owned(), task.objective.clone().into());
        values.insert(
            "working_dir".to_owned(),
            working_dir.display().to_string().into(),
        );
        values.insert("scratch".to_owned(), scratch.display().to_string().into());
        values.insert(
            "max_turns".to_owned(),
            task.max_turns.map_or(Value::Null, Value::from),
        );
        let args = fill_all(&self.args, &values).map_err(|error| {
            if task.objective.starts_with('-') {
                let message = "the objective starts with `-` and would be taken for an option: \
                               write `--` before `{objective}`, or leave it out and it goes to standard input";
                ToolError::invalid_arguments(message)
            } else {
                error
            }
        })?;
        let mut command = ChildCommand::new(program, working_dir)
            .args(args)
            .env("PATH", path)
            .env("PLANWRIGHT_RUN", cx.run().as_str())
            .env("PLANWRIGHT_STEP", cx.step_path().to_string())
            .env("PLANWRIGHT_IDEMPOTENCY_KEY", cx.idempotency_key().as_str())
            .env("PLANWRIGHT_OUTPUTS", task.outputs_json().to_string());
        if let Some(turns) = task.max_turns {
            command = command.env("PLANWRIGHT_MAX_TURNS", turns.to_string());
        }
        for name in &self.env_pass {
            if let Ok(value) = std::env::var(name) {
                command = command.env(name, value);
            }
        }
        if self.sandbox.mode != SandboxMode::Off
            && !self.env_pass.iter().any(|name| name == "TMPDIR")
        {
            command = command.env("TMPDIR", temporary(&scratch).await?);
        }
        cx.confine(sandbox.confinement());
        command = mark(command, cx).sandbox(sandbox);
        if !names_objective(&self.args) {
            command = command.stdin(task.objective.clone());
        }
        Ok(command)
    }
}

#[async_trait]
impl AgentRunner for SubprocessAgent {
    async fn run(&self, task: AgentTask, cx: &ToolContext) -> Result<AgentReport, ToolError> {
        let command = self.command(&task, cx).await?;
        if !task.tools.specs().is_empty() {
            cx.progress(
                "the agent is a program of its own, and is not given the tools of the plan",
            );
        }
        warn("agent", cx);
        let made = match self.sandbox.mode {
            SandboxMode::Off => Vec::new(),
            SandboxMode::Required | SandboxMode::BestEffort => self.blanks.make(cx.files()),
        };
        let finished = run(&command, stop(cx, None)).await;
        drop(made);
        let finished = finished.map_err(|error| tool_error(&error))?;
        let (stdout, stderr) = (
            finished.captured.stdout.text(),
            finished.captured.stderr.text(),
        );
        match finished.exit {
            Exit::Code(0) => Ok(AgentReport {
                report: stdout.trim().to_owned(),
                transcript: Some(stdout),
            }),
            exit => {
                let advice = cx.confinement().and_then(Confinement::advice);
                let message = format!("the agent {exit}{}", advice.unwrap_or_default());
                Err(ToolError::new(FailureClass::ExitStatus, message)
                    .retry(RetryAdvice::Later)
                    .dispatched(Dispatched::Yes)
                    .output(Some(stdout), Some(stderr)))
            }
        }
    }
}

/// Whether the objective is on the command line; else it is on standard input.
fn names_objective(args: &[String]) -> bool {
    let mut named = args.iter().flat_map(|element| names(element));
    named.any(|name| name == OBJECTIVE)
}
