//! `PROMPT_CALL`: one question to a model.

use crate::site::{Site, Source, VisitSource};
use crate::{ModelName, OutputName, Schema, Template};

/// Asks a model once.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptCall {
    /// The model, configured by the catalog.
    pub model: ModelName,
    /// The system prompt.
    pub system_prompt: Option<Template>,
    /// The user prompt.
    pub user_prompt: Template,
    /// The output that receives the answer.
    pub output_field: OutputName,
    /// JSON Schema of the answer; absent: text.
    pub output_schema: Option<Schema>,
    /// The most tokens of the answer.
    pub max_tokens: Option<u64>,
    /// Sampling temperature, in the model's own range.
    pub temperature: Option<f64>,
}

impl PromptCall {
    pub(crate) fn each_source<'a>(&'a self, visit: &mut VisitSource<'_, 'a>) {
        if let Some(prompt) = &self.system_prompt {
            visit(
                &[&"system_prompt"],
                Site::SystemPrompt,
                Source::Template(prompt),
            );
        }
        visit(
            &[&"user_prompt"],
            Site::UserPrompt,
            Source::Template(&self.user_prompt),
        );
    }
}
