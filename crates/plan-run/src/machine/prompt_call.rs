//! `PROMPT_CALL`: what a model is asked, and what its answer becomes.

use std::time::Duration;

use plan_model::{ModelName, Output, PromptCall, Step, ValueType};
use serde_json::{Map, Value};

use super::Machine;
use super::build::Builder;
use super::outputs::{contract, read_text};
use super::scope::RunScope;
use super::slot::Slot;
use super::spoken::json_in;
use crate::{Effect, Failure, IdempotencyKey};

/// A question to a model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptEffect {
    /// The model.
    pub model: ModelName,
    /// The system prompt.
    pub system_prompt: Option<String>,
    /// The user prompt.
    pub user_prompt: String,
    /// The output that receives the answer.
    pub output_field: String,
    /// JSON Schema of the answer; absent: text.
    pub output_schema: Option<Value>,
    /// The most tokens of the answer, within what the run has left.
    pub max_tokens: Option<u64>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// The key under which the other side recognises a repeated call.
    pub key: IdempotencyKey,
    /// The most that this attempt may take.
    pub timeout: Option<Duration>,
}

/// What a model said.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelAnswer {
    /// Text. Where the step wants JSON, it is looked for in it.
    Text(String),
    /// JSON.
    Json(Value),
}

/// The prompts of a step, as they are sent and as the journal has them: sensitive inputs are hidden from models too.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PromptValues {
    pub(super) system_prompt: Option<String>,
    pub(super) user_prompt: String,
}

impl Machine {
    /// The prompts of a step.
    pub(super) fn prompt_values(
        &self,
        slot: Slot,
        call: &PromptCall,
    ) -> Result<PromptValues, Failure> {
        let scope = RunScope::shown(self, slot);
        let mut build = Builder::new(&scope, self.limits());
        let values = PromptValues {
            system_prompt: call
                .system_prompt
                .as_ref()
                .map(|prompt| build.text(|| "the system prompt".to_owned(), prompt)),
            user_prompt: build.text(|| "the user prompt".to_owned(), &call.user_prompt),
        };
        build.finish()?;
        Ok(values)
    }

    /// The question of an attempt.
    pub(super) fn prompt_effect(
        &self,
        slot: Slot,
        call: &PromptCall,
        key: IdempotencyKey,
    ) -> Result<PromptEffect, Failure> {
        let values = self.prompt_values(slot, call)?;
        let attempt = self.state.steps.at(slot).attempts.last();
        let granted = attempt.and_then(|attempt| attempt.asked.as_deref()?.tokens);
        let timeout = self.step_of(slot).timeout_secs;
        Ok(PromptEffect {
            model: call.model.clone(),
            system_prompt: values.system_prompt,
            user_prompt: values.user_prompt,
            output_field: call.output_field.to_string(),
            output_schema: call.output_schema.as_ref().map(|schema| schema.0.clone()),
            max_tokens: granted.or(call.max_tokens),
            temperature: call.temperature,
            key,
            timeout: timeout.map(plan_model::Seconds::as_duration),
        })
    }
}

impl PromptValues {
    /// The values as the journal records them.
    pub(super) fn into_object(self) -> Map<String, Value> {
        let mut object = Map::new();
        if let Some(prompt) = self.system_prompt {
            object.insert("system_prompt".to_owned(), prompt.into());
        }
        object.insert("user_prompt".to_owned(), self.user_prompt.into());
        object
    }
}

/// The outputs of a step whose model answered.
pub(super) fn of_answer(
    step: &Step,
    call: &PromptCall,
    answer: ModelAnswer,
) -> Result<Map<String, Value>, Failure> {
    let field = call.output_field.as_str();
    let value = match (answer, &call.output_schema) {
        (ModelAnswer::Json(value), Some(_)) => value,
        (ModelAnswer::Text(text), Some(_)) => json_in(&text).ok_or_else(|| {
            contract("the answer of the model holds no JSON".to_owned())
                .with_effect(Effect::None)
                .with_tails(Some(text), None)
        })?,
        (ModelAnswer::Json(Value::String(text)) | ModelAnswer::Text(text), None) => {
            let declared = step.outputs.iter().find(|output| output.name == *field);
            match declared.filter(|output| wants_json(output)) {
                Some(output) => read_text(output, &text)?,
                None => Value::String(text),
            }
        }
        (ModelAnswer::Json(value), None) => value,
    };
    Ok(Map::from_iter([(field.to_owned(), value)]))
}

/// Whether the plan declares the answer as something else than a text. What a model says stays text where that is welcome.
fn wants_json(output: &Output) -> bool {
    match output.value_type {
        ValueType::String | ValueType::Any => false,
        ValueType::Number
        | ValueType::Integer
        | ValueType::Boolean
        | ValueType::Object
        | ValueType::Array => true,
    }
}
