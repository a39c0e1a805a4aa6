//! P403 reference-not-upstream: a reference to a step that cannot have ended when it is read.
//!
//! A step reads neither itself, nor the fan-out that it runs within, nor a body
//! step of a fan-out that it is outside of. `until` reads its own body. What
//! waits for the reader closes a cycle and is P203's.

use std::collections::BTreeMap;

use plan_model::{Pointer, StepConfig, StepKind};

use super::{further, name, place, scope};
use crate::facts::{Facts, Site, Use};
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P403",
    "reference-not-upstream",
    Severity::Error,
    include_str!("../../rules/P403-reference-not-upstream.md"),
    Check::Plan(check),
);

/// Why the step that is read cannot have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// It is the reader.
    Itself,
    /// It is a fan-out, and the reader runs within it.
    Around,
    /// It is in the body of this fan-out, and the reader is not.
    Inside(usize),
}

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut found: BTreeMap<(usize, usize), (Why, Vec<&Use<'_>>)> = BTreeMap::new();
    // in a plan without bodies a step sees every other one
    let has_bodies = !facts.of_kind(StepKind::FanOut).is_empty();
    for read in &facts.uses {
        // a plan output that names a body step is P410's
        let Some(reader) = read.step else { continue };
        let named = read.steps();
        for target in named.filter(|target| has_bodies || *target == reader) {
            if let Some(why) = why(facts, read, reader, target) {
                let (_, places) = found.entry((reader, target)).or_insert((why, Vec::new()));
                places.push(read);
            }
        }
    }
    for ((reader, target), (why, places)) in found {
        let mut places = places.into_iter();
        let Some(first) = places.next() else { continue };
        let finding = finding(facts, first.pointer(), (reader, target), why);
        let places = places.map(|place| (place.pointer(), "read here too"));
        findings.add(further::places(finding, places));
    }
    collected(facts, findings);
}

fn why(facts: &Facts<'_>, read: &Use<'_>, reader: usize, target: usize) -> Option<Why> {
    if reader == target {
        return Some(Why::Itself);
    }
    if read.site == Site::Until && facts.owner(target) == Some(reader) {
        return None;
    }
    beyond(facts, reader, target)
}

/// Why a step that is not the reader is out of its sight.
fn beyond(facts: &Facts<'_>, reader: usize, target: usize) -> Option<Why> {
    if scope::is_within(facts, reader, target) {
        return Some(Why::Around);
    }
    let owner = facts.owner(target)?;
    (!scope::is_within(facts, reader, owner)).then_some(Why::Inside(owner))
}

/// `from_steps` reads too.
fn collected(facts: &Facts<'_>, findings: &mut Findings) {
    for (reader, step) in facts.of_kinds(&[StepKind::FanIn]) {
        let StepConfig::FanIn(fan) = &step.config else {
            continue;
        };
        for (at, id) in fan.from_steps.iter().enumerate() {
            // to collect from itself is P505's
            let target = facts.index_of(id).filter(|target| *target != reader);
            let Some((target, why)) =
                target.and_then(|target| Some((target, beyond(facts, reader, target)?)))
            else {
                continue;
            };
            let pointer = place::config(reader, "from_steps").join(at);
            findings.add(finding(facts, pointer, (reader, target), why));
        }
    }
}

fn finding(facts: &Facts<'_>, at: Pointer, (reader, target): (usize, usize), why: Why) -> Finding {
    let finding = RULE.at(at, message(facts, reader, target, why));
    match why {
        Why::Inside(owner) => finding
            .related(
                place::config(owner, "spawn_steps"),
                "the body that it is in",
            )
            .help(format!(
                "read the `results` of {} instead",
                name::of(facts, owner)
            )),
        Why::Itself | Why::Around => finding,
    }
}

fn message(facts: &Facts<'_>, reader: usize, target: usize, why: Why) -> String {
    let (reader, target) = (name::of(facts, reader), name::of(facts, target));
    match why {
        Why::Itself => format!("{reader} reads itself before it has ended"),
        Why::Around => format!("{reader} reads {target}, which ends only after it"),
        Why::Inside(owner) => format!(
            "{reader} reads {target}, which runs once for each item within {}",
            name::of(facts, owner)
        ),
    }
}
