//! Runs the scripts of `CODE_CALL` steps, one process for each.

mod blank;
mod confine;
mod ending;
mod hold;
mod hook;
mod language;
mod script;

pub(crate) use blank::Blanks;
pub(crate) use confine::{Roots, scratch, temporary};
pub(crate) use hold::{grant, mark, sandbox, warn};

use std::collections::BTreeMap;
use std::path::PathBuf;

use async_trait::async_trait;
use plan_exec::{
    CodeOutput, CodeRequest, CodeRunner, Dispatched, ScriptSource, ToolContext, ToolError,
};
use plan_model::LanguageName;
use plan_run::{Confinement, FailureClass, RetryAdvice};
use plan_validate::catalog::{LanguageSpec, ToolCatalog};
use plan_validate::policy::{SandboxMode, SandboxPolicy};

use crate::process::{ChildCommand, ResourceLimits, SandboxMissing, Support, run, stop};
use crate::subprocess::tool_error;

use hook::{Hook, Interpreter};

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
///   ([`ResourceLimits`]; the host's own bounds are those of the language and then those of the policy).
/// - A Python or node script that ends by an error of the system that it does not catch fails by what was denied: as
///   `permission` with the file or the address, or as `limit_exceeded` with the bound. Of other scripts their exit code
///   is all there is, but for the signals that end them at a bound.
///
/// Where the mode is *required* and the kernel cannot hold files, or TCP, every script is refused
/// before it starts. In *best effort* it runs, held to what the kernel can, and the attempt says
/// what was missing. *Off*, it runs with this process's rights. What holds is in
/// [`Sandbox`](crate::process::Sandbox).
#[derive(Debug)]
pub struct ProcessCodeRunner {
    languages: BTreeMap<LanguageName, LanguageSpec>,
    sandbox: SandboxPolicy,
    support: Support,
    limits: ResourceLimits,
    blanks: Blanks,
}

impl ProcessCodeRunner {
    /// A runner with the languages of a catalog, under a policy or a mode alone.
    pub fn new(catalog: &ToolCatalog, sandbox: impl Into<SandboxPolicy>) -> Self {
        Self {
            languages: catalog.languages().clone(),
            sandbox: sandbox.into(),
            support: Support::of_this_system(),
            limits: ResourceLimits::default(),
            blanks: Blanks::default(),
        }
    }

    /// The runner, with these bounds where neither the language nor the policy has one.
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

    /// Makes everything ready for one script.
    async fn prepare(&self, code: CodeRequest, cx: &ToolContext) -> Result<Prepared, ToolError> {
        let spec = self.languages.get(&code.language).ok_or_else(|| {
            refused(
                FailureClass::MissingInterpreter,
                format!("the catalog has no language `{}`", code.language),
            )
        })?;
        let limits = self.limits.set(spec.limits.or(self.sandbox.limits));
        let sandbox = sandbox(self.sandbox, self.support, spec.network)?.limits(limits);
        let is_held = self.sandbox.mode != SandboxMode::Off;
        let scratch = confine::scratch(cx).await?;
        let roots = Roots::of(&scratch, cx);
        let working_dir = match &code.working_dir {
            Some(path) => roots.folder(path)?,
            None => scratch.clone(),
        };
        let interpreter = Interpreter::of(spec, &code.source).filter(|_| is_held);
        let (file, path) = match &code.source {
            ScriptSource::Inline(text) => {
                let ending = script::extension(code.language.as_str());
                let file = script::ScriptFile::write(&scratch, ending, text, cx).await?;
                let path = file.path().to_owned();
                (Some(file), path)
            }
            ScriptSource::File(path) => {
                let readable = spec.read_roots.iter().map(PathBuf::from);
                (None, roots.script(path, &working_dir, readable)?)
            }
        };
        let hook = match interpreter {
            Some(interpreter) => Some(Hook::write(interpreter, &scratch, cx).await?),
            None => None,
        };
        let mut command = language::command(spec, &path, &code.env, &working_dir, hook.as_ref())?;
        command = mark(command.args(code.args), cx);
        if is_held && !code.env.contains_key("TMPDIR") {
            command = command.env("TMPDIR", temporary(&scratch).await?);
        }
        let sandbox = grant(sandbox, &roots, cx.files(), &spec.read_roots);
        cx.confine(sandbox.confinement());
        command = command.sandbox(sandbox);
        if let Some(stdin) = code.stdin {
            command = command.stdin(stdin);
        }
        Ok(Prepared {
            command,
            limits,
            hook,
            file,
        })
    }
}

/// A script that is ready to be started.
#[derive(Debug)]
struct Prepared {
    command: ChildCommand,
    limits: ResourceLimits,
    hook: Option<Hook>,
    file: Option<script::ScriptFile>,
}

#[async_trait]
impl CodeRunner for ProcessCodeRunner {
    async fn run(&self, code: CodeRequest, cx: &ToolContext) -> Result<CodeOutput, ToolError> {
        let timeout = code.timeout;
        let prepared = self.prepare(code, cx).await?;
        warn("script", cx);
        let made = match self.sandbox.mode {
            SandboxMode::Off => Vec::new(),
            SandboxMode::Required | SandboxMode::BestEffort => self.blanks.make(cx.files()),
        };
        let finished = run(&prepared.command, stop(cx, timeout)).await;
        drop((prepared.file, made));
        let finished = finished.map_err(|error| tool_error(&error))?;
        let told = prepared.hook.and_then(Hook::told);
        ending::of(finished, told, &prepared.limits)
    }
}

/// A script that was not started.
fn refused(class: FailureClass, message: impl Into<String>) -> ToolError {
    ToolError::new(class, message)
        .retry(RetryAdvice::Never)
        .dispatched(Dispatched::No)
}
