//! A step and its kind.

use super::close::distance;
use super::{
    Decoder, Field, Place, agent_call, code_call, condition, fan_in, fan_out, human_interaction,
    output, prompt_call, retry, tool_call,
};
use crate::document::ProblemKind;
use crate::{Step, StepConfig, StepId, StepKind, ToolCall, ToolName};

pub(super) fn read(cx: &mut Decoder, at: &Place<'_, '_>) -> Step {
    let [
        id,
        name,
        description,
        config,
        depends_on,
        outputs,
        timeout_secs,
        retry,
        join,
        on_error,
    ] = cx.object(
        at,
        "a step, as an object",
        [
            Field::required("id"),
            Field::required("name"),
            Field::optional("description"),
            Field::required("config"),
            Field::optional("depends_on"),
            Field::optional("outputs"),
            Field::optional("timeout_secs"),
            Field::optional("retry"),
            Field::optional("join"),
            Field::optional("on_error"),
        ],
    );
    Step {
        id: cx
            .identifier(id, "a step id")
            // no other step has this stand-in
            .unwrap_or_else(|| StepId::unchecked(&format!("step {}", at.index() + 1))),
        name: cx.text(name).unwrap_or_default(),
        description: cx.text(description),
        config: config
            .and_then(|config| config_of(cx, &config))
            .unwrap_or_else(stand_in),
        depends_on: cx.list(depends_on, "step ids", Decoder::step_use),
        outputs: cx.list(outputs, "outputs", output::read),
        timeout_secs: cx.seconds(timeout_secs),
        retry: retry::read(cx, retry),
        join: cx.word(join).unwrap_or_default(),
        on_error: cx.word(on_error).unwrap_or_default(),
    }
}

fn config_of(cx: &mut Decoder, at: &Place<'_, '_>) -> Option<StepConfig> {
    if !at.is_object() {
        cx.wrong_shape(at, "a step's config, as an object", &[]);
        return None;
    }
    Some(match kind_of(cx, at)? {
        StepKind::ToolCall => StepConfig::ToolCall(tool_call::read(cx, at)),
        StepKind::CodeCall => StepConfig::CodeCall(code_call::read(cx, at)),
        StepKind::PromptCall => StepConfig::PromptCall(prompt_call::read(cx, at)),
        StepKind::AgentCall => StepConfig::AgentCall(agent_call::read(cx, at)),
        StepKind::HumanInteraction => StepConfig::HumanInteraction(human_interaction::read(cx, at)),
        StepKind::Condition => StepConfig::Condition(condition::read(cx, at)?),
        StepKind::FanOut => StepConfig::FanOut(fan_out::read(cx, at)),
        StepKind::FanIn => StepConfig::FanIn(fan_in::read(cx, at)),
    })
}

/// The kind that `type` names. Without it no other field can be judged.
fn kind_of(cx: &mut Decoder, at: &Place<'_, '_>) -> Option<StepKind> {
    const TYPE: &str = "type";
    if let Some(kind) = at.member(TYPE) {
        let found = cx.word(Some(kind));
        if found.is_none() {
            cx.stand_in(at);
        }
        return found;
    }
    cx.stand_in(at);
    let close = at
        .members()
        .filter(|(_, member)| {
            let text = member.node.as_text();
            StepKind::ALL.iter().any(|kind| Some(kind.as_str()) == text)
        })
        .find(|(key, _)| distance(key.text(), TYPE).is_some());
    match close {
        Some((key, member)) => {
            let kind = ProblemKind::UnknownField {
                field: key.text().to_owned(),
                candidates: vec![TYPE.to_owned()],
                instead_of: Some(TYPE.to_owned()),
            };
            cx.report_within(&member, key.span(), kind);
        }
        None => cx.report(
            at,
            ProblemKind::MissingField {
                field: TYPE.to_owned(),
            },
        ),
    }
    None
}

/// A call of no tool.
fn stand_in() -> StepConfig {
    StepConfig::ToolCall(ToolCall {
        tool: ToolName::unchecked(""),
        arguments: std::collections::BTreeMap::new(),
    })
}
