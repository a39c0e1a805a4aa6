#![doc = include_str!("../README.md")]

pub use plan_exec as exec;
pub use plan_llm as llm;
pub use plan_model as model;
pub use plan_run as run;
pub use plan_store as store;
#[cfg(feature = "sqlite")]
pub use plan_store_sqlite as sqlite;
#[cfg(feature = "tools")]
pub use plan_tools as tools;
pub use plan_validate as validate;

pub use plan_exec::{
    AgentRunner, AgentTask, AgentTools, Cancellation, CodeOutput, CodeRequest, CodeRunner,
    ControlError, Dispatched, ExecError, Executor, ForkError, HumanAnswer, HumanChannel, Inputs,
    LoadError, LoopAgent, ModelRegistry, ObservedRun, Observer, Resume, ResumeError, RunHandle,
    RunRequest, RunUpdate, Secret, SecretSource, StartError, Tool, ToolContext, ToolError, ToolFn,
    ToolOutput, ToolRegistry, WhenWaiting, blocking_tool_fn, inputs, tool_fn, tool_fn_with_context,
};
pub use plan_llm::{LanguageModel, ModelError, ModelRequest, ModelResponse};
pub use plan_model::{Plan, StepId, ToolName, ToolSpec};
pub use plan_run::{
    Answer, Decision, Failure, FailureClass, PrincipalName, RequestId, RunId, RunRecord, RunStatus,
    StepPath, StepStatus,
};
pub use plan_store::{Clock, MemoryStore, SystemClock};
#[cfg(feature = "sqlite")]
pub use plan_store_sqlite::SqliteStore;
pub use plan_validate::{
    Context, Finding, Grant, PlanRejected, Policy, SchemaFor, ToolCatalog, ValidatedPlan, check,
    explain, fix,
};

#[cfg(doctest)]
#[doc = include_str!("../docs/guide/write-a-tool.md")]
struct WriteATool;

#[cfg(doctest)]
#[doc = include_str!("../docs/guide/fan-out.md")]
struct FanOut;

#[cfg(doctest)]
#[doc = include_str!("../docs/guide/write-a-tool-kind.md")]
struct WriteAToolKind;

#[cfg(doctest)]
#[doc = include_str!("../docs/guide/write-a-model.md")]
struct WriteAModel;

#[cfg(doctest)]
#[doc = include_str!("../docs/guide/write-an-agent-runner.md")]
struct WriteAnAgentRunner;

#[cfg(doctest)]
#[doc = include_str!("../docs/guide/watch-a-run.md")]
struct WatchARun;

#[cfg(doctest)]
#[doc = include_str!("../docs/guide/write-a-code-runner.md")]
struct WriteACodeRunner;

#[cfg(doctest)]
#[doc = include_str!("../docs/guide/write-a-secret-source.md")]
struct WriteASecretSource;

#[cfg(doctest)]
#[doc = include_str!("../docs/guide/reach-people.md")]
struct ReachPeople;
