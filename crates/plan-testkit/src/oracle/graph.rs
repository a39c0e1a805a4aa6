//! What waits for what.

use super::view::{StepView, View};
use crate::within::names;

/// One step waits for another, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// Every edge between two different steps: `depends_on`, references, `from_steps`.
pub(super) fn written(view: &View<'_>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for step in &view.steps {
        let mut waits: Vec<String> = names(step.value, "/depends_on")
            .into_iter()
            .map(str::to_owned)
            .collect();
        waits.extend(
            names(step.value, "/config/from_steps")
                .into_iter()
                .map(str::to_owned),
        );
        let reads = view.reads.get(step.at).into_iter().flatten();
        let reads = reads.filter(|read| read.path.kind == "step");
        waits.extend(reads.map(|read| read.path.name.clone()));
        for id in waits {
            if let Some(to) = view.step(&id)
                && to.at != step.at
            {
                edges.push(Edge {
                    from: step.at,
                    to: to.at,
                });
            }
        }
    }
    edges
}

/// Edges between siblings: what a body step waits for outside, its fan-out waits for.
pub(super) fn effective(view: &View<'_>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for edge in written(view) {
        let (Some(from), Some(to)) = (view.steps.get(edge.from), view.steps.get(edge.to)) else {
            continue;
        };
        if let Some((from, to)) = siblings(view, from, to)
            && from != to
        {
            edges.push(Edge { from, to });
        }
    }
    edges
}

/// The two that hold these steps and are in one body, or both in the main flow.
pub(super) fn siblings(
    view: &View<'_>,
    one: &StepView<'_>,
    other: &StepView<'_>,
) -> Option<(usize, usize)> {
    let chain = |step: &StepView<'_>| {
        let mut chain = vec![step.at];
        chain.extend(view.around(step).iter().map(|owner| owner.at));
        chain
    };
    let scope = |at: usize| {
        view.steps
            .get(at)
            .and_then(|step| view.owner(step))
            .map(|owner| owner.at)
    };
    for from in chain(one) {
        for to in chain(other) {
            if scope(from) == scope(to) {
                return Some((from, to));
            }
        }
    }
    None
}

/// Everything that a step waits for, through others too.
pub(super) fn upstream(edges: &[Edge], from: usize) -> Vec<usize> {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(at) = reached.get(next).copied() {
        for edge in edges.iter().filter(|edge| edge.from == at) {
            if !reached.contains(&edge.to) {
                reached.push(edge.to);
            }
        }
        next += 1;
    }
    reached.remove(0);
    // on a circle a step waits for itself
    let is_on_a_circle = reached.iter().any(|at| {
        edges.contains(&Edge {
            from: *at,
            to: from,
        })
    });
    if is_on_a_circle {
        reached.push(from);
    }
    reached
}
