//! The contract of whatever runs scripts.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::time::Duration;

use async_trait::async_trait;
use plan_model::LanguageName;

use crate::{ToolContext, ToolError};

/// Runs the scripts of `CODE_CALL` steps.
///
/// What an implementation owes: the script sees the environment of the request
/// and nothing of the host's; standard input and output are driven at the same
/// time; dropping the future kills the script with every process that it
/// started. A script that ends with another code than zero is a successful run
/// of the runner: the executor makes it a failed attempt.
#[async_trait]
pub trait CodeRunner: Debug + Send + Sync {
    /// Runs one script to its end.
    ///
    /// # Errors
    /// When the script could not be started, or crossed a limit.
    async fn run(&self, code: CodeRequest, cx: &ToolContext) -> Result<CodeOutput, ToolError>;
}

/// A script with everything resolved. Its `Debug` shows none of the values, which may be secrets.
#[derive(Clone, PartialEq)]
pub struct CodeRequest {
    /// The language, as the catalog names it.
    pub language: LanguageName,
    /// The text of the script, or the file that holds it.
    pub source: ScriptSource,
    /// The script's command line. Each stays one argument.
    pub args: Vec<String>,
    /// Text on standard input; absent: nothing.
    pub stdin: Option<String>,
    /// The variables of the otherwise empty environment.
    pub env: BTreeMap<String, String>,
    /// Where the script runs; absent: the run's scratch folder.
    pub working_dir: Option<String>,
    /// The time that the script has. The executor ends it then; a runner may do so earlier.
    pub timeout: Option<Duration>,
}

impl fmt::Debug for CodeRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodeRequest")
            .field("language", &self.language)
            .field("source", &self.source)
            .field("args", &self.args.len())
            .field("stdin", &self.stdin.as_ref().map(String::len))
            .field("env", &self.env.keys())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Where the text of a script is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptSource {
    /// Here.
    Inline(String),
    /// In this file.
    File(String),
}

/// How a script ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodeOutput {
    /// Its standard output, capped from the front where it is too long.
    pub stdout: String,
    /// Its standard error, capped from the front where it is too long.
    pub stderr: String,
    /// Its exit code; on a signal 128 and the signal's number, as shells say it.
    pub exit_code: i32,
}

fn _is_object_safe(_: &dyn CodeRunner) {}
