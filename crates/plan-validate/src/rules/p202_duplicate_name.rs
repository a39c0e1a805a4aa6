//! P202 duplicate-name: two steps, inputs, outputs of a step, or plan outputs of one name.
//!
//! One finding per name. Every other rule takes the name for its first bearer.

use std::collections::{BTreeMap, HashMap, HashSet};

use plan_model::Pointer;

use super::{further, place};
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P202",
    "duplicate-name",
    Severity::Error,
    include_str!("../../rules/P202-duplicate-name.md"),
    Check::Several(&[Check::Plan(check_plan), Check::Step(check_outputs)]),
);

fn check_plan(facts: &Facts<'_>, findings: &mut Findings) {
    let plan = facts.plan;
    let inputs = plan.inputs.iter().map(|input| input.name.as_str());
    report(
        "inputs",
        inputs,
        |at| place::input(at).join("name"),
        findings,
    );
    // the graph has a table of the ids already
    if facts.graph.has_repeated_ids() {
        let steps = plan.steps.iter().map(|step| step.id.as_str());
        report("steps", steps, |at| place::step(at).join("id"), findings);
    }
    let outputs = plan.outputs.iter().map(|output| output.name.as_str());
    report(
        "plan outputs",
        outputs,
        |at| place::output(at).join("name"),
        findings,
    );
}

fn check_outputs(_: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let outputs = visit.step.outputs.iter();
    let outputs = outputs.map(|output| output.name.as_str());
    let place = |at| place::step_output(visit.index, at).join("name");
    report("outputs of this step", outputs, place, findings);
}

/// The ids that more than one step has.
pub(super) fn steps<'a>(facts: &Facts<'a>) -> HashSet<&'a str> {
    let again = facts
        .steps()
        .filter(|(index, step)| facts.index_of(&step.id) != Some(*index));
    again.map(|(_, step)| step.id.as_str()).collect()
}

/// Up to so many names are compared each with each; more are put into a table.
const FEW: usize = 8;

fn are_distinct<'a>(mut names: impl Iterator<Item = &'a str> + Clone) -> bool {
    while let Some(name) = names.next() {
        if names.clone().any(|other| other == name) {
            return false;
        }
    }
    true
}

/// One finding for each name that comes twice, at its second bearer.
fn report<'a>(
    what: &str,
    names: impl ExactSizeIterator<Item = &'a str> + Clone,
    place: impl Fn(usize) -> Pointer,
    findings: &mut Findings,
) {
    if names.len() <= FEW && are_distinct(names.clone()) {
        return;
    }
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    let mut again: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, name) in names.enumerate() {
        if first.contains_key(name) {
            again.entry(name).or_default().push(at);
        } else {
            first.insert(name, at);
        }
    }
    for (name, bearers) in again {
        let [second, rest @ ..] = bearers.as_slice() else {
            continue;
        };
        let count = bearers.len() + 1;
        let message = format!("{count} {what} are named {}", quoted(name));
        let mut finding = RULE.at(place(*second), message);
        if let Some(at) = first.get(name) {
            finding = finding.related(place(*at), "the first of this name");
        }
        let places = rest.iter().map(|at| (place(*at), "named so again"));
        findings.add(further::places(finding, places));
    }
}
