//! P505 invalid-fan-in: no sources, a source twice, or itself.

use std::collections::HashMap;

use plan_model::{FanIn, StepConfig, StepId, StepKind};

use super::{place, unknown_step};
use crate::facts::{Facts, Naming};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P505",
    "invalid-fan-in",
    Severity::Error,
    include_str!("../../rules/P505-invalid-fan-in.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    unknown_step::report(&RULE, Naming::Source, facts, findings);
    for (index, step) in facts.of_kinds(&[StepKind::FanIn]) {
        if let StepConfig::FanIn(fan) = &step.config {
            check_sources(index, &step.id, fan, findings);
        }
    }
}

fn check_sources(index: usize, id: &StepId, fan: &FanIn, findings: &mut Findings) {
    let place = place::config(index, "from_steps");
    if fan.from_steps.is_empty() {
        let message = format!("{} collects from no step", quoted(id));
        findings.add(RULE.at(place, message));
        return;
    }
    let mut seen: HashMap<&StepId, usize> = HashMap::with_capacity(fan.from_steps.len());
    for (at, source) in fan.from_steps.iter().enumerate() {
        let first = *seen.entry(source).or_insert(at);
        if first != at {
            let message = format!("{} is collected from twice", quoted(source));
            let first = place.join(first);
            findings.add(
                RULE.at(place.join(at), message)
                    .related(first, "named here first"),
            );
        } else if source == id {
            let message = format!("{} collects from itself", quoted(id));
            findings.add(RULE.at(place.join(at), message));
        }
    }
}
