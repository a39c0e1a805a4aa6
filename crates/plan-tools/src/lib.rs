//! Tools that are programs, scripts, and the files that describe them.
//!
//! - [`load_catalog`] and [`load_policy`] read what a host wrote, in YAML or JSON.
//! - [`SubprocessTool`] is a tool of such a catalog that is a program.
//! - [`SubprocessAgent`] is an agent of such a catalog that is a program.
//! - [`ProcessCodeRunner`] runs the scripts of `CODE_CALL` steps.
//! - [`process`] is what both start programs with: no child outlives the process that started it.
//!
//! For unix systems: process groups are theirs.

pub mod process;

mod agent;
mod code;
mod files;
mod registry;
mod secrets;
mod subprocess;

pub use agent::SubprocessAgent;
pub use code::ProcessCodeRunner;
pub use files::{CatalogFile, FileError, FileFinding, load_catalog, load_policy};
pub use process::SandboxMissing;
pub use registry::{CatalogTools, Unavailable, UnavailableAgent, UnavailableReason, tools_of};
pub use secrets::{EnvironmentSecrets, FileSecrets, SecretsFileError};
pub use subprocess::{
    ConfigError, PassArguments, SubprocessConfig, SubprocessKind, SubprocessTool,
};
