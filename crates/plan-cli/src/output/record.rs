//! A run record, for people.

use planwright::run::RunRecord;
use serde_json::Value;

use super::{print, say};

/// The record as JSON.
pub(crate) fn record_json(record: &RunRecord) -> Value {
    // a record is plain data: it always has a JSON form
    serde_json::to_value(record).unwrap_or_default()
}

/// Writes what a person wants to know: how it ended, what failed, what is asked, and the outputs.
///
/// The outputs go to standard output, one `name: JSON` a line; all else to standard error.
pub(crate) fn show_record(record: &RunRecord) {
    let json = record_json(record);
    let run = text(&json, "run_id");
    say(format!("run {run}: {}", text(&json, "status")));
    if let Some(steps) = json.get("steps").and_then(Value::as_object) {
        let mut steps: Vec<_> = steps.iter().collect();
        steps.sort_by_key(|(id, _)| *id);
        for (id, step) in steps {
            show_step(id, step);
        }
    }
    // a step's own failure was just told
    if let Some(failure) = json
        .get("failure")
        .filter(|failure| failure.is_object() && text(failure, "step").is_empty())
    {
        say(format!("failure: {}", failure_text(failure)));
    }
    for request in json
        .get("waiting")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        say(format!(
            "waiting: step `{}` asks ({}, request `{}`): {}",
            text(request, "step"),
            text(request, "kind"),
            text(request, "request_id"),
            text(request, "prompt"),
        ));
        let answer = if text(request, "kind") == "question" {
            "text:…"
        } else {
            "approve"
        };
        say(format!(
            "  planwright resume {run} --answer '{}={answer}'",
            text(request, "step")
        ));
    }
    if let Some(outputs) = json.get("outputs").and_then(Value::as_object) {
        let mut outputs: Vec<_> = outputs.iter().collect();
        outputs.sort_by_key(|(name, _)| *name);
        for (name, value) in outputs {
            print(format!("{name}: {value}"));
        }
    }
}

/// A step that a person has to know of; the rest of the record says the others.
fn show_step(id: &str, step: &Value) {
    match text(step, "status") {
        "failed" => {
            let failure = step.get("failure").map(failure_text).unwrap_or_default();
            say(format!("step `{id}` failed: {failure}"));
        }
        "in_doubt" => say(format!(
            "step `{id}` is in doubt: nobody knows whether its call took effect; --in-doubt '{id}=retry', '{id}=failed' or '{id}=succeeded:{{…}}' decides"
        )),
        _ => {}
    }
}

/// Class, message, and the last line of what went to standard error.
fn failure_text(failure: &Value) -> String {
    let mut said = format!("{}: {}", text(failure, "class"), text(failure, "message"));
    let tail = text(failure, "stderr_tail").trim();
    if let Some(last) = tail.lines().last() {
        said.push_str(" (");
        said.push_str(last);
        said.push(')');
    }
    said
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
