//! What a model answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One answer of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelResponse {
    /// What it said.
    pub answer: Answer,
    /// The calls that it asks for, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolUse>,
    /// Why it stopped.
    pub finish: FinishReason,
    /// What it cost.
    pub usage: Usage,
    /// The model that answered, where the provider says it more exactly than the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What a model said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Text; empty where it only asked for tools.
    Text(String),
    /// JSON, as the request had asked for it.
    Json(Value),
}

/// A call of a tool that a model asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// How the model tells it from its other calls.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments, as the model wrote them: nobody has checked them.
    pub arguments: Value,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// It had said everything.
    Stop,
    /// It waits for the calls that it asked for.
    ToolCalls,
    /// Its answer reached the bound.
    Length,
    /// The provider held the answer back.
    ContentFilter,
}

impl FinishReason {
    /// The spelling in records and traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
        }
    }
}

/// What requests cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of what was sent.
    pub input_tokens: u64,
    /// Tokens of what came back, those of unseen reasoning included.
    pub output_tokens: u64,
}

impl Usage {
    /// So many tokens in, so many out.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            input_tokens,
            output_tokens,
        }
    }

    /// All tokens.
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
        }
    }
}

impl ModelResponse {
    /// A finished answer that cost nothing.
    pub fn new(answer: Answer) -> Self {
        Self {
            answer,
            calls: Vec::new(),
            finish: FinishReason::Stop,
            usage: Usage::default(),
            model: None,
        }
    }

    /// A finished answer of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Answer::Text(text.into()))
    }

    /// A finished answer of JSON.
    pub fn json(value: Value) -> Self {
        Self::new(Answer::Json(value))
    }

    /// An answer that asks for calls.
    pub fn asks_for(calls: Vec<ToolUse>) -> Self {
        let mut response = Self::text("");
        response.calls = calls;
        response.finish = FinishReason::ToolCalls;
        response
    }

    /// With what it cost.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// With the reason why it stopped.
    #[must_use]
    pub fn with_finish(mut self, finish: FinishReason) -> Self {
        self.finish = finish;
        self
    }
}

impl ToolUse {
    /// A call of a tool.
    pub fn new(id: impl Into<String>, tool: impl Into<String>, arguments: Value) -> Self {
        Self {
            id: id.into(),
            tool: tool.into(),
            arguments,
        }
    }
}
