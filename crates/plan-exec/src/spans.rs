//! The spans of a run: run, then step, then attempt, then what an agent does.
//!
//! Fields are named as the semantic conventions of OpenTelemetry for generative AI name them, where these have
//! a name. Arguments, prompts and answers are in no span.

use plan_llm::{AnswerKind, ModelError, ModelRequest, ModelResponse, Usage};
use plan_model::{AgentName, LanguageName, ToolName};
use plan_run::{FailureClass, RunId, RunRecord, StepPath};
use tracing::field::Empty;
use tracing::{Span, info_span};

use crate::ExecError;

/// One drive of a run.
pub(crate) fn run(run: &RunId, plan: &str) -> Span {
    info_span!(
        "run",
        run = %run,
        plan,
        gen_ai.operation.name = "invoke_workflow",
        status = Empty,
        error.type = Empty,
    )
}

/// How a drive came out.
pub(crate) fn run_ended(span: &Span, outcome: Result<&RunRecord, &ExecError>) {
    match outcome {
        Ok(record) => {
            span.record("status", record.status().as_str());
            if let Some(failure) = record.failure() {
                failed(span, failure.class);
            }
        }
        Err(error) => {
            span.record("error.type", early(error));
        }
    }
}

/// One attempt's part of a step, which says what is tried.
pub(crate) fn step(path: &StepPath) -> Span {
    let item = path.items().last().map(|(_, item)| *item as u64);
    info_span!("step", step = %path, item)
}

/// An attempt that calls a tool.
pub(crate) fn tool(step: &Span, attempt: u32, tool: &ToolName) -> Span {
    info_span!(
        parent: step,
        "attempt",
        attempt,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = tool.as_str(),
        error.type = Empty,
    )
}

/// An attempt that runs a script.
pub(crate) fn code(step: &Span, attempt: u32, language: &LanguageName) -> Span {
    info_span!(
        parent: step,
        "attempt",
        attempt,
        language = language.as_str(),
        error.type = Empty,
    )
}

/// An attempt that asks a model.
pub(crate) fn prompt(
    step: &Span,
    attempt: u32,
    provider: Option<&str>,
    request: &ModelRequest,
) -> Span {
    info_span!(
        parent: step,
        "attempt",
        attempt,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = provider,
        gen_ai.request.model = request.model.as_str(),
        gen_ai.request.max_tokens = request.max_tokens,
        gen_ai.request.temperature = request.temperature,
        gen_ai.output.type = output_type(request),
        gen_ai.response.model = Empty,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        error.type = Empty,
    )
}

/// An attempt that hands an objective to an agent.
pub(crate) fn agent(step: &Span, attempt: u32, agent: Option<&AgentName>) -> Span {
    info_span!(
        parent: step,
        "attempt",
        attempt,
        gen_ai.operation.name = "invoke_agent",
        gen_ai.agent.name = agent.map(AgentName::as_str),
        error.type = Empty,
    )
}

/// One turn of an agent: what it asks its model.
pub(crate) fn turn(turn: u64, request: &ModelRequest) -> Span {
    info_span!(
        "turn",
        turn,
        gen_ai.operation.name = "chat",
        gen_ai.request.model = request.model.as_str(),
        gen_ai.request.max_tokens = request.max_tokens,
        gen_ai.response.model = Empty,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        error.type = Empty,
    )
}

/// A call of a tool that an agent makes.
pub(crate) fn agent_call(call: u32, tool: &str) -> Span {
    info_span!(
        "call",
        call,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = tool,
        error.type = Empty,
    )
}

/// Notes what a model said of its answer, and what that cost.
pub(crate) fn answered(span: &Span, answered: &Result<ModelResponse, ModelError>) {
    match answered {
        Ok(response) => {
            span.record("gen_ai.response.finish_reasons", response.finish.as_str());
            if let Some(model) = &response.model {
                span.record("gen_ai.response.model", model.as_str());
            }
            cost(span, response.usage);
        }
        Err(error) => {
            if let Some(usage) = error.usage {
                cost(span, usage);
            }
        }
    }
}

/// Why a drive ended before its run had come to its end or had to wait.
fn early(error: &ExecError) -> &'static str {
    match error {
        ExecError::Fenced { .. } => "fenced",
        ExecError::ClaimLost { .. } => "claim_lost",
        ExecError::Stopped { .. } => "stopped",
        ExecError::Store { .. } => "store",
        ExecError::Refused { .. } => "refused",
        ExecError::Load(_) => "load",
    }
}

/// Notes why something failed.
pub(crate) fn failed(span: &Span, class: FailureClass) {
    span.record("error.type", class.as_str());
}

fn cost(span: &Span, usage: Usage) {
    span.record("gen_ai.usage.input_tokens", usage.input_tokens);
    span.record("gen_ai.usage.output_tokens", usage.output_tokens);
}

fn output_type(request: &ModelRequest) -> &'static str {
    match request.format.kind() {
        AnswerKind::Text => "text",
        AnswerKind::JsonObject | AnswerKind::JsonSchema => "json",
    }
}
