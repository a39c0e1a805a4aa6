//! A run as text: everything but its times.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use planwright::run::record::StepRecord;
use planwright::{RunRecord, StepStatus};
use serde_json::Value;

/// The record, a line a step: status, attempts, and what it came to.
pub(crate) fn record(record: &RunRecord) -> String {
    let mut text = format!("{}: {}\n", record.plan().name, record.status());
    for (path, step) in record.all_steps() {
        let _ = writeln!(text, "{path}: {}", line(step));
    }
    for (name, value) in record.outputs() {
        let _ = writeln!(text, "=> {name} {}", short(value));
    }
    text
}

fn line(step: &StepRecord) -> String {
    let mut line = match step.status {
        StepStatus::Skipped(reason) => return format!("skipped, {reason}"),
        status => status.to_string(),
    };
    if step.attempts.len() > 1 {
        let _ = write!(line, " in {} attempts", step.attempts.len());
    }
    let calls: usize = step
        .attempts
        .iter()
        .map(|attempt| attempt.calls.len())
        .sum();
    if calls > 0 {
        let _ = write!(line, " with {calls} calls");
    }
    if let Some(by) = &step.answered_by {
        let _ = write!(line, " by {by}");
    }
    if let Some(failure) = &step.failure {
        let _ = write!(line, ", {}: {}", failure.class, failure.message);
    }
    for (name, value) in step.outputs.iter() {
        // what a step declares says it too
        if !["stdout", "stderr", "exit_code", "report"].contains(&name.as_str()) {
            let _ = write!(line, ", {name} {}", short(value));
        }
    }
    line
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(60).collect();
    match chars.count() {
        0 => head,
        more => format!("{head}… and {more} more"),
    }
}

/// How often each step of the plan was tried, items together.
pub(crate) fn attempts(record: &RunRecord) -> String {
    let mut tried = BTreeMap::<String, usize>::new();
    for (path, step) in record.all_steps() {
        if !step.attempts.is_empty() {
            *tried.entry(path.step().to_string()).or_default() += step.attempts.len();
        }
    }
    let one = |(step, count): (&String, &usize)| format!("{step} {count}");
    tried.iter().map(one).collect::<Vec<_>>().join(", ")
}
