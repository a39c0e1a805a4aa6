//! What a step reads, in the order of its fields.

use serde_json::Value;

use super::syntax::{self, Path};
use super::view::{StepView, View};
use crate::within::{list, text};

/// Something that is read, and where.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) place: String,
    pub(super) path: Path,
    /// Whether it is read by `until`, which sees the item's own outputs.
    pub(super) is_until: bool,
}

/// Fields in which every string is read for references, by kind.
fn fields(kind: &str) -> &'static [&'static str] {
    match kind {
        "TOOL_CALL" => &["arguments"],
        "CODE_CALL" => &["file", "args", "stdin", "env", "working_dir"],
        "PROMPT_CALL" => &["system_prompt", "user_prompt"],
        "AGENT_CALL" => &["objective", "working_dir"],
        "HUMAN_INTERACTION" => &["prompt"],
        _ => &[],
    }
}

/// Every string in which references are read, with its place.
pub(super) fn strings<'c>(step: &StepView<'c>) -> Vec<(String, &'c str)> {
    let mut strings = Vec::new();
    for field in fields(step.kind) {
        if let Some(value) = step.value.pointer(&format!("/config/{field}")) {
            collect(value, step.place(&format!("/config/{field}")), &mut strings);
        }
    }
    strings
}

fn collect<'v>(value: &'v Value, place: String, strings: &mut Vec<(String, &'v str)>) {
    match value {
        Value::String(text) => strings.push((place, text)),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                collect(item, format!("{place}/{at}"), strings);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(member, format!("{place}/{name}"), strings);
            }
        }
        _ => {}
    }
}

/// Every path that a step reads.
pub(super) fn of_step(step: &StepView<'_>) -> Vec<Read> {
    let mut reads = Vec::new();
    let mut add = |place: &str, paths: Vec<Path>, is_until| {
        reads.extend(paths.into_iter().map(|path| Read {
            place: place.to_owned(),
            path,
            is_until,
        }));
    };
    for (place, text) in strings(step) {
        let references = syntax::in_text(text).unwrap_or_default();
        add(&place, references.into_iter().flatten().collect(), false);
    }
    match step.kind {
        "CONDITION" => add(
            &step.place("/config/expression"),
            syntax::in_expression(step.config("expression")),
            false,
        ),
        "FAN_OUT" => {
            add(
                &step.place("/config/over"),
                over(step).into_iter().collect(),
                false,
            );
            add(
                &step.place("/config/until"),
                syntax::in_expression(step.config("until")),
                true,
            );
        }
        _ => {}
    }
    reads
}

/// What a fan-out goes over: a reference, or `step.output` without its kind.
pub(super) fn over(step: &StepView<'_>) -> Option<Path> {
    let text = step.config("over");
    if text.starts_with("${") {
        return syntax::whole(text)?.into_iter().next();
    }
    syntax::path(&format!("step.{text}"))
}

/// The sources of the plan's outputs, with their places.
pub(super) fn of_outputs<'c>(view: &View<'c>) -> Vec<(String, &'c str)> {
    let outputs = list(view.plan, "/outputs").iter().enumerate();
    outputs
        .map(|(at, output)| (format!("/outputs/{at}/source"), text(output, "/source")))
        .collect()
}
