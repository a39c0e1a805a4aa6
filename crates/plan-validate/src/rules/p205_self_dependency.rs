//! P205 self-dependency: a step that names itself in `depends_on`.

use plan_model::edit::Edit;

use super::{further, place};
use crate::facts::Facts;
use crate::finding::{Applicability, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P205",
    "self-dependency",
    Severity::Error,
    include_str!("../../rules/P205-self-dependency.md"),
    Check::Step(check),
);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let (index, step) = (visit.index, visit.step);
    // what follows by position waits for another step, of the same name perhaps
    if facts.origin.is_positional(index) {
        return;
    }
    let mut places = step
        .depends_on
        .iter()
        .enumerate()
        .filter(|(_, dependency)| **dependency == step.id)
        .map(|(at, _)| place::dependency(index, at));
    let Some(first) = places.next() else {
        return;
    };
    let message = format!("step {} waits for itself", quoted(&step.id));
    let places = places.map(|again| (again, "and here again"));
    // it may also be another step's name that was meant, so a person decides
    let finding = RULE.at(first.clone(), message).suggest(
        "take it out, or name the step that was meant",
        Applicability::MaybeIncorrect,
        Some(Edit::Remove { pointer: first }),
    );
    findings.add(further::places(finding, places));
}
