//! Runs the scripts of `CODE_CALL` steps, one process for each.

mod blank;
mod confine;
mod hold;
mod language;
mod script;

pub(crate) use confine::{Roots, scratch};
pub(crate) use hold::mark;

use std::collections::BTreeMap;
use std::path::PathBuf;

use async_trait::async_trait;
use plan_exec::{
    CodeOutput, CodeRequest, CodeRunner, Dispatched, ScriptSource, ToolContext, ToolError,
};
use plan_model::LanguageName;
use plan_run::{Confinement, FailureClass, RetryAdvice};
use plan_validate::catalog::{LanguageSpec, ToolCatalog};
use plan_validate::policy::SandboxMode;

use crate::process::{
    ChildCommand, Exit, Finished, ResourceLimits, SandboxMissing, Support, run, stop,
};
use crate::subprocess::tool_error;

use blank::Blanks;

/// Runs scripts with the interpreters of a catalog.
///
/// - A script in the plan is written to a file in the run's scratch folder, and
///   removed again; it is never on a command line. A script file must be in the
///   scratch folder, a granted root, or a folder that its language may read.
/// - The working directory must be in the scratch folder or a granted root, however
///   it is written; without one, the scratch folder is it.
/// - The environment is what the step declares, what the language passes on, `PATH`, `TMPDIR`
///   (a folder in the scratch folder) and `PLANWRIGHT_ATTEMPT`, which names the attempt.
/// - The sandbox gives the script the scratch folder and the granted roots, and for reading its
///   interpreter, the system's libraries and the `read_roots` of its language. It opens no TCP
///   connection or port unless the language has `network: true`, and its resources are bounded
///   ([`ResourceLimits`]).
///
/// Where the mode is *required* and the kernel cannot hold files, or TCP, every script is refused
/// before it starts. In *best effort* it runs, held to what the kernel can, and the attempt says
/// what was missing. *Off*, it runs with this process's rights. What holds is in
/// [`Sandbox`](crate::process::Sandbox).
#[derive(Debug)]
pub struct ProcessCodeRunner {
    languages: BTreeMap<LanguageName, LanguageSpec>,
    sandbox: SandboxMode,
    support: Support,
    limits: ResourceLimits,
    blanks: Blanks,
}

impl ProcessCodeRunner {
    /// A runner with the languages of a catalog.
    pub fn new(catalog: &ToolCatalog, sandbox: SandboxMode) -> Self {
        Self {
            languages: catalog.languages().clone(),
            sandbox,
            support: Support::of_this_system(),
            limits: ResourceLimits::default(),
            blanks: Blanks::default(),
        }
    }

    /// The runner, with these bounds on the resources of a script.
    #[must_use]
    pub fn limits(mut self, limits: ResourceLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The runner, as on a system that can hold this much.
    #[must_use]
    pub fn on(mut self, support: Support) -> Self {
        self.support = support;
        self
    }

    /// What scripts without network are held to under this mode, on this system.
    ///
    /// # Errors
    /// Where a sandbox is required and the system cannot hold access to files, or TCP: no script runs.
    pub fn available(sandbox: SandboxMode) -> Result<Confinement, SandboxMissing> {
        hold::available(sandbox, Support::of_this_system())
    }

    async fn command(
        &self,
        code: CodeRequest,
        cx: &ToolContext,
    ) -> Result<(ChildCommand, Option<script::ScriptFile>), ToolError> {
        let spec = self.languages.get(&code.language).ok_or_else(|| {
            refused(
                FailureClass::MissingInterpreter,
                format!("the catalog has no language `{}`", code.language),
            )
        })?;
        let sandbox = hold::sandbox(self.sandbox, self.support, spec)?.limits(self.limits);
        let scratch = confine::scratch(cx).await?;
        let roots = confine::Roots::of(&scratch, cx);
        let working_dir = match &code.working_dir {
            Some(path) => roots.folder(path)?,
            None => scratch.clone(),
        };
        let (file, path) = match &code.source {
            ScriptSource::Inline(text) => {
                let file = script::ScriptFile::write(&scratch, &code.language, text, cx).await?;
                let path = file.path().to_owned();
                (Some(file), path)
            }
            ScriptSource::File(path) => {
                let readable = spec.read_roots.iter().map(PathBuf::from);
                (None, roots.script(path, &working_dir, readable)?)
            }
        };
        let mut command = language::command(spec, &path, &code.env, &working_dir)?;
        command = hold::mark(command.args(code.args), cx);
        if self.sandbox != SandboxMode::Off && !code.env.contains_key("TMPDIR") {
            command = command.env("TMPDIR", confine::temporary(&scratch).await?);
        }
        let sandbox = hold::grant(sandbox, &roots, cx.files(), spec);
        cx.confine(sandbox.confinement());
        command = command.sandbox(sandbox);
        if let Some(stdin) = code.stdin {
            command = command.stdin(stdin);
        }
        Ok((command, file))
    }
}

#[async_trait]
impl CodeRunner for ProcessCodeRunner {
    async fn run(&self, code: CodeRequest, cx: &ToolContext) -> Result<CodeOutput, ToolError> {
        let timeout = code.timeout;
        let (command, file) = self.command(code, cx).await?;
        hold::warn(cx);
        let made = match self.sandbox {
            SandboxMode::Off => Vec::new(),
            SandboxMode::Required | SandboxMode::BestEffort => self.blanks.make(cx.files()),
        };
        let finished = run(&command, stop(cx, timeout)).await;
        drop((file, made));
        output(finished.map_err(|error| tool_error(&error))?, &self.limits)
    }
}

fn output(finished: Finished, limits: &ResourceLimits) -> Result<CodeOutput, ToolError> {
    let Finished { exit, captured } = finished;
    if let Some(bound) = hold::crossed(exit, limits) {
        return Err(ToolError::new(FailureClass::LimitExceeded, bound)
            .retry(RetryAdvice::Never)
            .dispatched(Dispatched::Yes)
            .output(Some(captured.stdout.text()), Some(captured.stderr.text())));
    }
    if captured.stdout.whole().is_none() {
        let total = captured.stdout.total();
        let message = format!("the script printed {total} bytes, more than a value may have");
        return Err(ToolError::new(FailureClass::LimitExceeded, message)
            .retry(RetryAdvice::Never)
            .dispatched(Dispatched::Yes)
            .output(Some(captured.stdout.text()), Some(captured.stderr.text())));
    }
    Ok(CodeOutput {
        stdout: captured.stdout.text(),
        stderr: captured.stderr.text(),
        exit_code: match exit {
            Exit::Code(code) => code,
            Exit::Signal(signal) => signal.saturating_add(128),
        },
    })
}

/// A script that was not started.
fn refused(class: FailureClass, message: impl Into<String>) -> ToolError {
    ToolError::new(class, message)
        .retry(RetryAdvice::Never)
        .dispatched(Dispatched::No)
}
