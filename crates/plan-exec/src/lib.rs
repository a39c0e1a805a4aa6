//! Drives validated plans: journals every decision, performs the effects, resumes after a crash.
//!
//! - [`ToolRegistry`] holds the host's tools; [`tool_fn`] makes one of a closure.
//! - [`Executor`] starts runs, and takes them up again in any process.
//! - [`read_run`] reads the record of a run, also where its tools are gone.
//! - [`RunHandle`] watches a run, answers its questions, cancels it.
//! - [`ModelRegistry`] holds the host's models.
//! - [`Tool`], [`CodeRunner`], [`LanguageModel`](plan_llm::LanguageModel), [`AgentRunner`],
//!   [`HumanChannel`], [`SecretSource`], [`Observer`] and [`Clock`] are what an application implements.
//!
//! All decisions are made by the pure machine of `plan-run`. This crate brings it
//! time, results and a journal, and does what the journal says.

mod agent;
mod cancellation;
mod code;
mod context;
mod drive;
mod executor;
mod folder;
mod handle;
mod human;
mod inputs;
mod models;
mod observer;
mod publisher;
mod random;
mod registry;
mod secret;
mod spans;
mod tool;
mod tool_error;
mod tool_fn;
mod update;

pub use agent::{AgentRunner, AgentTask, AgentTools, LoopAgent};
pub use cancellation::Cancellation;
pub use code::{CodeOutput, CodeRequest, CodeRunner, ScriptSource};
pub use context::{FileAccess, GrantedFile, ToolContext};
pub use executor::{
    ControlError, ExecError, Executor, ForkError, LoadError, Recovery, Resume, ResumeError,
    StartError, Unequipped, WhenWaiting, read_run,
};
pub use folder::Folder;
pub use handle::RunHandle;
pub use human::{HumanAnswer, HumanChannel};
pub use inputs::{Inputs, RunRequest};
pub use models::ModelRegistry;
pub use observer::{ObservedRun, Observer};
pub use plan_store::{Clock, SystemClock};
pub use random::new_run_id;
pub use registry::{RegistryError, ToolRegistry};
pub use secret::{MemorySecrets, Secret, SecretError, SecretSource};
pub use tool::{Tool, ToolOutput};
pub use tool_error::{Dispatched, ToolError};
pub use tool_fn::{IntoTool, ToolFn, blocking_tool_fn, tool_fn, tool_fn_with_context};
pub use update::{RunUpdate, Updates};

/// What the macros of this crate expand to. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use serde_json::json;

    /// The inputs that a JSON object holds.
    pub fn inputs(value: serde_json::Value) -> crate::Inputs {
        match value {
            serde_json::Value::Object(members) => members.into(),
            _ => crate::Inputs::none(),
        }
    }
}
