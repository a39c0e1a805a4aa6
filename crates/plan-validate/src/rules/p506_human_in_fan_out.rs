//! P506 human-in-fan-out: a question to a person in the body of a fan-out.

use plan_model::StepKind;

use super::place;
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P506",
    "human-in-fan-out",
    Severity::Error,
    include_str!("../../rules/P506-human-in-fan-out.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    for (index, step) in facts.of_kinds(&[StepKind::HumanInteraction]) {
        let Some((at, owner)) = facts
            .graph
            .owner(index)
            .and_then(|owner| Some((owner, facts.step(owner)?)))
        else {
            continue;
        };
        let message = format!(
            "{} would ask a person once for each item of {}",
            quoted(&step.id),
            quoted(&owner.id),
        );
        findings.add(
            RULE.at(place::config(index, "type"), message)
                .related(place::config(at, "spawn_steps"), "the body that it is in")
                .help("ask once, before or after the fan-out"),
        );
    }
}
