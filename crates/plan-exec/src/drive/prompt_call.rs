//! `PROMPT_CALL`: one question to a model.

use plan_llm::{Answer, AnswerFormat, AnswerKind, Capabilities, ModelRequest, ModelResponse};
use plan_model::canonical_json;
use plan_run::{FailureClass, ModelAnswer, ModelUsage, PromptEffect};

use crate::ToolError;
use crate::drive::Drive;
use crate::drive::dispatch::Takeoff;
use crate::drive::model_error::{cut, tool_error};
use crate::drive::outcome::{Modelled, Reach, Returned};
use crate::spans;

impl Drive {
    /// Asks the model of an attempt.
    pub(super) fn ask_model(&mut self, takeoff: Takeoff, mut effect: PromptEffect) {
        let Some(model) = self.shared.models.get(&effect.model).cloned() else {
            let message = format!("nothing answers for the model `{}`", effect.model);
            self.ground(takeoff, FailureClass::NotFound, message);
            return;
        };
        // a secret that a call gave away goes no further
        let redactor = self.lending.redactor();
        if let Some(prompt) = &mut effect.system_prompt {
            redactor.text(prompt);
        }
        redactor.text(&mut effect.user_prompt);
        let capabilities = model.capabilities(effect.model.as_str());
        let request = request(effect, capabilities);
        let provider = self.provider(&request.model);
        let span = spans::prompt(&takeoff.span, takeoff.attempt, provider, &request);
        let seen = span.clone();
        let call = async move {
            let answered = model.ask(&request).await;
            spans::answered(&seen, &answered);
            let usage = match &answered {
                Ok(response) => Some(response.usage),
                Err(error) => error.usage,
            };
            let usage = usage.map(|usage| ModelUsage::new(usage.input_tokens, usage.output_tokens));
            let result = answered.map_err(tool_error).and_then(answer);
            Ok(Returned::Model(Modelled { result, usage }))
        };
        // a question changes nothing
        self.fly(takeoff, Reach::ReadOnly, span, call);
    }

    /// Who provides a model, where the catalog says so.
    fn provider(&self, model: &str) -> Option<&str> {
        let models = self.shared.tools.catalog().models()?;
        models.get(model)?.provider.as_deref()
    }
}

/// What is asked. A model that cannot be held to a schema is told of it.
fn request(effect: PromptEffect, capabilities: Capabilities) -> ModelRequest {
    let PromptEffect {
        model,
        mut system_prompt,
        user_prompt,
        output_field,
        output_schema,
        max_tokens,
        temperature,
        ..
    } = effect;
    let mut request = ModelRequest::new(model.as_str()).with_user(user_prompt);
    if let Some(schema) = output_schema {
        if capabilities.answers < AnswerKind::JsonSchema {
            let told = format!(
                "Answer with nothing but JSON that fits this JSON Schema:\n{}",
                canonical_json(&schema)
            );
            system_prompt = Some(match system_prompt {
                Some(prompt) => format!("{prompt}\n\n{told}"),
                None => told,
            });
        }
        let is_object = schema.get("type").is_some_and(|kind| kind == "object");
        request.format = match capabilities.answers {
            AnswerKind::JsonSchema => AnswerFormat::JsonSchema {
                name: output_field,
                schema,
            },
            AnswerKind::JsonObject if is_object => AnswerFormat::JsonObject,
            AnswerKind::JsonObject | AnswerKind::Text => AnswerFormat::Text,
        };
    }
    request.system = system_prompt;
    request.max_tokens = max_tokens;
    request.temperature = temperature;
    request
}

/// The answer, where it is whole.
fn answer(response: ModelResponse) -> Result<ModelAnswer, ToolError> {
    let asks = (!response.calls.is_empty()).then_some((
        FailureClass::OutputContract,
        "the model asks for tools, and was offered none",
    ));
    let failure = cut(response.finish).or(asks);
    match (failure, response.answer) {
        (None, Answer::Text(text)) => Ok(ModelAnswer::Text(text)),
        (None, Answer::Json(value)) => Ok(ModelAnswer::Json(value)),
        (Some((class, message)), answer) => {
            let said = match answer {
                Answer::Text(text) if !text.is_empty() => Some(text),
                Answer::Text(_) | Answer::Json(_) => None,
            };
            Err(ToolError::new(class, message).output(said, None))
        }
    }
}
