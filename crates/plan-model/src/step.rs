//! One step of a plan and the eight things it can be.

mod agent_call;
mod code_call;
mod condition;
mod fan_in;
mod fan_out;
mod human_interaction;
mod prompt_call;
mod tool_call;

use std::fmt;

use crate::{OutputName, Schema, Seconds, StepId, ValueType};

pub use agent_call::AgentCall;
pub use code_call::{CodeCall, CodeSource};
pub use condition::Condition;
pub use fan_in::FanIn;
pub use fan_out::{FanOut, OnItemError};
pub use human_interaction::{HumanInteraction, OnReject};
pub use prompt_call::PromptCall;
pub use tool_call::ToolCall;

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The name in `${step.ID}` and in `depends_on`.
    pub id: StepId,
    /// What a person calls the step.
    pub name: String,
    /// What the step is for.
    pub description: Option<String>,
    /// What the step does.
    pub config: StepConfig,
    /// Steps that must end first, beside those that references name. As written: duplicates are kept.
    pub depends_on: Vec<StepId>,
    /// What the step delivers.
    pub outputs: Vec<Output>,
    /// The most that one attempt may take.
    pub timeout_secs: Option<Seconds>,
    /// Whether and how a failed attempt is repeated.
    pub retry: Option<Retry>,
    /// Which endings of its dependencies let it run.
    pub join: Join,
    /// What its failure means for the run.
    pub on_error: OnError,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub enum StepConfig {
    /// Calls a tool.
    ToolCall(ToolCall),
    /// Runs a script.
    CodeCall(CodeCall),
    /// Asks a model once.
    PromptCall(PromptCall),
    /// Hands an objective to an agent.
    AgentCall(AgentCall),
    /// Asks a person.
    HumanInteraction(HumanInteraction),
    /// Chooses a branch.
    Condition(Condition),
    /// Runs steps once for each item of a list.
    FanOut(FanOut),
    /// Collects outputs into a list.
    FanIn(FanIn),
}

impl StepConfig {
    /// Which of the eight kinds this is.
    pub fn kind(&self) -> StepKind {
        match self {
            Self::ToolCall(_) => StepKind::ToolCall,
            Self::CodeCall(_) => StepKind::CodeCall,
            Self::PromptCall(_) => StepKind::PromptCall,
            Self::AgentCall(_) => StepKind::AgentCall,
            Self::HumanInteraction(_) => StepKind::HumanInteraction,
            Self::Condition(_) => StepKind::Condition,
            Self::FanOut(_) => StepKind::FanOut,
            Self::FanIn(_) => StepKind::FanIn,
        }
    }
}

/// The kind of a step, as `config.type` spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepKind {
    /// `TOOL_CALL`
    ToolCall,
    /// `CODE_CALL`
    CodeCall,
    /// `PROMPT_CALL`
    PromptCall,
    /// `AGENT_CALL`
    AgentCall,
    /// `HUMAN_INTERACTION`
    HumanInteraction,
    /// `CONDITION`
    Condition,
    /// `FAN_OUT`
    FanOut,
    /// `FAN_IN`
    FanIn,
}

impl StepKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::ToolCall,
        Self::CodeCall,
        Self::PromptCall,
        Self::AgentCall,
        Self::HumanInteraction,
        Self::Condition,
        Self::FanOut,
        Self::FanIn,
    ];

    /// The spelling in `config.type`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolCall => "TOOL_CALL",
            Self::CodeCall => "CODE_CALL",
            Self::PromptCall => "PROMPT_CALL",
            Self::AgentCall => "AGENT_CALL",
            Self::HumanInteraction => "HUMAN_INTERACTION",
            Self::Condition => "CONDITION",
            Self::FanOut => "FAN_OUT",
            Self::FanIn => "FAN_IN",
        }
    }
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One value that a step delivers.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The name in `${step.ID.NAME}`.
    pub name: OutputName,
    /// What it is.
    pub description: Option<String>,
    /// The JSON type.
    pub value_type: ValueType,
    /// JSON Schema that refines the type.
    pub schema: Option<Schema>,
}

/// Whether and how a failed attempt is repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// All attempts, the first included.
    pub max_attempts: u64,
    /// The delay before the second attempt.
    pub delay_secs: Seconds,
    /// Whether each further delay doubles.
    pub backoff: bool,
    /// The longest delay.
    pub max_delay_secs: Option<Seconds>,
    /// Whether each delay is drawn from zero to its value. True unless said otherwise.
    pub jitter: bool,
    /// The failure classes that are repeated; absent: transient, timeout, `rate_limited`.
    pub retry_on: Option<Vec<RetryClass>>,
}

/// A failure class that a plan may ask to repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RetryClass {
    /// A fault that is likely to pass.
    Transient,
    /// The other side asked for a pause.
    RateLimited,
    /// The attempt took too long.
    Timeout,
    /// The credentials were refused.
    Auth,
    /// The caller may not do this.
    Permission,
    /// The thing asked for is not there.
    NotFound,
    /// Nothing answers at the address.
    EndpointDown,
    /// A process ended with another code than zero.
    ExitStatus,
    /// The outputs were not what the step declares.
    OutputContract,
    /// The model refused.
    ModelRefused,
    /// The model's answer was cut.
    ModelTruncated,
}

/// Which endings of its dependencies let a step run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Join {
    /// All succeeded.
    #[default]
    All,
    /// At least one succeeded.
    Any,
    /// All ended, however.
    Settled,
}

/// What the failure of a step means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum OnError {
    /// The plan's failure policy applies.
    #[default]
    Fail,
    /// The run goes on and may still succeed.
    Continue,
}
