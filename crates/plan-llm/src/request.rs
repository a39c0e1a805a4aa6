//! What a model is asked.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{AnswerKind, ToolUse};

/// One question to a model, with all that was said before.
///
/// It has no deadline of its own: whoever asks drops the call when its time is up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The model, by the name that the provider or the adapter knows.
    pub model: String,
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What was said, oldest first.
    pub messages: Vec<Message>,
    /// The tools that the model may ask for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolOffer>,
    /// The most tokens of the answer; absent: the model's own bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Sampling temperature, in the model's own range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// What the answer is to be.
    #[serde(default, skip_serializing_if = "AnswerFormat::is_text")]
    pub format: AnswerFormat,
}

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// By whoever asks.
    User {
        /// The text.
        text: String,
    },
    /// By the model.
    Assistant {
        /// The text; empty where it only asked for tools.
        text: String,
        /// The calls that it asked for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolUse>,
    },
    /// What a call came to that the model had asked for.
    ToolResult {
        /// The call, by the id that the model gave it.
        id: String,
        /// The tool.
        tool: String,
        /// The result, or what went wrong, as text.
        text: String,
        /// Whether it went wrong.
        #[serde(default)]
        is_error: bool,
    },
}

/// A tool that a model may ask for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolOffer {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments, an object.
    pub input_schema: Value,
}

/// What an answer is to be.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFormat {
    /// Text.
    #[default]
    Text,
    /// A JSON object of any shape.
    JsonObject,
    /// JSON that this schema describes.
    JsonSchema {
        /// What the shape is called; letters, digits, `_` and `-`.
        name: String,
        /// The JSON Schema.
        schema: Value,
    },
}

impl ModelRequest {
    /// A request to this model in which nothing was said yet.
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            system: None,
            messages: Vec::new(),
            tools: Vec::new(),
            max_tokens: None,
            temperature: None,
            format: AnswerFormat::Text,
        }
    }

    /// With a system prompt.
    #[must_use]
    pub fn with_system(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// With one message more.
    #[must_use]
    pub fn with(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }

    /// With one thing more that whoever asks says.
    #[must_use]
    pub fn with_user(self, text: impl Into<String>) -> Self {
        self.with(Message::User { text: text.into() })
    }

    /// With one tool more.
    #[must_use]
    pub fn with_tool(mut self, tool: ToolOffer) -> Self {
        self.tools.push(tool);
        self
    }

    /// With a bound on the answer.
    #[must_use]
    pub fn with_max_tokens(mut self, tokens: u64) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// With a temperature.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// With a form of the answer.
    #[must_use]
    pub fn with_format(mut self, format: AnswerFormat) -> Self {
        self.format = format;
        self
    }

    /// What whoever asks said last.
    pub fn last_user_text(&self) -> Option<&str> {
        self.messages
            .iter()
            .rev()
            .find_map(|message| match message {
                Message::User { text } => Some(text.as_str()),
                Message::Assistant { .. } | Message::ToolResult { .. } => None,
            })
    }

    /// The bytes of everything that is sent: no tokenizer makes more tokens of them than there are.
    pub fn bytes(&self) -> u64 {
        let messages = self.messages.iter().map(|message| match message {
            Message::User { text } => text.len(),
            Message::Assistant { text, calls } => calls.iter().fold(text.len(), |sum, call| {
                sum.saturating_add(call.tool.len())
                    .saturating_add(json_bytes(&call.arguments))
            }),
            Message::ToolResult { id, tool, text, .. } => id
                .len()
                .saturating_add(tool.len())
                .saturating_add(text.len()),
        });
        let tools = self.tools.iter().map(|tool| {
            let words = tool.name.len().saturating_add(tool.description.len());
            words.saturating_add(json_bytes(&tool.input_schema))
        });
        let system = self.system.as_ref().map(String::len);
        let schema = match &self.format {
            AnswerFormat::JsonSchema { schema, .. } => Some(json_bytes(schema)),
            AnswerFormat::Text | AnswerFormat::JsonObject => None,
        };
        let all = messages.chain(tools).chain(system).chain(schema);
        all.fold(0_u64, |sum, bytes| {
            sum.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX))
        })
    }
}

impl ToolOffer {
    /// A tool that takes what this schema describes.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: Value,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            input_schema,
        }
    }
}

impl AnswerFormat {
    /// The kind that a model must be able to answer with.
    pub fn kind(&self) -> AnswerKind {
        match self {
            Self::Text => AnswerKind::Text,
            Self::JsonObject => AnswerKind::JsonObject,
            Self::JsonSchema { .. } => AnswerKind::JsonSchema,
        }
    }

    fn is_text(&self) -> bool {
        *self == Self::Text
    }
}

/// The bytes of a value as compact JSON, at most.
fn json_bytes(value: &Value) -> usize {
    let mut bytes = 0_usize;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let own = match value {
            Value::String(text) => text.len().saturating_add(3),
            Value::Number(number) => number.to_string().len().saturating_add(1),
            Value::Null | Value::Bool(_) => 6,
            Value::Array(items) => {
                open.extend(items);
                3
            }
            Value::Object(members) => {
                open.extend(members.values());
                names(members).saturating_add(3)
            }
        };
        bytes = bytes.saturating_add(own);
    }
    bytes
}

fn names(members: &Map<String, Value>) -> usize {
    let lengths = members.keys().map(|name| name.len().saturating_add(4));
    lengths.fold(0, usize::saturating_add)
}
