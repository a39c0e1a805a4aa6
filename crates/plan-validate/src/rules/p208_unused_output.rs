//! P208 unused-output: an output that is declared, read by nobody, and not published.
//!
//! Off unless policy turns it on: a plan may well declare what nobody needs yet.

use std::collections::{HashMap, HashSet};

use plan_model::{Root, Segment, StepConfig};

use super::place;
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P208",
    "unused-output",
    Severity::Note,
    include_str!("../../rules/P208-unused-output.md"),
    Check::Plan(check),
)
.off();

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut whole = collected(facts);
    let mut read: HashMap<usize, HashSet<&str>> = HashMap::new();
    for path in facts.uses.iter().flat_map(|read| read.reference.paths()) {
        let Root::Step(id) = &path.root else { continue };
        let Some(step) = facts.index_of(id) else {
            continue;
        };
        match path.segments.first() {
            Some(Segment::Name(output)) => {
                read.entry(step).or_default().insert(output);
            }
            Some(Segment::Index(_)) | None => {
                whole.insert(step);
            }
        }
    }
    for (index, step) in facts.steps().filter(|(index, _)| !whole.contains(index)) {
        let read = read.get(&index);
        for (at, output) in step.outputs.iter().enumerate() {
            let name = output.name.as_str();
            if !read.is_some_and(|read| read.contains(name)) {
                let message = format!(
                    "nobody reads the output {} of {}",
                    quoted(name),
                    quoted(&step.id)
                );
                findings.add(RULE.at(place::step_output(index, at).join("name"), message));
            }
        }
    }
}

/// Steps whose outputs are taken as a whole: by a `FAN_IN`, and those of the last step of a body.
fn collected(facts: &Facts<'_>) -> HashSet<usize> {
    facts
        .steps()
        .flat_map(|(_, step)| match &step.config {
            StepConfig::FanIn(fan) => fan.from_steps.as_slice(),
            StepConfig::FanOut(fan) => fan.spawn_steps.last().map_or(&[][..], std::slice::from_ref),
            _ => &[],
        })
        .filter_map(|id| facts.index_of(id))
        .collect()
}
