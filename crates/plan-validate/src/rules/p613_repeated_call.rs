//! P613 repeated-call: one call, with the same literal arguments, made by two steps.
//!
//! Only of tools of which the host said that a call changes something, and that a
//! second one is not the same as none.

use std::collections::{BTreeMap, HashMap};

use plan_model::{Digest, StepConfig, StepKind, Template, ToolCall};
use serde_json::{Map, Value};

use super::{further, name, place};
use crate::catalog::CatalogTool;
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P613",
    "repeated-call",
    Severity::Warning,
    include_str!("../../rules/P613-repeated-call.md"),
    Check::Plan(check),
);

/// So many calls that came before are compared with the next one.
const MOST_COMPARED: usize = 16;

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    for (tool, calls) in acting_calls(facts) {
        if calls.len() < 2 {
            continue;
        }
        let mut first: HashMap<Digest, Vec<usize>> = HashMap::new();
        let mut repeated: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (step, call) in calls {
            let Some(digest) = digest(call) else { continue };
            let before = first.entry(digest).or_default();
            let twin = before
                .iter()
                .take(MOST_COMPARED)
                .find(|twin| !facts.guards().exclude(facts, **twin, step));
            match twin {
                Some(twin) => repeated.entry(*twin).or_default().push(step),
                // of calls that exclude each other one is made
                None => before.push(step),
            }
        }
        for (original, again) in repeated {
            let [second, rest @ ..] = again.as_slice() else {
                continue;
            };
            let message = format!(
                "{} makes the same call of {} as {}, which acts twice",
                name::of(facts, *second),
                quoted(tool),
                name::of(facts, original),
            );
            let finding = RULE
                .at(place::config(*second, "tool"), message)
                .related(place::config(original, "tool"), "the first of these calls")
                .help("leave one of them out, or read the first one's outputs instead");
            let places = rest
                .iter()
                .map(|step| (place::config(*step, "tool"), "the same call again"));
            findings.add(further::places(finding, places));
        }
    }
}

/// Calls of tools that act, by tool.
fn acting_calls<'a>(facts: &Facts<'a>) -> BTreeMap<&'a str, Vec<(usize, &'a ToolCall)>> {
    let mut calls: BTreeMap<&str, Vec<(usize, &ToolCall)>> = BTreeMap::new();
    for (index, step) in facts.of_kinds(&[StepKind::ToolCall]) {
        if facts.tool(index).is_some_and(acts)
            && let StepConfig::ToolCall(call) = &step.config
        {
            calls
                .entry(call.tool.as_str())
                .or_default()
                .push((index, call));
        }
    }
    calls
}

fn acts(tool: &CatalogTool) -> bool {
    let effects = tool.spec.effects;
    let writes = effects.read_only.declared && !effects.read_only.holds;
    let harmless = effects.idempotent.declared && effects.idempotent.holds;
    writes && !harmless
}

/// What tells the arguments of a call apart, where all of them are literals and there are any.
fn digest(call: &ToolCall) -> Option<Digest> {
    let literal = |(name, template): (&String, &Template)| {
        Some((name.clone(), template.as_literal()?.clone()))
    };
    let arguments: Map<String, Value> =
        call.arguments.iter().map(literal).collect::<Option<_>>()?;
    (!arguments.is_empty()).then(|| Digest::of_json(&Value::Object(arguments)))
}
