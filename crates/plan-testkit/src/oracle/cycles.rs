//! Circles: steps that wait for each other.

use super::Opinion;
use super::graph::{self, Edge};
use super::view::View;
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

fn of(view: &View<'_>) -> Vec<Vec<String>> {
    let edges = graph::effective(view);
    let mut circles: Vec<Vec<String>> = Vec::new();
    let mut known: Vec<usize> = Vec::new();
    for step in &view.steps {
        let members = members(&edges, step.at);
        if members.is_empty() || known.contains(&step.at) {
            continue;
        }
        circles.push(
            view.steps
                .iter()
                .filter(|step| members.contains(&step.at))
                .map(|step| step.id.to_owned())
                .collect(),
        );
        known.extend(members);
    }
    circles
}

/// The steps that wait for this one and that it waits for; itself too, where there are any.
pub(super) fn members(edges: &[Edge], at: usize) -> Vec<usize> {
    let upstream = graph::upstream(edges, at);
    upstream
        .iter()
        .copied()
        .filter(|other| graph::upstream(edges, *other).contains(&at))
        .collect()
}
