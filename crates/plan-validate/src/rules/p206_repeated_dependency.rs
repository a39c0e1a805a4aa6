//! P206 repeated-dependency: one dependency named twice. The order is the same without the second.

use std::collections::HashMap;

use plan_model::edit::Edit;

use super::place;
use crate::facts::Facts;
use crate::finding::{Applicability, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P206",
    "repeated-dependency",
    Severity::Warning,
    include_str!("../../rules/P206-repeated-dependency.md"),
    Check::Step(check),
);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let (index, step) = (visit.index, visit.step);
    if step.depends_on.len() < 2 {
        return;
    }
    let mut first = HashMap::with_capacity(step.depends_on.len());
    for (at, dependency) in step.depends_on.iter().enumerate() {
        let Some(before) = first.insert(dependency, at) else {
            continue;
        };
        first.insert(dependency, before);
        // a name that is wrong already has its finding, with every place
        if *dependency == step.id || facts.graph.index_of(dependency).is_none() {
            continue;
        }
        let again = place::dependency(index, at);
        let message = format!("{} is a dependency already", quoted(dependency));
        findings.add(
            RULE.at(again.clone(), message)
                .related(place::dependency(index, before), "named here first")
                .suggest(
                    "remove this entry",
                    Applicability::MachineApplicable,
                    Some(Edit::Remove { pointer: again }),
                ),
        );
    }
}
