//! Circles: steps that wait for each other.

use super::Opinion;
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
    let mut circles: Vec<Vec<String>> = Vec::new();
    let mut known: Vec<usize> = Vec::new();
    for step in &view.steps {
        if known.contains(&step.at) || !view.waits(step.at, step.at) {
            continue;
        }
        let members = view
            .steps
            .iter()
            .filter(|other| view.are_in_a_circle(step.at, other.at));
        let members: Vec<(usize, String)> =
            members.map(|step| (step.at, step.id.to_owned())).collect();
        known.extend(members.iter().map(|(at, _)| *at));
        circles.push(members.into_iter().map(|(_, id)| id).collect());
    }
    circles
}
