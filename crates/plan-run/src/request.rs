//! Requests to people, and what people say to them.

use std::fmt;

use plan_model::{AgentName, Digest, LanguageName, ModelName, Timestamp, ToolName};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{JsonObject, RequestId, StepPath};

/// A question to a person. It stays open until it is answered, withdrawn or out of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Request {
    /// The name that an answer gives.
    pub id: RequestId,
    /// What is asked for.
    pub kind: RequestKind,
    /// The step that asks.
    pub step: StepPath,
    /// What the person reads; sensitive values are masked.
    pub prompt: String,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// For [`RequestKind::Effect`]: the call that waits for approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ProposedCall>,
    /// What an answer is bound to: run, plan, step, prompt, schema and call.
    pub binding: Digest,
    /// The last moment at which an answer is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// A call that is made only if a person approves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProposedCall {
    /// What is called.
    pub target: CallTarget,
    /// The exact arguments; secrets and sensitive inputs are masked.
    pub arguments: JsonObject,
}

/// What a proposed call calls.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallTarget {
    /// A tool.
    Tool(ToolName),
    /// A script in this language.
    Language(LanguageName),
    /// A model.
    Model(ModelName),
    /// An agent; absent: the host's default.
    Agent(Option<AgentName>),
}

impl fmt::Display for CallTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(name) => write!(f, "tool `{name}`"),
            Self::Language(name) => write!(f, "a script in `{name}`"),
            Self::Model(name) => write!(f, "the model `{name}`"),
            Self::Agent(Some(name)) => write!(f, "the agent `{name}`"),
            Self::Agent(None) => f.write_str("the host's agent"),
        }
    }
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// A text.
    Question,
    /// An approval that the plan asks for.
    Approval,
    /// An approval of one call, which the host's policy asks for.
    Effect,
}

impl RequestKind {
    /// The spelling in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Approval => "approval",
            Self::Effect => "effect",
        }
    }
}

impl fmt::Display for RequestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a person says to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Yes: approvals alone.
    Approve,
    /// No: approvals alone.
    Reject,
    /// Ends the run.
    Cancel,
    /// A text: questions alone. No text approves.
    Text(String),
}

/// What a person says about an attempt in doubt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Make the call again.
    Retry,
    /// It took place, and these are its outputs.
    MarkSucceeded(JsonObject),
    /// It is to count as failed.
    MarkFailed,
}
