//! P604 untrusted-into-sensitive: an untrusted value reaches an argument that its tool calls sensitive, and the policy denies that.

use plan_model::{AgentCall, StepConfig};

use super::{further, place, untrusted};
use crate::facts::{Facts, Inflow};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::policy::Untrusted;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P604",
    "untrusted-into-sensitive",
    Severity::Error,
    include_str!("../../rules/P604-untrusted-into-sensitive.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    if facts.policy.untrusted != Untrusted::Deny {
        return;
    }
    for (index, step) in facts.steps() {
        match &step.config {
            StepConfig::ToolCall(_) => check_call(facts, index, findings),
            StepConfig::AgentCall(call) => check_agent(facts, index, call, findings),
            _ => {}
        }
    }
}

/// One finding for each argument; of several untrusted values in one the first is told in full.
fn check_call(facts: &Facts<'_>, index: usize, findings: &mut Findings) {
    let mut inflows = facts.inflows(index).peekable();
    while let Some(first) = inflows.next() {
        let way = facts.way_of(first.cause);
        let mut finding = RULE.at(first.read.pointer(), first.words(facts));
        finding = untrusted::told(finding, &way, first.read.reference);
        let same = |next: &Inflow<'_, '_>| next.argument == first.argument;
        let others = std::iter::from_fn(|| inflows.next_if(same)).map(|next| {
            let source = facts.source_of(next.cause);
            (next.read.pointer(), format!("and one from {source}"))
        });
        finding = further::places(finding, others);
        findings.add(finding.help("or let the policy ask: `untrusted: ask`"));
    }
}

/// What an agent writes is untrusted, so a sensitive argument that a tool needs is one that it may not give.
fn check_agent(facts: &Facts<'_>, index: usize, call: &AgentCall, findings: &mut Findings) {
    for (at, name) in call.tools.iter().flatten().enumerate() {
        let Some(tool) = facts.catalog.tool(name) else {
            continue;
        };
        let mut sensitive = tool.spec.sensitive_arguments.iter();
        let needed = sensitive.find(|name| tool.argument(name).is_some_and(|it| it.required));
        if let Some(argument) = needed {
            let message = format!(
                "the agent would give the tool {} its sensitive argument {}, and an agent is untrusted",
                quoted(name),
                quoted(argument)
            );
            let finding = RULE.at(place::config(index, "tools").join(at), message);
            findings.add(finding.help("let a step of the plan call the tool, after an approval"));
        }
    }
}
