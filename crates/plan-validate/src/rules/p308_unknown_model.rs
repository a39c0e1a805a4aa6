//! P308 unknown-model: a model that the catalog does not have.
//!
//! A catalog without models says nothing about them: any name is taken, and each is warned of once. A model that the
//! policy lists is known to the host.

use std::collections::BTreeMap;

use plan_model::{ModelName, Pointer, StepConfig, StepKind};

use super::{further, place};
use crate::candidates;
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P308",
    "unknown-model",
    Severity::Error,
    include_str!("../../rules/P308-unknown-model.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let known = facts.catalog.models();
    let mut places: BTreeMap<&ModelName, Vec<Pointer>> = BTreeMap::new();
    for (index, step) in facts.of_kinds(&[StepKind::PromptCall]) {
        let StepConfig::PromptCall(call) = &step.config else {
            continue;
        };
        let is_known = match known {
            Some(known) => known.contains_key(&call.model),
            // what the policy says of a model is its own finding
            None => facts.policy.models.is_some(),
        };
        let pointer = || place::config(index, "model");
        if !is_known && !facts.is_unread(&pointer()) {
            places.entry(&call.model).or_default().push(pointer());
        }
    }
    for (model, places) in places {
        let mut places = places.into_iter();
        let Some(first) = places.next() else { continue };
        let name = text::quoted(model);
        let finding = match known {
            Some(known) => {
                let permitted = facts.policy.models.as_ref();
                let known = known
                    .keys()
                    .filter(|model| permitted.is_none_or(|permitted| permitted.contains(*model)));
                let known: Vec<&str> = known.map(AsRef::as_ref).collect();
                let ranked = candidates::ranked(model.as_ref(), known.iter().copied());
                RULE.at(first, format!("there is no model {name}"))
                    .candidates(ranked)
            }
            None => RULE
                .at(
                    first,
                    format!(
                        "whether there is a model {name} is not known: the catalog names no models"
                    ),
                )
                .severity(Severity::Warning)
                .help(format!("add {name} to `models` of the catalog")),
        };
        let places = places.map(|place| (place, "the same model"));
        findings.add(further::places(finding, places));
    }
}
