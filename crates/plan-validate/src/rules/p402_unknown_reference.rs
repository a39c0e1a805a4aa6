//! P402 unknown-reference: a reference to an input, config value, step, output or item that is not there.
//!
//! One finding for each missing name, with every place that reads it.

use std::collections::BTreeMap;

use plan_model::{ConfigKey, Path, Root, Segment};

use super::{further, place, scope, unknown_step};
use crate::candidates::ranked;
use crate::facts::{Facts, Naming, Site, Use};
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P402",
    "unknown-reference",
    Severity::Error,
    include_str!("../../rules/P402-unknown-reference.md"),
    Check::Plan(check),
);

/// A name that is not there. The order is that of the findings, before they are sorted by place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Missing<'a> {
    Input(&'a str),
    Config(&'a str),
    /// Of the step at this index.
    Output(usize, &'a str),
    /// Of the step at this index, which has outputs by name only.
    Index(usize, usize),
    Item(&'a str),
}

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    unknown_step::report(&RULE, Naming::Reference, facts, findings);
    let mut missing: BTreeMap<Missing<'_>, Vec<&Use<'_>>> = BTreeMap::new();
    for read in &facts.uses {
        for (path, step) in read.paths() {
            if let Some(name) = missing_name(facts, read, path, step) {
                let places = missing.entry(name).or_default();
                // one text may read a name twice
                if places
                    .last()
                    .is_none_or(|last| last.pointer() != read.pointer())
                {
                    places.push(read);
                }
            }
        }
    }
    for (count, (name, places)) in missing.into_iter().enumerate() {
        let mut places = places.into_iter();
        let Some(first) = places.next() else { continue };
        let mut finding = RULE.at(first.pointer(), message(facts, name));
        if count < facts.limits.findings {
            finding = with_candidates(facts, finding, name, first);
        }
        let places = places.map(|place| (place.pointer(), "read here too"));
        findings.add(further::places(finding, places));
    }
}

/// The name on a path that is not there. A missing step is [`unknown_step`]'s.
fn missing_name<'a>(
    facts: &Facts<'_>,
    read: &Use<'_>,
    path: &'a Path,
    step: Option<usize>,
) -> Option<Missing<'a>> {
    match &path.root {
        Root::Input(name) => facts
            .input(name.as_str())
            .is_none()
            .then_some(Missing::Input(name.as_str())),
        Root::Config(key) => {
            (!facts.plan.config.contains_key(key)).then_some(Missing::Config(key.as_str()))
        }
        Root::Item(name) => (!items(facts, read).any(|known| *name == *known))
            .then_some(Missing::Item(name.as_str())),
        Root::Step(_) => {
            let step = step?;
            match path.segments.first()? {
                Segment::Name(output) => (!facts.has_output(step, output)
                    && !are_outputs_unread(facts, step))
                .then_some(Missing::Output(step, output)),
                Segment::Index(index) => Some(Missing::Index(step, *index)),
            }
        }
        Root::Secret(_) => None,
    }
}

/// Whether the step's outputs cannot be told, since the reader has a problem with them.
fn are_outputs_unread(facts: &Facts<'_>, step: usize) -> bool {
    let place = place::step(step);
    facts.is_unread(&place.join("config"))
        || facts.is_unread_within(&place.join("outputs"))
        || facts.is_unread(&place.join("config").join("response_field"))
        || facts.is_unread(&place.join("config").join("output_field"))
        || facts.is_unread(&place.join("config").join("collect_field"))
}

/// The item variables at the place of a reference.
fn items<'f>(facts: &'f Facts<'_>, read: &Use<'_>) -> impl Iterator<Item = &'f str> + 'f {
    let within = read.step.filter(|_| read.site == Site::Until);
    read.step
        .into_iter()
        .flat_map(move |step| scope::item_names(facts, step, within))
}

fn message(facts: &Facts<'_>, name: Missing<'_>) -> String {
    let id = |step: usize| quoted(facts.step(step).map_or("", |step| step.id.as_str()));
    match name {
        Missing::Input(name) => format!("there is no input {}", quoted(name)),
        Missing::Config(key) => format!("there is no config value {}", quoted(key)),
        Missing::Output(step, name) => format!("step {} has no output {}", id(step), quoted(name)),
        Missing::Index(step, index) => {
            format!(
                "step {} has its outputs by name, and so no `[{index}]`",
                id(step)
            )
        }
        Missing::Item(name) => {
            format!("no fan-out around this place has the item {}", quoted(name))
        }
    }
}

fn with_candidates(
    facts: &Facts<'_>,
    finding: Finding,
    name: Missing<'_>,
    read: &Use<'_>,
) -> Finding {
    match name {
        Missing::Input(name) => finding.candidates(ranked(
            name,
            facts.plan.inputs.iter().map(|i| i.name.as_str()),
        )),
        Missing::Config(key) => {
            finding.candidates(ranked(key, facts.plan.config.keys().map(ConfigKey::as_str)))
        }
        Missing::Output(step, name) => {
            finding.candidates(ranked(name, facts.outputs(step).names()))
        }
        Missing::Index(step, _) => finding.candidates(facts.outputs(step).names()),
        Missing::Item(name) => {
            let items: Vec<&str> = items(facts, read).collect();
            finding.candidates(ranked(name, items))
        }
    }
}
