//! P504: fan-outs and their bodies.

use serde_json::Value;

use super::Opinion;
use super::graph::Edge;
use super::paths::{self, Leads};
use super::reads;
use super::view::{StepView, View};
use crate::within::names;

pub(super) fn look(view: &View<'_>, opinion: &mut Opinion) {
    for step in view.steps.iter().filter(|step| step.kind == "FAN_OUT") {
        body(view, step, opinion);
        order(view, step, opinion);
        items(view, step, opinion);
    }
    rings(view, opinion);
    for step in &view.steps {
        let around = view.around(step);
        for (at, id) in names(step.value, "/depends_on").into_iter().enumerate() {
            if around.iter().any(|owner| owner.id == id) && !view.is_in_a_ring(step) {
                opinion.say("P504", step.place(&format!("/depends_on/{at}")));
            }
        }
    }
}

fn body(view: &View<'_>, step: &StepView<'_>, opinion: &mut Opinion) {
    let body = step.body();
    if body.is_empty() {
        opinion.say("P504", step.place("/config/spawn_steps"));
    }
    for (at, id) in body.iter().enumerate() {
        let is_repeated = body.iter().take(at).any(|other| other == id);
        let is_wrong = match view.step(id) {
            None => is_repeated,
            Some(inner) => {
                let is_another_s = view.owner(inner).is_some_and(|owner| owner.at != step.at);
                inner.at == step.at || is_repeated || is_another_s
            }
        };
        if is_wrong {
            opinion.say("P504", step.place(&format!("/config/spawn_steps/{at}")));
        }
    }
}

/// A body runs in the order in which it is listed.
fn order(view: &View<'_>, step: &StepView<'_>, opinion: &mut Opinion) {
    let mut body: Vec<usize> = Vec::new();
    for inner in step.body().iter().filter_map(|id| view.step(id)) {
        let is_here = view.owner(inner).is_some_and(|owner| owner.at == step.at);
        // a step that is listed again stands where it is listed first
        if is_here && !body.contains(&inner.at) {
            body.push(inner.at);
        }
    }
    for (place, first) in body.iter().enumerate() {
        for later in body.iter().skip(place + 1) {
            let waits = view.edges.contains(&Edge {
                from: *first,
                to: *later,
            });
            if waits && !view.are_in_a_circle(*first, *later) {
                opinion.say("P504", step.place("/config/spawn_steps"));
            }
        }
    }
}

fn items(view: &View<'_>, step: &StepView<'_>, opinion: &mut Opinion) {
    let most = step
        .value
        .pointer("/config/max_parallel")
        .and_then(Value::as_u64);
    let has_until = step.value.pointer("/config/until").is_some();
    if most == Some(0) || (most.is_some_and(|most| most > 1) && has_until) {
        opinion.say("P504", step.place("/config/max_parallel"));
    }
    if let Some(over) = reads::over(step)
        && let Leads::To(schema) = paths::of(view, step, &over)
        && schema
            .get("type")
            .and_then(Value::as_str)
            .is_some_and(|is| is != "array")
    {
        opinion.say("P504", step.place("/config/over"));
    }
}

/// Fan-outs that are in the bodies of each other: one finding, at the first of them.
fn rings(view: &View<'_>, opinion: &mut Opinion) {
    let mut told: Vec<usize> = Vec::new();
    for step in &view.steps {
        if view.is_in_a_ring(step) && !told.contains(&step.at) {
            opinion.say("P504", step.place("/config/spawn_steps"));
            told.push(step.at);
            let mut next = view.owner(step);
            while let Some(owner) = next.filter(|owner| !told.contains(&owner.at)) {
                told.push(owner.at);
                next = view.owner(owner);
            }
        }
    }
}
