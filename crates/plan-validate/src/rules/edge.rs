//! Where an edge of the graph stands in the plan.

use plan_model::{Pointer, StepConfig, StepId};

use super::place;
use crate::facts::Facts;

/// The place that makes one step wait for another.
#[derive(Debug)]
pub(super) struct EdgePlace {
    /// The step that holds the place: the waiting one, or one of its body.
    pub(super) holder: usize,
    pub(super) how: How,
    pub(super) pointer: Pointer,
}

/// How a place makes a step wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// By an entry of `depends_on`.
    Declared,
    /// By nothing but the order of a planner's list.
    Position,
    /// By a reference.
    Read,
    /// By an entry of `from_steps`.
    Collected,
}

impl How {
    /// What the holder does with the step that it waits for.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::Declared => "waits for",
            Self::Position => "follows by position",
            Self::Read => "reads",
            Self::Collected => "collects from",
        }
    }
}

/// The first place that makes `step` wait for `dependency`: its own, or else one of its body's.
pub(super) fn place_of(facts: &Facts<'_>, step: usize, dependency: usize) -> Option<EdgePlace> {
    let mut holders = vec![step];
    while let Some(holder) = holders.pop() {
        if let Some((how, pointer)) = place_in(facts, holder, dependency) {
            return Some(EdgePlace {
                holder,
                how,
                pointer,
            });
        }
        let body = facts.graph.body(holder).iter().rev();
        holders.extend(body.filter(|inner| facts.graph.is_inside(**inner, holder)));
    }
    None
}

/// The place in this step alone.
fn place_in(facts: &Facts<'_>, holder: usize, dependency: usize) -> Option<(How, Pointer)> {
    let step = facts.step(holder)?;
    let names = |id: &StepId| {
        facts
            .index_of(id)
            .is_some_and(|named| named == dependency || facts.graph.is_inside(named, dependency))
    };
    let read = || {
        let mut reads = facts.uses_of(holder).iter();
        reads.find(|read| read.reference.steps().any(names))
    };
    if let Some(at) = step.depends_on.iter().position(names) {
        let place = place::dependency(holder, at);
        return Some(if !facts.origin.is_positional(holder) {
            (How::Declared, place)
        } else if let Some(read) = read() {
            // what is read as well does not come from position alone
            (How::Read, read.pointer())
        } else {
            (How::Position, place)
        });
    }
    if let Some(read) = read() {
        return Some((How::Read, read.pointer()));
    }
    let StepConfig::FanIn(fan) = &step.config else {
        return None;
    };
    let at = fan.from_steps.iter().position(names)?;
    let place = place::config(holder, "from_steps").join(at);
    Some((How::Collected, place))
}
