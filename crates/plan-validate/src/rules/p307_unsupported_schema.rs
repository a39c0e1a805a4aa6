//! P307 unsupported-schema: a tool whose own schema cannot be used.

use std::collections::BTreeMap;

use plan_model::ToolName;

use super::further;
use crate::facts::{Facts, step_pointer};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P307",
    "unsupported-schema",
    Severity::Error,
    include_str!("../../rules/P307-unsupported-schema.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut calls: BTreeMap<&ToolName, Vec<usize>> = BTreeMap::new();
    for (index, _) in facts.steps() {
        if let Some(tool) = facts.tool(index)
            && tool.quarantine.is_some()
        {
            calls.entry(&tool.spec.name).or_default().push(index);
        }
    }
    for (name, steps) in calls {
        let Some(fault) = facts.catalog.tool(name).and_then(|t| t.quarantine.as_ref()) else {
            continue;
        };
        let pointer = |index: usize| step_pointer(index).join("config").join("tool");
        let mut steps = steps.into_iter();
        let Some(first) = steps.next() else { continue };
        let message = format!("the tool {} cannot be used: {fault}", text::quoted(name));
        let finding = RULE.at(pointer(first), message);
        let places = steps.map(|step| (pointer(step), "the same tool"));
        findings.add(further::places(finding, places));
    }
}
