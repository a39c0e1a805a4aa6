//! Effects that are not safe to repeat: counted in the world, not in the journal.

use std::collections::BTreeMap;

use plan_run::{Decision, EventKind, StepPath};

use crate::simulate::Performed;
use crate::simulate::simulated::Run;

pub(super) fn with_a_word(run: &Run) -> Vec<String> {
    let mut acts: BTreeMap<&StepPath, Vec<&Performed>> = BTreeMap::new();
    for call in &run.effects {
        if call.acted.is_some() && !call.is_repeatable {
            acts.entry(&call.step).or_default().push(call);
        }
    }
    let mut broken = Vec::new();
    for (step, mut calls) in acts {
        // a process that slept may make its call after that of another: their numbers tell
        calls.sort_by_key(|call| call.attempt);
        for (first, second) in calls.iter().zip(calls.iter().skip(1)) {
            let (from, to) = (begun(run, first), begun(run, second));
            if first.attempt == second.attempt || !is_allowed(run, step, from, to) {
                broken.push(format!(
                    "{step}: attempt {} had its effect, and attempt {} had it again",
                    first.attempt, second.attempt
                ));
            }
        }
    }
    broken
}

/// Where the journal has the start of a call.
fn begun(run: &Run, call: &Performed) -> usize {
    let is_start = |kind: &EventKind| {
        matches!(kind, EventKind::AttemptStarted(started)
            if started.step == call.step && started.attempt == call.attempt)
    };
    let found = run
        .journal
        .iter()
        .position(|entry| is_start(&entry.event.kind));
    found.unwrap_or(call.journal)
}

/// Whether somebody decided between these entries that the step is made again.
fn is_allowed(run: &Run, step: &StepPath, from: usize, to: usize) -> bool {
    let between = run.journal.iter().take(to).skip(from);
    let mut kinds = between.map(|entry| &entry.event.kind);
    let decided = kinds.any(|kind| {
        matches!(kind, EventKind::Decided { step: of, decision: Decision::Retry, .. } if of == step)
    });
    let mut words = run.words.iter();
    decided || words.any(|word| (from..to).contains(&word.journal) && word.repeats.contains(step))
}
