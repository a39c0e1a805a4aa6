//! P301 unknown-tool: a tool that the catalog does not have.

use std::collections::BTreeMap;

use plan_model::{StepConfig, StepKind, ToolCall};
use unicode_security::skeleton;

use super::{further, p609_agent_scope};
use crate::candidates;
use crate::catalog::CatalogTool;
use crate::facts::{Facts, step_pointer};
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P301",
    "unknown-tool",
    Severity::Error,
    include_str!("../../rules/P301-unknown-tool.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut unknown: BTreeMap<&str, Vec<(usize, &ToolCall)>> = BTreeMap::new();
    for (index, step) in facts.of_kinds(&[StepKind::ToolCall]) {
        if facts.tool(index).is_none()
            && let StepConfig::ToolCall(call) = &step.config
        {
            unknown
                .entry(call.tool.as_str())
                .or_default()
                .push((index, call));
        }
    }
    for (name, calls) in unknown {
        let pointer = |index: usize| step_pointer(index).join("config").join("tool");
        let mut calls = calls.into_iter();
        let Some((first, call)) = calls.next() else {
            continue;
        };
        if facts.is_unread(&pointer(first)) {
            continue;
        }
        let message = format!("there is no tool {}", text::quoted(name));
        let mut finding = RULE
            .at(pointer(first), message)
            .candidates(fitting(facts, call));
        finding = look_alike(facts, name, finding);
        let places = calls.map(|(index, _)| (pointer(index), "the same tool"));
        let given = p609_agent_scope::given(facts).filter(|(tool, _)| tool.as_str() == name);
        let given = given.map(|(_, place)| (place(), "given to an agent here"));
        findings.add(further::places(finding, places.chain(given)));
    }
}

/// Tools that take the arguments of the call, those of a close name first.
fn fitting<'a>(facts: &Facts<'a>, call: &ToolCall) -> Vec<&'a str> {
    let takes = |tool: &&CatalogTool| {
        let known = |name: &String| tool.takes_other_arguments() || tool.argument(name).is_some();
        let given = |(name, argument): (&str, &crate::catalog::Argument)| {
            !argument.required || call.arguments.contains_key(name)
        };
        is_usable(facts, tool) && call.arguments.keys().all(known) && tool.arguments().all(given)
    };
    let names: Vec<&str> = facts
        .catalog
        .tools()
        .filter(takes)
        .map(|tool| tool.spec.name.as_str())
        .collect();
    let close = candidates::closest(
        call.tool.as_str(),
        facts.catalog.tools().map(|tool| tool.spec.name.as_str()),
    );
    if names.is_empty() {
        // none takes these arguments: they may be wrong as well as the name
        let permitted = close.into_iter().filter(|name| is_offered(facts, name));
        return permitted.collect();
    }
    let mut fitting: Vec<&str> = close
        .into_iter()
        .filter(|name| names.contains(name))
        .collect();
    let others = names.into_iter().filter(|name| !fitting.contains(name));
    let others: Vec<&str> = others.take(crate::finding::MOST_CANDIDATES).collect();
    fitting.extend(others);
    fitting
}

/// Whether a plan may name a tool of the catalog.
fn is_usable(facts: &Facts<'_>, tool: &CatalogTool) -> bool {
    let permitted = facts.policy.tools.as_ref();
    tool.quarantine.is_none()
        && tool.spec.allowlisted
        && permitted.is_none_or(|permitted| permitted.contains(&tool.spec.name))
}

fn is_offered(facts: &Facts<'_>, name: &str) -> bool {
    let mut tools = facts.catalog.tools();
    tools.any(|tool| tool.spec.name.as_str() == name && is_usable(facts, tool))
}

/// Says so when a tool of the catalog differs only in what the eye does not see.
fn look_alike(facts: &Facts<'_>, name: &str, finding: Finding) -> Finding {
    let folded = |name: &str| -> String {
        let seen = skeleton(name).flat_map(char::to_lowercase);
        seen.filter(|c| !matches!(c, ' ' | '_' | '-' | '.') && !text::unprintable(*c))
            .collect()
    };
    let wanted = folded(name);
    let twin = facts
        .catalog
        .tools()
        .find(|tool| folded(tool.spec.name.as_str()) == wanted);
    match twin {
        Some(twin) => finding.help(format!(
            "the tool {} looks like it and is another name: names are compared byte for byte",
            text::quoted(&twin.spec.name)
        )),
        None => finding,
    }
}
