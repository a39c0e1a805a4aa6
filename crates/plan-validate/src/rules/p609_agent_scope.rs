//! P609 agent-scope: an agent is given tools that the catalog does not have, or that are not allowed.
//!
//! A name that a `TOOL_CALL` uses as well has its finding there.

use std::collections::{BTreeMap, HashSet};

use plan_model::{Pointer, StepConfig, StepKind, ToolName};

use super::{further, place};
use crate::candidates;
use crate::facts::Facts;
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P609",
    "agent-scope",
    Severity::Error,
    include_str!("../../rules/P609-agent-scope.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut refused: BTreeMap<&ToolName, Vec<Pointer>> = BTreeMap::new();
    for (name, place) in given(facts) {
        if !is_in_scope(facts, name) {
            refused.entry(name).or_default().push(place());
        }
    }
    if refused.is_empty() {
        return;
    }
    let called: HashSet<&ToolName> = facts
        .steps()
        .filter_map(|(_, step)| match &step.config {
            StepConfig::ToolCall(call) => Some(&call.tool),
            _ => None,
        })
        .collect();
    for (name, places) in refused {
        let mut places = places.into_iter().filter(|place| !facts.is_unread(place));
        let Some(first) = places.next() else { continue };
        if !called.contains(name) {
            let finding = told(facts, name, RULE.at(first, fault(facts, name)));
            let places = places.map(|place| (place, "given here too"));
            findings.add(further::places(finding, places));
        }
    }
}

/// Every tool that an agent is given, and where.
pub(super) fn given<'f, 'a: 'f>(
    facts: &'f Facts<'a>,
) -> impl Iterator<Item = (&'a ToolName, impl Fn() -> Pointer)> + 'f {
    let agents = facts.of_kind(StepKind::AgentCall).iter();
    let agents = agents.filter_map(|index| Some((*index, facts.step(*index)?)));
    agents.flat_map(|(index, step)| {
        let tools = match &step.config {
            StepConfig::AgentCall(call) => call.tools.as_deref().unwrap_or_default(),
            _ => &[],
        };
        let place = move |at: usize| move || place::config(index, "tools").join(at);
        tools
            .iter()
            .enumerate()
            .map(move |(at, tool)| (tool, place(at)))
    })
}

fn is_listed(facts: &Facts<'_>, name: &ToolName) -> bool {
    let listed = facts.policy.tools.as_ref();
    listed.is_none_or(|listed| listed.contains(name))
}

fn is_in_scope(facts: &Facts<'_>, name: &ToolName) -> bool {
    facts.catalog.tool(name).is_some_and(|tool| {
        tool.quarantine.is_none() && tool.spec.allowlisted && is_listed(facts, name)
    })
}

fn fault(facts: &Facts<'_>, name: &ToolName) -> String {
    let shown = quoted(name);
    match facts.catalog.tool(name) {
        None => format!("the agent is given the tool {shown}, and there is none"),
        Some(tool) => match &tool.quarantine {
            Some(fault) => {
                format!("the agent is given the tool {shown}, which is quarantined: {fault}")
            }
            None if !tool.spec.allowlisted => {
                format!("the agent is given the tool {shown}, which the catalog does not allow")
            }
            None => format!("the agent is given the tool {shown}, which the policy does not allow"),
        },
    }
}

/// With what could have stood there, or the line that would allow it.
fn told(facts: &Facts<'_>, name: &ToolName, finding: Finding) -> Finding {
    let shown = quoted(name);
    match facts.catalog.tool(name) {
        None => {
            let known = || {
                let tools = facts.catalog.tools().map(|tool| &tool.spec.name);
                tools
                    .filter(|name| is_in_scope(facts, name))
                    .map(ToolName::as_str)
            };
            let names: Vec<&str> = known().collect();
            finding.candidates(candidates::ranked(name.as_str(), names.iter().copied()))
        }
        Some(tool) if tool.quarantine.is_some() => finding,
        Some(tool) if !tool.spec.allowlisted => finding.help(format!(
            "add `allowlisted: true` to the tool {shown} of the catalog"
        )),
        Some(_) => finding.help(format!("add {shown} to `tools` of the policy")),
    }
}
