//! P210 unused-input: an input that is declared and read nowhere.

use std::collections::HashSet;

use plan_model::{Input, InputKind, Pointer, Reference, Root};

use super::{
    literal_text, p401_malformed_reference, p407_reference_in_code, p412_foreign_reference, place,
};
use crate::candidates;
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P210",
    "unused-input",
    Severity::Note,
    include_str!("../../rules/P210-unused-input.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    // what could not be read may be where the input is read
    if facts.plan.inputs.is_empty() || facts.is_unread_within(&Pointer::root()) {
        return;
    }
    let read: HashSet<&str> = facts
        .uses
        .iter()
        .filter(|read| read.glance.input())
        .flat_map(|read| read.reference.paths())
        .filter_map(|path| input_of(&path.root))
        .collect();
    let unused: Vec<(usize, &Input)> = facts
        .plan
        .inputs
        .iter()
        .enumerate()
        .filter(|(index, input)| is_unused(facts, *index, input, &read))
        .collect();
    if unused.is_empty() {
        return;
    }
    let meant = meant(facts);
    for (index, input) in unused {
        if !meant.contains(input.name.as_str()) {
            let message = format!("no step reads the input {}", quoted(&input.name));
            findings.add(RULE.at(place::input(index).join("name"), message));
        }
    }
}

fn is_unused(facts: &Facts<'_>, index: usize, input: &Input, read: &HashSet<&str>) -> bool {
    let name = input.name.as_str();
    // a folder is a root of the run even where no step spells it out
    let is_root = input.input_kind == InputKind::DirectoryPath;
    let is_first = facts.input(name).is_some_and(|(first, _)| first == index);
    is_first && !is_root && !read.contains(name)
}

/// Inputs that the plan means to read and does not: other rules have findings where it tries to.
fn meant(facts: &Facts<'_>) -> HashSet<String> {
    let mut meant = meant_by_text(facts);
    let inputs = || facts.plan.inputs.iter().map(|input| input.name.as_str());
    for path in facts.uses.iter().flat_map(|read| read.reference.paths()) {
        if let Root::Input(name) = &path.root
            && facts.input(name.as_str()).is_none()
        {
            let close = candidates::closest(name.as_str(), inputs());
            meant.extend(close.into_iter().map(str::to_owned));
        }
    }
    meant
}

/// Inputs that text which is no reference means to read.
fn meant_by_text(facts: &Facts<'_>) -> HashSet<String> {
    let mut meant = HashSet::new();
    let mut note = |reference: &Reference| {
        meant.extend(input_of(&reference.first().root).map(str::to_owned));
    };
    literal_text::each_marked_of_plan(facts, &mut |literal| {
        p412_foreign_reference::meant(facts, literal)
            .iter()
            .for_each(&mut note);
        for (_, reference) in p401_malformed_reference::in_shell_syntax(facts, literal) {
            note(&reference);
        }
    });
    for (index, step) in facts.steps() {
        for (_, reference) in p407_reference_in_code::in_source(facts, index, step) {
            note(&reference);
        }
    }
    meant
}

fn input_of(root: &Root) -> Option<&str> {
    match root {
        Root::Input(name) => Some(name.as_str()),
        _ => None,
    }
}
