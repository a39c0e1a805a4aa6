//! P605 retry-repeats-effect: a retry of a call that is not safe to repeat.

use std::collections::BTreeMap;

use plan_model::{Effects, IdempotencyKeySupport, Pointer, StepConfig};

use crate::facts::{Facts, step_pointer};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P605",
    "retry-repeats-effect",
    Severity::Error,
    include_str!("../../rules/P605-retry-repeats-effect.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut assumed: BTreeMap<String, Vec<Pointer>> = BTreeMap::new();
    for (index, step) in facts.steps() {
        let retries = step
            .retry
            .as_ref()
            .is_some_and(|retry| retry.max_attempts > 1);
        if !retries {
            continue;
        }
        let at = step_pointer(index).join("retry");
        match &step.config {
            StepConfig::ToolCall(call) => {
                let Some(tool) = facts.tool(index) else {
                    continue;
                };
                let keyed = tool.spec.idempotency_key != IdempotencyKeySupport::None;
                if keyed || tool.spec.effects.safe_to_repeat() {
                    continue;
                }
                let name = text::quoted(&call.tool);
                if is_declared(tool.spec.effects) {
                    let message = format!(
                        "the tool {name} is neither read-only nor idempotent, and a retry may act twice"
                    );
                    findings.add(
                        RULE.at(at, message)
                            .help("leave the retry out, or let the tool take an idempotency key"),
                    );
                } else {
                    assumed
                        .entry(format!("the tool {name}"))
                        .or_default()
                        .push(at);
                }
            }
            StepConfig::CodeCall(call) => {
                let name = format!("a script in {}", text::quoted(&call.language));
                assumed.entry(name).or_default().push(at);
            }
            StepConfig::AgentCall(call) => {
                let name = match &call.agent {
                    Some(agent) => format!("the work of the agent {}", text::quoted(agent)),
                    None => "the work of an agent".to_owned(),
                };
                assumed.entry(name).or_default().push(at);
            }
            _ => {}
        }
    }
    for (what, places) in assumed {
        let mut places = places.into_iter();
        let Some(first) = places.next() else { continue };
        let message = format!(
            "nobody says that {what} is safe to repeat: only failures without an effect are retried"
        );
        let mut finding = RULE.at(first, message).severity(Severity::Note);
        for place in places {
            finding = finding.related(place, "the same");
        }
        findings.add(finding);
    }
}

/// Whether the host said that a call acts, and that a second one acts again.
fn is_declared(effects: Effects) -> bool {
    effects.idempotent.declared || (effects.destructive.declared && effects.destructive.holds)
}
