//! Tools that are programs, scripts and servers, and the files that describe them.
//!
//! - [`load_catalog`] and [`load_policy`] read what a host wrote, in YAML or JSON.
//! - [`SubprocessTool`] is a tool of such a catalog that is a program.
//! - `HttpTool` is a tool of such a catalog that is a server, with the feature `http`.
//! - [`ToolKinds`] are the kinds of tools that a catalog may have; a host adds its own.
//! - [`SubprocessAgent`] is an agent of such a catalog that is a program.
//! - [`ProcessCodeRunner`] runs the scripts of `CODE_CALL` steps.
//! - [`process`] is what both start programs with: no child outlives the process that started it.
//!
//! For unix systems: process groups are theirs.

pub mod process;

mod agent;
mod code;
mod files;
#[cfg(feature = "http")]
mod http;
mod kinds;
mod registry;
mod secrets;
mod subprocess;

pub use agent::SubprocessAgent;
pub use code::ProcessCodeRunner;
pub use files::{CatalogFile, FileError, FileFinding, load_catalog, load_policy};
#[cfg(feature = "http")]
pub use http::{HostLookup, HttpProblem, HttpTool};
pub use kinds::{CatalogEntry, EntryRefused, ToolKind, ToolKinds};
pub use process::SandboxMissing;
pub use registry::{CatalogTools, Unavailable, UnavailableAgent, UnavailableReason, tools_of};
pub use secrets::{EnvironmentSecrets, FileSecrets, SecretsFileError};
pub use subprocess::{
    ConfigError, PassArguments, SubprocessConfig, SubprocessKind, SubprocessTool,
};
