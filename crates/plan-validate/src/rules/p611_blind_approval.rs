//! P611 blind-approval: the prompt of an approval lacks values of the call that it gates.
//!
//! Looked at are calls that are declared to change something. An approval gates the calls that start only
//! after it was given; the last one before a call is the one that is spoken of.

use std::collections::BTreeMap;

use plan_model::edit::Edit;
use plan_model::{Effects, Pointer, Reference, StepConfig};
use serde_json::Value;

use super::{name, place};
use crate::demand;
use crate::facts::{Facts, Use};
use crate::finding::{Applicability, Severity};
use crate::findings::Findings;
use crate::policy::Unapproved;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P611",
    "blind-approval",
    Severity::Warning,
    include_str!("../../rules/P611-blind-approval.md"),
    Check::Plan(check),
);

/// Values that one finding names beside the first.
const FURTHER: usize = 5;

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    if facts.approvals().is_empty() {
        return;
    }
    let mut blind: BTreeMap<usize, Vec<(usize, &Use<'_>)>> = BTreeMap::new();
    for (index, _) in facts.steps() {
        let acts = facts
            .tool(index)
            .is_some_and(|tool| acts(tool.spec.effects));
        if !acts || is_denied(facts, index) {
            continue;
        }
        let Some(last) = facts.approvals_before(index).next_back() else {
            continue;
        };
        if facts.approval_of(index).is_none() {
            // a prompt masks a sensitive input, and so can never show it
            let values = facts.unshown(last, index).map(|value| (index, value));
            let values = values.filter(|(_, value)| !facts.is_masked(value.reference));
            blind.entry(last).or_default().extend(values);
        }
    }
    for (approval, values) in blind {
        report(facts, approval, &values, findings);
    }
}

/// Whether the host says that a call changes something.
fn acts(effects: Effects) -> bool {
    let destroys = effects.destructive.declared && effects.destructive.holds;
    let writes = effects.read_only.declared && !effects.read_only.holds;
    let sends = effects.open_world.declared && effects.open_world.holds;
    destroys || writes || (sends && !effects.read_only.holds)
}

/// Whether P603 speaks of the call.
fn is_denied(facts: &Facts<'_>, step: usize) -> bool {
    facts.policy.require_approval.without == Unapproved::Deny
        && demand::of(facts, step).is_some_and(|demand| demand.declared)
}

fn report(
    facts: &Facts<'_>,
    approval: usize,
    values: &[(usize, &Use<'_>)],
    findings: &mut Findings,
) {
    let [(call, first), further @ ..] = values else {
        return;
    };
    let prompt = place::config(approval, "prompt");
    let message = format!(
        "the prompt of {} does not show {}, which {} sends once it is approved",
        name::of(facts, approval),
        quoted(first.reference.to_string()),
        name::of(facts, *call),
    );
    let mut finding = RULE
        .at(prompt.clone(), message)
        .related(first.pointer(), "sent without having been shown");
    for (_, value) in further.iter().take(FURTHER) {
        finding = finding.related(value.pointer(), "this too");
    }
    // what is known only later needs an approval of its own
    let late = values.iter().find(|(_, value)| {
        let mut steps = value.reference.steps();
        !steps.all(|id| is_known_at(facts, id, approval))
    });
    findings.add(match late {
        Some((call, value)) => finding.help(format!(
            "{} is known only after {}: ask before {} instead",
            quoted(value.reference.to_string()),
            name::of(facts, approval),
            name::of(facts, *call),
        )),
        None => finding.suggest(
            "show the values in the prompt",
            Applicability::MaybeIncorrect,
            shown(facts, approval, values, prompt),
        ),
    });
}

fn is_known_at(facts: &Facts<'_>, id: &plan_model::StepId, approval: usize) -> bool {
    facts
        .index_of(id)
        .is_some_and(|step| facts.owner(step).is_none() && facts.graph.is_upstream(step, approval))
}

/// The prompt with the values at its end.
fn shown(
    facts: &Facts<'_>,
    approval: usize,
    values: &[(usize, &Use<'_>)],
    pointer: Pointer,
) -> Option<Edit> {
    let StepConfig::HumanInteraction(ask) = &facts.step(approval)?.config else {
        return None;
    };
    let Value::String(mut prompt) = ask.prompt.to_value() else {
        return None;
    };
    let mut shown: Vec<&Reference> = Vec::new();
    for (_, value) in values {
        let reads_item = value
            .reference
            .paths()
            .any(|path| path.root.kind() == "item");
        if reads_item {
            return None;
        }
        if !shown.contains(&value.reference) {
            shown.push(value.reference);
            prompt.push('\n');
            prompt.push_str(&value.reference.to_string());
        }
    }
    Some(Edit::Set {
        pointer,
        value: prompt.into(),
    })
}
