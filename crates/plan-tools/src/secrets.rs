//! Where a host keeps its secrets: its environment, a file, a folder of files.
//!
//! Another place is a [`SecretSource`](plan_exec::SecretSource) of the application's own.

mod environment;
mod file;

pub use environment::EnvironmentSecrets;
pub use file::{FileSecrets, SecretsFileError};
