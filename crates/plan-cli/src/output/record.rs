//! A run record, for people.

use planwright::run::record::StepRecord;
use planwright::run::{Failure, Request, RequestKind, RunRecord, RunStatus, StepPath, StepStatus};
use serde_json::Value;

use super::{data, print, say};
use crate::store::Place;

/// The most characters that are shown of a message.
pub(super) const SHORT: usize = 1_000;
/// The most characters that are shown of what a person answers to.
pub(super) const LONG: usize = 100_000;

/// The most failures of items that are shown.
const FAILURES: usize = 10;

/// How much of a record a person wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// How it ended: what happened before was shown as it happened.
    Ends,
    /// Every step.
    Whole,
}

/// The record as JSON.
pub(crate) fn record_json(record: &RunRecord) -> Value {
    // a record is plain data: it always has a JSON form
    serde_json::to_value(record).unwrap_or_default()
}

/// Writes what a person wants to know: how it ended, what failed, what is asked, and the outputs.
///
/// The outputs go to standard output, one `name: JSON` a line; all else to standard error.
pub(crate) fn show_record(record: &RunRecord, place: &Place, detail: Detail) {
    say(format!("run {}: {}", record.run_id(), record.status()));
    if detail == Detail::Whole {
        show_steps(record.steps());
    }
    let mut failures = 0;
    for (path, step) in record.all_steps() {
        if step.status == StepStatus::Failed && !path.items().is_empty() {
            failures += 1;
            if failures > FAILURES {
                continue;
            }
        }
        show_trouble(record, &path, step, place);
    }
    if failures > FAILURES {
        let more = failures - FAILURES;
        say(format!("and {more} more steps of items failed"));
    }
    if let Some(cancelled) = record.cancelled() {
        let reason = cancelled.reason.as_deref().unwrap_or("no reason was given");
        say(format!(
            "cancelled by {}: {}",
            cancelled.by,
            data(reason, SHORT)
        ));
    }
    // a step's own failure was just told
    if let Some(failure) = record.failure().filter(|failure| failure.step.is_none()) {
        say(format!("failure: {}", failure_text(failure)));
    }
    for request in record.waiting() {
        show_request(record, request, place);
    }
    if detail == Detail::Whole
        && record.status() == RunStatus::Running
        && let Some(command) = place.resume(record.run_id())
    {
        say(
            "it is under way or was interrupted; where no process drives it, this goes on with it:",
        );
        say(format!("  {command}"));
    }
    let mut outputs: Vec<_> = record.outputs().iter().collect();
    outputs.sort_by_key(|(name, _)| *name);
    for (name, value) in outputs {
        print(format!("{name}: {value}"));
    }
}

/// One line for every step, in the order of the plan.
fn show_steps(steps: &[StepRecord]) {
    let width = steps.iter().map(|step| step.id.as_str().chars().count());
    let width = width.max().unwrap_or_default().min(32);
    for step in steps {
        let reason = match &step.status {
            StepStatus::Skipped(reason) => format!(" ({reason})"),
            _ => String::new(),
        };
        let attempts = match step.attempts.len() {
            0 | 1 => String::new(),
            more => format!(", {more} attempts"),
        };
        say(format!(
            "  {:width$}  {}{reason}{attempts}{}{}",
            step.id.as_str(),
            step.status,
            items_text(step),
            confinement_text(step)
        ));
    }
}

/// How many items a fan-out began, and how they stand.
fn items_text(step: &StepRecord) -> String {
    if step.items.is_empty() {
        return String::new();
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for item in &step.items {
        let status = item.status.as_str();
        match counts.iter_mut().find(|(known, _)| *known == status) {
            Some((_, count)) => *count += 1,
            None => counts.push((status, 1)),
        }
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    format!(", items: {}", counts.join(", "))
}

/// What the last attempt of a script was held to.
fn confinement_text(step: &StepRecord) -> String {
    let end = step
        .attempts
        .last()
        .and_then(|attempt| attempt.end.as_ref());
    let Some(held) = end.and_then(|end| end.confinement.as_ref()) else {
        return String::new();
    };
    if held.held.is_empty() {
        return ", without a sandbox".to_owned();
    }
    let missing: Vec<&str> = held.missing.iter().map(|part| part.as_str()).collect();
    if missing.is_empty() {
        ", in a sandbox".to_owned()
    } else {
        format!(
            ", in a sandbox that does not hold {}",
            missing.join(" and ")
        )
    }
}

/// What went wrong at a step.
fn show_trouble(record: &RunRecord, id: &StepPath, step: &StepRecord, place: &Place) {
    match step.status {
        StepStatus::Failed => {
            let failure = step.failure.as_deref().map(failure_text);
            say(format!(
                "step `{id}` failed: {}",
                failure.unwrap_or_default()
            ));
        }
        StepStatus::InDoubt => {
            say(format!(
                "step `{id}` is in doubt: nobody knows whether its call took effect; decide with one of"
            ));
            if let Some(command) = place.resume(record.run_id()) {
                for decision in ["retry", "failed", "succeeded:{…}"] {
                    say(format!("  {command} --in-doubt '{id}={decision}'"));
                }
            }
        }
        _ => {}
    }
}

/// What is asked, and how to answer.
fn show_request(record: &RunRecord, request: &Request, place: &Place) {
    say(format!(
        "waiting: step `{}` asks ({}, request `{}`): {}",
        request.step,
        request.kind,
        request.id,
        data(&request.prompt, LONG),
    ));
    let answer = match request.kind {
        RequestKind::Question => "text:…",
        RequestKind::Approval | RequestKind::Effect => "approve",
    };
    match place.resume(record.run_id()) {
        Some(command) => say(format!("  {command} --answer '{}={answer}'", request.step)),
        None => say("  the run was kept in memory, and is gone; `--store sqlite:PATH` keeps it"),
    }
}

/// Class, message, and the last line of what went to standard error.
fn failure_text(failure: &Failure) -> String {
    let mut said = format!("{}: {}", failure.class, data(&failure.message, SHORT));
    let tail = failure.stderr_tail.as_deref().unwrap_or_default().trim();
    if let Some(last) = tail.lines().last() {
        said.push_str(" (");
        said.push_str(&data(last, SHORT));
        said.push(')');
    }
    said
}
