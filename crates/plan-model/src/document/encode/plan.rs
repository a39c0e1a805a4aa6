//! A plan but for its steps.

use super::step::write_step;
use crate::json::Outlet;
use crate::{Input, Metadata, Plan, PlanLimits, PlanOutput};

/// What a plan is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be read again: everything.
    Document,
    /// To be digested: without status and times.
    Digest,
}

pub(crate) fn write_plan(out: &mut dyn Outlet, plan: &Plan, purpose: Purpose) {
    out.open_object();
    if !plan.config.is_empty() {
        out.key("config");
        out.open_object();
        for (key, value) in &plan.config {
            // a config key is ASCII, so that both orders are one
            out.value_member(key.as_str(), Some(value));
        }
        out.close_object();
    }
    out.text_member("description", plan.description.as_deref());
    out.word_member("failure_policy", plan.failure_policy);
    if !plan.inputs.is_empty() {
        out.list("inputs", &plan.inputs, write_input);
    }
    if plan.limits != PlanLimits::default() {
        out.key("limits");
        write_limits(out, &plan.limits);
    }
    out.key("metadata");
    write_metadata(out, &plan.metadata, purpose);
    out.text_member("name", Some(&plan.name));
    if !plan.outputs.is_empty() {
        out.list("outputs", &plan.outputs, write_output);
    }
    out.list("steps", &plan.steps, write_step);
    out.close_object();
}

fn write_metadata(out: &mut dyn Outlet, metadata: &Metadata, purpose: Purpose) {
    let is_document = purpose == Purpose::Document;
    out.open_object();
    out.text_member("compiled_by", metadata.compiled_by.as_deref());
    if is_document {
        out.text_member("created_at", Some(&metadata.created_at.to_string()));
    }
    out.text_member("id", Some(&metadata.id.to_string()));
    out.text_member("intent", metadata.intent.as_deref());
    let parent = metadata.parent_plan_id.map(|id| id.to_string());
    out.text_member("parent_plan_id", parent.as_deref());
    out.whole_member("parent_version", metadata.parent_version);
    out.text_member("solution_design", metadata.solution_design.as_deref());
    if is_document {
        out.word_member("status", metadata.status);
        out.text_member("updated_at", Some(&metadata.updated_at.to_string()));
    }
    out.whole_member("version", Some(metadata.version));
    out.close_object();
}

fn write_input(out: &mut (dyn Outlet + '_), input: &Input) {
    out.open_object();
    out.value_member("default", input.default.as_ref());
    out.text_member("description", input.description.as_deref());
    out.word_member("input_kind", input.input_kind);
    out.text_member("name", Some(input.name.as_str()));
    out.truth_member("required", input.required, true);
    out.schema_member("schema", input.schema.as_ref());
    out.truth_member("sensitive", input.sensitive, false);
    out.word_member("value_type", input.value_type);
    out.close_object();
}

fn write_limits(out: &mut dyn Outlet, limits: &PlanLimits) {
    out.open_object();
    out.whole_member("max_concurrency", limits.max_concurrency);
    out.whole_member("max_fan_out_items", limits.max_fan_out_items);
    out.whole_member("max_model_tokens", limits.max_model_tokens);
    out.whole_member("max_steps", limits.max_steps);
    out.whole_member("max_tool_calls", limits.max_tool_calls);
    out.seconds_member("max_wall_secs", limits.max_wall_secs);
    out.close_object();
}

fn write_output(out: &mut (dyn Outlet + '_), output: &PlanOutput) {
    out.open_object();
    out.text_member("description", output.description.as_deref());
    out.text_member("name", Some(output.name.as_str()));
    out.key("source");
    out.shown(&output.source);
    out.close_object();
}
