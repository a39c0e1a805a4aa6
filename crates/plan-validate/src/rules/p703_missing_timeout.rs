//! P703 missing-timeout: a call that others answer, or an agent, with no timeout anywhere.
//!
//! One finding for each tool, since one timeout of the tool mends them all.

use std::collections::BTreeMap;

use plan_model::edit::Edit;
use plan_model::{Pointer, Step, StepConfig, StepKind};

use super::{further, place};
use crate::catalog::CatalogTool;
use crate::facts::Facts;
use crate::finding::{Applicability, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P703",
    "missing-timeout",
    Severity::Warning,
    include_str!("../../rules/P703-missing-timeout.md"),
    Check::Plan(check),
);

/// What a suggestion writes; the right number is the author's.
const SOME_SECONDS: u64 = 60;

/// What waits without end. Ordered, so that each is told once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Waiting<'a> {
    Tool(&'a str),
    Agent(Option<&'a str>),
}

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let limits = [&facts.plan.limits, &facts.policy.budgets];
    if limits.iter().any(|limits| limits.max_wall_secs.is_some()) {
        return;
    }
    let mut waiting: BTreeMap<Waiting<'_>, Vec<usize>> = BTreeMap::new();
    let kinds = [StepKind::ToolCall, StepKind::AgentCall];
    for (index, step) in facts.of_kinds(&kinds) {
        if let Some(who) = waits(facts, index, step)
            && !has_timeout_around(facts, index)
        {
            waiting.entry(who).or_default().push(index);
        }
    }
    for (who, steps) in waiting {
        let [first, rest @ ..] = steps.as_slice() else {
            continue;
        };
        let (message, help) = match who {
            Waiting::Tool(tool) => (
                format!(
                    "the tool {} reaches the open world, and nothing says how long a call may take",
                    quoted(tool)
                ),
                Some(format!(
                    "give the tool {} a `timeout_secs` in the catalog",
                    quoted(tool)
                )),
            ),
            Waiting::Agent(Some(agent)) => (
                format!("nothing says how long the agent {} may work", quoted(agent)),
                None,
            ),
            Waiting::Agent(None) => ("nothing says how long the agent may work".to_owned(), None),
        };
        let mut finding = RULE.at(place::config(*first, field(who)), message).suggest(
            "give the step a timeout",
            Applicability::HasPlaceholders,
            Some(Edit::Set {
                pointer: place::step(*first).join("timeout_secs"),
                value: SOME_SECONDS.into(),
            }),
        );
        if let Some(help) = help {
            finding = finding.help(help);
        }
        let places = rest
            .iter()
            .map(|step| -> (Pointer, &str) { (place::config(*step, field(who)), "nor here") });
        findings.add(further::places(finding, places));
    }
}

fn field(who: Waiting<'_>) -> &'static str {
    match who {
        Waiting::Tool(_) => "tool",
        Waiting::Agent(Some(_)) => "agent",
        Waiting::Agent(None) => "objective",
    }
}

/// What a step waits for, where neither it nor its tool has a timeout.
fn waits<'a>(facts: &Facts<'a>, index: usize, step: &'a Step) -> Option<Waiting<'a>> {
    // most steps call a tool that answers in time, and are not looked at
    if facts
        .tool(index)
        .is_some_and(|tool| !may_keep_waiting(tool))
        || step.timeout_secs.is_some()
    {
        return None;
    }
    match &step.config {
        StepConfig::ToolCall(call) => facts.tool(index).map(|_| Waiting::Tool(call.tool.as_str())),
        StepConfig::AgentCall(call) => {
            let agent = call.agent.as_ref().map(plan_model::AgentName::as_str);
            call.timeout_secs.is_none().then_some(Waiting::Agent(agent))
        }
        _ => None,
    }
}

fn may_keep_waiting(tool: &CatalogTool) -> bool {
    let open = tool.spec.effects.open_world;
    open.declared && open.holds && tool.spec.timeout.is_none()
}

/// Whether a fan-out around the step has one: it bounds all of its items.
fn has_timeout_around(facts: &Facts<'_>, step: usize) -> bool {
    super::scope::owners(facts, step).any(|owner| {
        facts
            .step(owner)
            .is_some_and(|owner| owner.timeout_secs.is_some())
    })
}
