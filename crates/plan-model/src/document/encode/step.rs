//! A step and its kind.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::document::words::Word;
use crate::json::{Outlet, each_member};
use crate::{
    AgentCall, CodeCall, CodeSource, Condition, FanIn, FanOut, HumanInteraction, PromptCall, Retry,
    Step, StepConfig, StepKind, Template, ToolCall,
};

pub(super) fn write_step(out: &mut (dyn Outlet + '_), step: &Step) {
    out.open_object();
    out.key("config");
    out.open_object();
    match &step.config {
        StepConfig::ToolCall(call) => tool_call(out, call),
        StepConfig::CodeCall(call) => code_call(out, call),
        StepConfig::PromptCall(call) => prompt_call(out, call),
        StepConfig::AgentCall(call) => agent_call(out, call),
        StepConfig::HumanInteraction(interaction) => human_interaction(out, interaction),
        StepConfig::Condition(step) => condition(out, step),
        StepConfig::FanOut(step) => fan_out(out, step),
        StepConfig::FanIn(step) => fan_in(out, step),
    }
    out.close_object();
    out.ids_member("depends_on", &step.depends_on);
    out.text_member("description", step.description.as_deref());
    out.text_member("id", Some(step.id.as_str()));
    out.word_member("join", step.join);
    out.text_member("name", Some(&step.name));
    out.word_member("on_error", step.on_error);
    out.outputs_member(&step.outputs);
    if let Some(rule) = &step.retry {
        out.key("retry");
        retry(out, rule);
    }
    out.seconds_member("timeout_secs", step.timeout_secs);
    out.close_object();
}

fn retry(out: &mut dyn Outlet, retry: &Retry) {
    out.open_object();
    out.truth_member("backoff", retry.backoff, false);
    out.seconds_member("delay_secs", Some(retry.delay_secs));
    out.truth_member("jitter", retry.jitter, true);
    out.whole_member("max_attempts", Some(retry.max_attempts));
    out.seconds_member("max_delay_secs", retry.max_delay_secs);
    if let Some(classes) = &retry.retry_on {
        out.list("retry_on", classes, |out, class| {
            out.text(class.word());
        });
    }
    out.close_object();
}

fn kind(out: &mut dyn Outlet, kind: StepKind) {
    out.text_member("type", Some(kind.as_str()));
}

fn tool_call(out: &mut dyn Outlet, call: &ToolCall) {
    templates(out, "arguments", &call.arguments);
    out.text_member("tool", Some(call.tool.as_str()));
    kind(out, StepKind::ToolCall);
}

fn code_call(out: &mut dyn Outlet, call: &CodeCall) {
    if !call.args.is_empty() {
        out.list("args", &call.args, <dyn Outlet>::template);
    }
    templates(out, "env", &call.env);
    match &call.source {
        CodeSource::File(file) => out.template_member("file", Some(file)),
        CodeSource::Inline(text) => out.text_member("inline", Some(text)),
    }
    out.text_member("language", Some(call.language.as_str()));
    out.template_member("stdin", call.stdin.as_ref());
    out.seconds_member("timeout_secs", call.timeout_secs);
    kind(out, StepKind::CodeCall);
    out.template_member("working_dir", call.working_dir.as_ref());
}

fn prompt_call(out: &mut dyn Outlet, call: &PromptCall) {
    out.whole_member("max_tokens", call.max_tokens);
    out.text_member("model", Some(call.model.as_str()));
    out.text_member("output_field", Some(call.output_field.as_str()));
    out.schema_member("output_schema", call.output_schema.as_ref());
    out.template_member("system_prompt", call.system_prompt.as_ref());
    out.value_member("temperature", call.temperature.map(Value::from).as_ref());
    kind(out, StepKind::PromptCall);
    out.template_member("user_prompt", Some(&call.user_prompt));
}

fn agent_call(out: &mut dyn Outlet, call: &AgentCall) {
    out.text_member("agent", call.agent.as_ref().map(AsRef::as_ref));
    out.whole_member("max_turns", call.max_turns);
    out.template_member("objective", Some(&call.objective));
    out.seconds_member("timeout_secs", call.timeout_secs);
    if let Some(tools) = &call.tools {
        out.list("tools", tools, |out, tool| out.text(tool.as_str()));
    }
    kind(out, StepKind::AgentCall);
    out.template_member("working_dir", Some(&call.working_dir));
}

fn human_interaction(out: &mut dyn Outlet, step: &HumanInteraction) {
    out.truth_member("approval_required", step.approval_required, false);
    out.word_member("on_reject", step.on_reject);
    out.template_member("prompt", Some(&step.prompt));
    out.text_member("response_field", Some(step.response_field.as_str()));
    kind(out, StepKind::HumanInteraction);
}

fn condition(out: &mut dyn Outlet, step: &Condition) {
    out.text_member("expression", Some(step.expression.source()));
    out.ids_member("false_steps", &step.false_steps);
    out.ids_member("true_steps", &step.true_steps);
    kind(out, StepKind::Condition);
}

fn fan_out(out: &mut dyn Outlet, step: &FanOut) {
    out.text_member("item_var", Some(step.item_var.as_str()));
    if step.max_parallel != 1 {
        out.whole_member("max_parallel", Some(step.max_parallel));
    }
    out.word_member("on_item_error", step.on_item_error);
    out.key("over");
    out.shown(&step.over);
    out.ids("spawn_steps", &step.spawn_steps);
    kind(out, StepKind::FanOut);
    let until = step.until.as_ref();
    out.text_member("until", until.map(crate::Expression::source));
}

fn fan_in(out: &mut dyn Outlet, step: &FanIn) {
    out.text_member("collect_field", Some(step.collect_field.as_str()));
    out.ids("from_steps", &step.from_steps);
    kind(out, StepKind::FanIn);
}

fn templates(out: &mut dyn Outlet, key: &str, members: &BTreeMap<String, Template>) {
    if members.is_empty() {
        return;
    }
    out.key(key);
    out.open_object();
    each_member(members, |name, value| {
        out.template_member(name, Some(value));
    });
    out.close_object();
}
