//! The end of a run: that it comes, and that it is one.

use plan_run::{EventKind, StepPath};

use crate::simulate::Simulation;
use crate::simulate::folded::Folded;
use crate::simulate::simulated::Run;

pub(super) fn over(of: &Simulation, run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    let mut folded = Folded::default();
    for entry in &run.journal {
        let kind = &entry.event.kind;
        let may_follow = match kind {
            EventKind::LateResult { .. } => true,
            EventKind::RunResumed { reset, .. } => !reset.is_empty(),
            _ => false,
        };
        if folded.is_over && !may_follow {
            broken.push(format!("{} after the end", kind.name()));
        }
        folded.take(kind);
        if let EventKind::RunEnded { status, .. } = kind {
            let left = left(of, &folded);
            if !left.is_empty() {
                broken.push(format!("it ended as {status}, and {left:?} had not"));
            }
        }
    }
    if run.record.status().is_finished() {
        let open = run.record.all_steps().into_iter();
        let open = open.filter(|(_, step)| !step.status.is_ended());
        broken.extend(open.map(|(path, step)| format!("{path} is {}", step.status)));
    }
    broken
}

/// Steps of which the journal does not say how they ended.
fn left(of: &Simulation, folded: &Folded) -> Vec<StepPath> {
    let plan = &of.plan;
    let steps = plan.plan().steps.iter().enumerate();
    // the record says it of the steps of bodies
    let steps = steps.filter(|(at, _)| plan.graph().owner(*at).is_none());
    let paths = steps.map(|(_, step)| StepPath::from(&step.id));
    let mut left: Vec<StepPath> = paths
        .filter(|path| !folded.ended.contains_key(path))
        .collect();
    left.extend(folded.open.keys().cloned());
    left.extend(folded.asking.keys().cloned());
    left
}

pub(super) fn reached(run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    if run.is_stuck {
        broken.push("it goes in circles".to_owned());
    } else if !run.record.status().is_finished() {
        broken.push(format!(
            "nothing more happens, and it is {}",
            run.record.status()
        ));
    }
    broken
}

pub(super) fn entries_fit(run: &Run) -> Vec<String> {
    let refused = run.journal.iter().filter_map(|entry| {
        let refused = entry.refused.as_ref()?;
        Some(format!("{}: {refused}", entry.event.kind.name()))
    });
    refused.collect()
}
