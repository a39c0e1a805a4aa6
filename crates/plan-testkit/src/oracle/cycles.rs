//! Circles: steps that wait for each other.

use super::view::View;
use super::{Opinion, graph};
use crate::case::Case;

pub(super) fn look(view: &View<'_>, opinion: &mut Opinion) {
    for circle in of(view) {
        if let Some(first) = circle.first() {
            opinion.say("P203", first.clone());
        }
    }
}

/// The circles of a plan: the ids of the members of each, in the order of the document.
pub fn circles(case: &Case) -> Vec<Vec<String>> {
    of(&View::of(case))
}

/// Of two steps of one name nobody knows which is waited for, so that no circle goes through them.
fn of(view: &View<'_>) -> Vec<Vec<String>> {
    let is_alone = |at: usize| {
        let id = view.steps.get(at).map(|step| step.id);
        view.steps.iter().filter(|step| Some(step.id) == id).count() == 1
    };
    let edges = view.edges.iter();
    let edges: Vec<_> = edges
        .filter(|edge| is_alone(edge.from) && is_alone(edge.to))
        .copied()
        .collect();
    let waits = |step: usize, other: usize| graph::upstream(&edges, step).contains(&other);
    let mut circles: Vec<Vec<String>> = Vec::new();
    let mut known: Vec<usize> = Vec::new();
    for step in &view.steps {
        if known.contains(&step.at) || !waits(step.at, step.at) {
            continue;
        }
        let members = view
            .steps
            .iter()
            .filter(|other| waits(step.at, other.at) && waits(other.at, step.at));
        let members: Vec<(usize, String)> =
            members.map(|step| (step.at, step.id.to_owned())).collect();
        known.extend(members.iter().map(|(at, _)| *at));
        circles.push(members.into_iter().map(|(_, id)| id).collect());
    }
    circles
}
