//! The order of a journal: nothing begins before what it waits for has ended.

use plan_model::Join;
use plan_run::{EventKind, StepPath};

use crate::simulate::Simulation;
use crate::simulate::folded::{Ended, Folded};
use crate::simulate::simulated::Run;

pub(super) fn respected(of: &Simulation, run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    let mut folded = Folded::default();
    for entry in &run.journal {
        let kind = &entry.event.kind;
        let begins = match kind {
            EventKind::AttemptStarted(started) => Some(&started.step),
            EventKind::RequestOpened(request) => Some(&request.step),
            EventKind::BranchTaken { step, .. } => Some(step),
            _ => None,
        };
        if let Some(step) = begins
            && let Some(why) = too_early(of, &folded, step)
        {
            broken.push(format!("{} of {step}: {why}", kind.name()));
        }
        folded.take(kind);
    }
    broken
}

/// Why a step may not begin here.
fn too_early(of: &Simulation, folded: &Folded, step: &StepPath) -> Option<String> {
    let (plan, graph) = (of.plan.plan(), of.plan.graph());
    let (at, declared) = plan.step(step.step())?;
    for (condition, side) in graph.branch_of(at) {
        let condition = plan.steps.get(*condition)?;
        let condition = beside(of, step, &condition.id)?;
        if folded.chosen.get(&condition) != Some(side) {
            return Some(format!("`{condition}` did not choose it"));
        }
    }
    let (mut succeeded, mut others) = (0_usize, 0_usize);
    for dependency in graph.dependencies(at) {
        let dependency = plan.steps.get(*dependency)?;
        let path = beside(of, step, &dependency.id)?;
        match folded.ended.get(&path) {
            Some(Ended::Succeeded) => succeeded += 1,
            Some(_) => others += 1,
            None => return Some(format!("`{path}` has not ended")),
        }
    }
    let is_met = match declared.join {
        _ if succeeded + others == 0 => true,
        Join::All => others == 0,
        Join::Any => succeeded > 0,
        Join::Settled => true,
    };
    if is_met {
        None
    } else {
        Some("its join is not met".to_owned())
    }
}

/// The path of another step, as one that runs for the same items sees it.
fn beside(of: &Simulation, step: &StepPath, other: &plan_model::StepId) -> Option<StepPath> {
    let graph = of.plan.graph();
    let mut depth = 0;
    let mut owner = graph.owner(graph.index_of(other)?);
    while let Some(at) = owner {
        depth += 1;
        owner = graph.owner(at);
    }
    let mut items = step.items().iter().take(depth);
    let Some((first, index)) = items.next() else {
        return Some(StepPath::from(other));
    };
    let mut path = StepPath::from(first);
    let mut index = *index;
    for (owner, next) in items {
        path = path.item(index, owner.clone());
        index = *next;
    }
    Some(path.item(index, other.clone()))
}
