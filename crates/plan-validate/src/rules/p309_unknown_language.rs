//! P309 unknown-language: a code language or an agent that nothing configures.

use std::collections::BTreeMap;

use plan_model::{Pointer, StepConfig, StepKind};

use super::further;
use crate::candidates;
use crate::facts::{Facts, step_pointer};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P309",
    "unknown-language",
    Severity::Error,
    include_str!("../../rules/P309-unknown-language.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut places: BTreeMap<(&str, &str), Vec<Pointer>> = BTreeMap::new();
    let kinds = [StepKind::CodeCall, StepKind::AgentCall];
    for (index, step) in facts.of_kinds(&kinds) {
        let (kind, name, known) = match &step.config {
            StepConfig::CodeCall(call) => {
                let known = facts.catalog.languages().contains_key(&call.language);
                ("language", call.language.as_str(), known)
            }
            StepConfig::AgentCall(call) => match &call.agent {
                Some(agent) => {
                    let known = facts.catalog.agents().contains_key(agent);
                    ("agent", agent.as_str(), known)
                }
                None => continue,
            },
            _ => continue,
        };
        let pointer = || step_pointer(index).join("config").join(kind);
        if !known && !facts.is_unread(&pointer()) {
            places.entry((kind, name)).or_default().push(pointer());
        }
    }
    for ((kind, name), places) in places {
        let policy = facts.policy;
        let known: Vec<&str> = if kind == "language" {
            let permitted = policy.languages.as_ref();
            let known = facts.catalog.languages().keys();
            known
                .filter(|name| permitted.is_none_or(|permitted| permitted.contains(*name)))
                .map(AsRef::as_ref)
                .collect()
        } else {
            let permitted = policy.agents.as_ref();
            let known = facts.catalog.agents().keys();
            known
                .filter(|name| permitted.is_none_or(|permitted| permitted.contains(*name)))
                .map(AsRef::as_ref)
                .collect()
        };
        let mut places = places.into_iter();
        let Some(first) = places.next() else { continue };
        let message = format!("there is no {kind} {}", text::quoted(name));
        let ranked = candidates::ranked(name, known.iter().copied());
        let finding = RULE.at(first, message).candidates(ranked);
        let note = format!("the same {kind}");
        let places = places.map(|place| (place, note.as_str()));
        findings.add(further::places(finding, places));
    }
}
