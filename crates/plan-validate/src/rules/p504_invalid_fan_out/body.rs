//! The body of one fan-out: who is in it, and in which order it runs.

use std::collections::HashMap;

use plan_model::edit::Edit;
use plan_model::{FanOut, StepId};
use serde_json::Value;

use super::RULE;
use crate::facts::Facts;
use crate::finding::Applicability;
use crate::findings::Findings;
use crate::rules::{name, place, scope};
use crate::text::quoted;

/// What the graph says of the order of steps.
#[derive(Debug)]
pub(super) struct Order {
    /// The place of each step, where there is no cycle.
    positions: Vec<usize>,
    /// For each step of a cycle the number of that cycle: no order is asked of its members.
    cycles: HashMap<usize, usize>,
}

impl Order {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let mut positions = Vec::new();
        if let Some(order) = facts.graph.order() {
            positions.resize(order.len(), 0);
            for (position, step) in order.iter().enumerate() {
                if let Some(slot) = positions.get_mut(*step) {
                    *slot = position;
                }
            }
        }
        let cycles = facts.graph.cycle_members().into_iter().enumerate();
        let cycles = cycles
            .flat_map(|(cycle, members)| members.into_iter().map(move |step| (step, cycle)))
            .collect();
        Self { positions, cycles }
    }

    fn are_in_one_cycle(&self, a: usize, b: usize) -> bool {
        let cycle = self.cycles.get(&a);
        cycle.is_some() && cycle == self.cycles.get(&b)
    }
}

pub(super) fn check(
    facts: &Facts<'_>,
    owner: usize,
    fan: &FanOut,
    order: &Order,
    findings: &mut Findings,
) {
    let place = place::config(owner, "spawn_steps");
    if fan.spawn_steps.is_empty() {
        if !facts.is_unread(&place) {
            let message = format!("{} has no body", name::of(facts, owner));
            findings.add(RULE.at(place, message));
        }
        return;
    }
    let mut first: HashMap<&StepId, usize> = HashMap::with_capacity(fan.spawn_steps.len());
    for (at, id) in fan.spawn_steps.iter().enumerate() {
        let here = place.join(at);
        let before = *first.entry(id).or_insert(at);
        if before != at {
            let message = format!("{} is in this body already", quoted(id));
            let before = place.join(before);
            findings.add(RULE.at(here, message).related(before, "named here first"));
            continue;
        }
        let Some(step) = facts.index_of(id) else {
            continue;
        };
        if step == owner {
            findings.add(RULE.at(here, format!("{} spawns itself", quoted(id))));
            continue;
        }
        if let Some(other) = facts.owner(step).filter(|other| *other != owner) {
            let message = format!(
                "{} is in the body of {} already",
                quoted(id),
                name::of(facts, other)
            );
            let other = place::config(other, "spawn_steps");
            findings.add(RULE.at(here, message).related(other, "the first to own it"));
        }
    }
    for step in facts.graph.body(owner) {
        check_waits(facts, *step, findings);
    }
    check_order(facts, owner, order, findings);
}

/// A body step starts after its fan-out has, and so never waits for its end.
fn check_waits(facts: &Facts<'_>, index: usize, findings: &mut Findings) {
    let Some(step) = facts.step(index) else {
        return;
    };
    for (at, id) in step.depends_on.iter().enumerate() {
        let around = facts
            .index_of(id)
            .is_some_and(|named| named != index && scope::is_within(facts, index, named));
        if around {
            let message = format!(
                "{} waits for {}, which ends only after it",
                quoted(&step.id),
                quoted(id)
            );
            findings.add(RULE.at(place::dependency(index, at), message));
        }
    }
}

/// A body runs in the order in which it is listed, so that no step may wait for a later one.
fn check_order(facts: &Facts<'_>, owner: usize, order: &Order, findings: &mut Findings) {
    let body = facts.graph.body(owner);
    let positions: HashMap<usize, usize> = body.iter().copied().zip(0..).collect();
    let mut wrong = body.iter().enumerate().filter_map(|(at, step)| {
        let later = facts.graph.dependencies(*step).iter().find(|dependency| {
            !order.are_in_one_cycle(*step, **dependency)
                && positions
                    .get(dependency)
                    .is_some_and(|position| *position > at)
        });
        later.map(|later| (at, *step, *later))
    });
    let Some((_, step, later)) = wrong.next() else {
        return;
    };
    let place = place::config(owner, "spawn_steps");
    let message = |step, later| {
        format!(
            "{} comes before {}, which it waits for",
            name::of(facts, step),
            name::of(facts, later)
        )
    };
    let finding = wrong.fold(
        RULE.at(place.clone(), message(step, later)),
        |finding, (_, step, later)| finding.related(place::step(step), message(step, later)),
    );
    if order.positions.is_empty() {
        findings.add(finding);
        return;
    }
    let mut sorted = body.to_vec();
    sorted.sort_by_key(|step| order.positions.get(*step).copied());
    let ids = sorted.iter().filter_map(|step| facts.step(*step));
    findings.add(finding.suggest(
        "list the body in the order of its dependencies",
        Applicability::MaybeIncorrect,
        Some(Edit::Set {
            pointer: place,
            value: ids.map(|step| Value::from(step.id.as_str())).collect(),
        }),
    ));
}
