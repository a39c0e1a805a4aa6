//! Attempts: begun in the journal first, ended once, not made for a step that is done.

use std::collections::{BTreeMap, BTreeSet};

use plan_run::{EventKind, StepPath};

use crate::simulate::agents::AgentsCall;
use crate::simulate::folded::{Ended, Folded};
use crate::simulate::simulated::Run;

pub(super) fn completed_stay(run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    let mut folded = Folded::default();
    for entry in &run.journal {
        if let EventKind::AttemptStarted(started) = &entry.event.kind
            && folded.ended.get(&started.step) == Some(&Ended::Succeeded)
        {
            broken.push(format!("{} #{}", started.step, started.attempt));
        }
        folded.take(&entry.event.kind);
    }
    broken
}

pub(super) fn end_once(run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    let mut open: BTreeSet<(&StepPath, u32)> = BTreeSet::new();
    for entry in &run.journal {
        match &entry.event.kind {
            EventKind::AttemptStarted(started) => {
                open.insert((&started.step, started.attempt));
            }
            EventKind::AttemptEnded { step, attempt, .. }
            | EventKind::Decided { step, attempt, .. }
                if !open.remove(&(step, *attempt)) =>
            {
                let name = entry.event.kind.name();
                broken.push(format!("{step} #{attempt}: {name}, and it was not open"));
            }
            _ => {}
        }
    }
    broken
}

pub(super) fn durable_first(run: &Run) -> Vec<String> {
    let mut begun: BTreeMap<(&StepPath, u32), usize> = BTreeMap::new();
    for (at, entry) in run.journal.iter().enumerate() {
        if let EventKind::AttemptStarted(started) = &entry.event.kind {
            begun.entry((&started.step, started.attempt)).or_insert(at);
        }
    }
    let early = run.effects.iter().filter(|call| {
        let at = begun.get(&(&call.step, call.attempt));
        at.is_none_or(|at| *at >= call.journal)
    });
    let mut broken: Vec<String> = early
        .map(|call| format!("{} #{}", call.step, call.attempt))
        .collect();
    for call in &run.agents_calls {
        let told = run.journal.iter().take(call.journal).any(|entry| {
            matches!(&entry.event.kind, EventKind::AgentCalled(called)
                if called.step == call.step && called.attempt == call.attempt && called.call == call.call)
        });
        if !told {
            let AgentsCall {
                step,
                attempt,
                call,
                ..
            } = call;
            broken.push(format!("{step} #{attempt} makes its call {call}"));
        }
    }
    broken
}
