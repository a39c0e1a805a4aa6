//! Tools that are programs: one process for each call.

mod arguments;
mod config;
mod failure;
mod interpreter;
mod result;
mod template;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use plan_exec::{Tool, ToolContext, ToolError, ToolOutput};
use plan_model::{IdempotencyKeySupport, ToolSpec};
use serde_json::{Map, Value};

pub use config::{ConfigError, PassArguments, SubprocessConfig, SubprocessKind};

#[cfg(feature = "http")]
pub(crate) use config::closed_arguments;
pub(crate) use config::{check_input, check_script};
pub(crate) use failure::tool_error;
pub(crate) use template::{fill_all, names};

use crate::process::{ChildCommand, find_program, host_path, run, stop};

/// A tool of a catalog whose `config` says `kind: subprocess`.
///
/// - The command is a program, never a shell line. A name is looked for on the
///   tool's own `PATH`, or else the host's; a path is relative to the catalog's folder.
/// - `{argument}` in an element of `args` is replaced by that argument's value and
///   stays one element. A value that would make its element start with `-` is
///   refused unless a `--` stands before it; an element whose argument is absent
///   or null is left out; `{{argument}}` is literal.
/// - All arguments are in the environment as `PLANWRIGHT_ARGS` (JSON) and one by one
///   as `PLANWRIGHT_ARG_<KEY>` (upper case, `_` for all but letters and digits), and
///   under `INXM_` likewise; or, with `pass_arguments: stdin`, one JSON object on
///   standard input; or, with `none`, nowhere else.
/// - The rest of the environment is `PATH`, what `env` declares, and, for a tool that
///   takes one there, `PLANWRIGHT_IDEMPOTENCY_KEY`.
/// - The result is what it prints when that is one JSON object, else
///   `{stdout, stderr, exit_code}`. An exit code other than 0 is a failure, unless
///   `capture_status` says that the plan looks at it.
#[derive(Debug)]
pub struct SubprocessTool {
    spec: ToolSpec,
    config: SubprocessConfig,
    folder: PathBuf,
}

impl SubprocessTool {
    /// Makes the tool of a catalog's entry; paths are relative to `folder`.
    ///
    /// # Errors
    /// When the entry has no usable `config` of this kind.
    pub fn new(spec: ToolSpec, folder: impl Into<PathBuf>) -> Result<Self, ConfigError> {
        let config = SubprocessConfig::of(&spec)?;
        Ok(Self {
            spec,
            config,
            folder: folder.into(),
        })
    }

    /// The command line of one call, with everything that it is given.
    fn command(
        &self,
        arguments: &Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<ChildCommand, ToolError> {
        let path = self
            .config
            .env
            .get("PATH")
            .cloned()
            .unwrap_or_else(host_path);
        let program = find_program(&self.config.command, &self.folder, &path)
            .map_err(|error| tool_error(&error))?;
        let mut command = ChildCommand::new(program, self.working_dir())
            .args(template::fill_all(&self.config.args, arguments)?)
            .env("PATH", path);
        match self.config.pass_arguments {
            PassArguments::Env => {
                for (name, value) in arguments::variables(arguments)? {
                    command = command.env(name, value);
                }
            }
            PassArguments::Stdin => command = command.stdin(arguments::line(arguments)),
            PassArguments::None => {}
        }
        if self.spec.idempotency_key == IdempotencyKeySupport::Env {
            let key = cx.idempotency_key().to_string();
            command = command.env("PLANWRIGHT_IDEMPOTENCY_KEY", key);
        }
        // what the host declared wins over what a plan's values would set
        for (name, value) in &self.config.env {
            command = command.env(name, value);
        }
        Ok(command)
    }

    fn working_dir(&self) -> PathBuf {
        match &self.config.working_dir {
            Some(path) => self.folder.join(Path::new(path)),
            None => self.folder.clone(),
        }
    }
}

#[async_trait]
impl Tool for SubprocessTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(
        &self,
        arguments: Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let command = self.command(&arguments, cx)?;
        let finished = run(&command, stop(cx, None))
            .await
            .map_err(|error| tool_error(&error))?;
        result::of(finished, self.config.capture_status)
    }
}
