//! What may be asked of a model.

use serde::{Deserialize, Serialize};

/// What a model can do beyond text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Capabilities {
    /// The strictest kind of answer that it can be held to. Every laxer kind may be asked for too.
    pub answers: AnswerKind,
    /// Whether it can be offered tools.
    pub tools: bool,
}

impl Capabilities {
    /// Text in, text out.
    pub fn text() -> Self {
        Self {
            answers: AnswerKind::Text,
            tools: false,
        }
    }

    /// With answers of this kind.
    #[must_use]
    pub fn with_answers(mut self, answers: AnswerKind) -> Self {
        self.answers = answers;
        self
    }

    /// With tools.
    #[must_use]
    pub fn with_tools(mut self) -> Self {
        self.tools = true;
        self
    }
}

/// What a model can be held to, from the laxest kind to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// Text.
    Text,
    /// A JSON object of any shape.
    JsonObject,
    /// JSON that a schema describes.
    JsonSchema,
}
