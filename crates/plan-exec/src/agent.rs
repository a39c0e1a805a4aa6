//! The contract of whatever works towards an objective by itself.

mod loop_agent;
mod tools;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use plan_model::{AgentName, Output};
use plan_run::AgentReport;
use serde_json::{Map, Value};

use crate::{ToolContext, ToolError};

pub use loop_agent::LoopAgent;
pub use tools::AgentTools;

pub(crate) use tools::{Desk, Guard};

/// Works towards the objectives of `AGENT_CALL` steps.
///
/// What an implementation owes:
/// - The agent acts on the plan's tools through [`AgentTask::tools`] alone: that is where each call is
///   checked against the grant, counted, and journaled before it is made. A call that is refused is an
///   answer to the agent, no reason to end.
/// - Its objective is data: no text in it becomes an option, a command or another instruction to the host.
/// - It keeps to `max_turns`, and to the tokens that [`AgentTools::tokens_left`] says.
/// - Dropping the future ends it, with every process that it started.
///
/// Nobody knows what an agent did: an attempt that was in flight when its process died is in doubt,
/// and one that failed is tried again only where [`ToolError::dispatched`] says that nothing was done.
#[async_trait]
pub trait AgentRunner: Debug + Send + Sync {
    /// Lets an agent work until it reports.
    ///
    /// # Errors
    /// When it could not be started, gave up, or crossed a limit; with what it had said as standard output.
    async fn run(&self, task: AgentTask, cx: &ToolContext) -> Result<AgentReport, ToolError>;
}

/// What an agent is to do, with everything resolved. Deadline, cancellation, folders and idempotency key are in the context.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AgentTask {
    /// The agent, as the catalog names it; absent: the host's default.
    pub agent: Option<AgentName>,
    /// What it is to reach.
    pub objective: String,
    /// Where it works, as the plan writes it: in the scratch folder or a granted root.
    pub working_dir: String,
    /// What it is to deliver, as members of the JSON object that ends its report.
    pub outputs: Vec<Output>,
    /// The most turns of its loop.
    pub max_turns: Option<u64>,
    /// The time that it has. The executor ends it then.
    pub timeout: Option<Duration>,
    /// The tools that it may call, and the grant that says so.
    pub tools: AgentTools,
}

impl AgentTask {
    /// A task outside any run, without tools, to try an implementation on its own.
    pub fn new(objective: impl Into<String>, working_dir: impl Into<String>) -> Self {
        Self {
            agent: None,
            objective: objective.into(),
            working_dir: working_dir.into(),
            outputs: Vec::new(),
            max_turns: None,
            timeout: None,
            tools: AgentTools::none(),
        }
    }

    /// The declared outputs as JSON, for an agent to read: an array of `{name, type, description?, schema?}`.
    pub fn outputs_json(&self) -> Value {
        let outputs = self.outputs.iter().map(|output| {
            let mut described = Map::new();
            let mut put = |name: &str, value: Value| described.insert(name.to_owned(), value);
            put("name", output.name.as_str().into());
            put("type", output.value_type.as_str().into());
            if let Some(description) = &output.description {
                put("description", description.as_str().into());
            }
            if let Some(schema) = &output.schema {
                put("schema", schema.0.clone());
            }
            Value::Object(described)
        });
        Value::Array(outputs.collect())
    }
}

fn _is_object_safe(_: &dyn AgentRunner) {}
