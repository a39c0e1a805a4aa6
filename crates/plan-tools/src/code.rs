//! Runs the scripts of `CODE_CALL` steps, one process for each.

mod confine;
mod language;
mod script;

pub(crate) use confine::{Roots, scratch};

use std::collections::BTreeMap;
use std::path::PathBuf;

use async_trait::async_trait;
use plan_exec::{
    CodeOutput, CodeRequest, CodeRunner, Dispatched, ScriptSource, ToolContext, ToolError,
};
use plan_model::LanguageName;
use plan_run::{FailureClass, RetryAdvice};
use plan_validate::catalog::{LanguageSpec, ToolCatalog};
use plan_validate::policy::SandboxMode;

use crate::process::{ChildCommand, Exit, Finished, Stop, run};
use crate::subprocess::tool_error;

/// Runs scripts with the interpreters of a catalog.
///
/// - A script in the plan is written to a file in the run's scratch folder, and
///   removed again; it is never on a command line. A script file must be in the
///   scratch folder, a granted root, or a folder that its language may read.
/// - The working directory must be in the scratch folder or a granted root, however
///   it is written; without one, the scratch folder is it.
/// - The environment is what the step declares, what the language passes on, and `PATH`.
///
/// There is no sandbox in this build. Where the mode is *required* every script is
/// refused before it starts; in the other modes it runs with this process's rights,
/// and the paths above are checked but not enforced on the script itself.
#[derive(Debug)]
pub struct ProcessCodeRunner {
    languages: BTreeMap<LanguageName, LanguageSpec>,
    sandbox: SandboxMode,
}

impl ProcessCodeRunner {
    /// A runner with the languages of a catalog.
    pub fn new(catalog: &ToolCatalog, sandbox: SandboxMode) -> Self {
        Self {
            languages: catalog.languages().clone(),
            sandbox,
        }
    }

    /// Whether scripts run at all, under this mode in this build.
    ///
    /// # Errors
    /// Where a sandbox is required: there is none.
    pub fn available(sandbox: SandboxMode) -> Result<(), SandboxMissing> {
        match sandbox {
            SandboxMode::Required => Err(SandboxMissing),
            SandboxMode::BestEffort | SandboxMode::Off => Ok(()),
        }
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
        command = command.args(code.args);
        if let Some(stdin) = code.stdin {
            command = command.stdin(stdin);
        }
        Ok((command, file))
    }
}

/// Scripts need a sandbox by policy, and this build has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "scripts need a sandbox, and this build has none; the line `sandbox: {{mode: best_effort}}` of a policy lets them run without"
)]
pub struct SandboxMissing;

#[async_trait]
impl CodeRunner for ProcessCodeRunner {
    async fn run(&self, code: CodeRequest, cx: &ToolContext) -> Result<CodeOutput, ToolError> {
        Self::available(self.sandbox)
            .map_err(|missing| refused(FailureClass::Permission, missing.to_string()))?;
        if self.sandbox == SandboxMode::BestEffort {
            tracing::warn!(run = %cx.run(), step = %cx.step_path(), "the script runs without a sandbox");
            cx.progress("the script runs without a sandbox: this build has none");
        }
        let timeout = code.timeout;
        let (command, file) = self.command(code, cx).await?;
        let stop = async {
            let cancelled = cx.cancellation().cancelled();
            let Some(time) = timeout else {
                cancelled.await;
                return Stop::Cancelled;
            };
            tokio::select! {
                () = cancelled => Stop::Cancelled,
                () = tokio::time::sleep(time) => Stop::TimedOut,
            }
        };
        let finished = run(&command, stop).await;
        drop(file);
        output(finished.map_err(|error| tool_error(&error))?)
    }
}

fn output(finished: Finished) -> Result<CodeOutput, ToolError> {
    let Finished { exit, captured } = finished;
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
