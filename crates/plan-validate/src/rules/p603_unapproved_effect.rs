//! P603 unapproved-effect: the policy denies a call that no approval step of the plan gives.
//!
//! Where the policy asks instead, a person is asked at the call: the bounds list it, and nothing is found.

use std::collections::BTreeMap;

use plan_model::{OnReject, Pointer, StepConfig};

use super::{name, place};
use crate::demand::{self, Demand};
use crate::facts::Facts;
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::policy::Unapproved;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P603",
    "unapproved-effect",
    Severity::Error,
    include_str!("../../rules/P603-unapproved-effect.md"),
    Check::Plan(check),
);

/// Steps of a way that a message names.
const NAMED: usize = 6;
/// Steps of a way that are followed.
const LONGEST: usize = 64;
/// Further places that a finding has at most.
const RELATED: usize = 5;

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    if facts.policy.require_approval.without == Unapproved::Ask {
        return;
    }
    let mut assumed: BTreeMap<String, Vec<Pointer>> = BTreeMap::new();
    for (index, step) in facts.steps() {
        let Some(demand) = demand::of(facts, index) else {
            continue;
        };
        if facts.approval_of(index).is_some() {
            continue;
        }
        if !demand.declared {
            let tool = match &step.config {
                StepConfig::ToolCall(call) => format!("the tool {}", quoted(&call.tool)),
                _ => format!("a tool of {}", name::of(facts, index)),
            };
            let message = format!(
                "the policy denies {} without an approval, and nobody says whether {tool} is one: a person is asked at the call",
                demand.denied(),
            );
            assumed.entry(message).or_default().push(place::step(index));
            continue;
        }
        findings.add(match facts.approvals_before(index).next_back() {
            Some(approval) => unshown(facts, index, approval, &demand),
            None => unapproved(facts, index, &demand),
        });
    }
    for (message, places) in assumed {
        let mut places = places.into_iter();
        let Some(first) = places.next() else { continue };
        let mut finding = RULE.at(first, message).severity(Severity::Note);
        for place in places.take(RELATED) {
            finding = finding.related(place, "the same");
        }
        findings.add(finding);
    }
}

/// An approval comes first, and its prompt lacks a value.
fn unshown(facts: &Facts<'_>, step: usize, approval: usize, demand: &Demand) -> Finding {
    let mut values = facts.unshown(approval, step);
    let prompt = place::config(approval, "prompt");
    let Some(first) = values.next() else {
        return unapproved(facts, step, demand);
    };
    let is_masked = facts.is_masked(first.reference);
    let message = format!(
        "{} sends {}, which the prompt of {} {}, and the policy denies {} without an approval",
        name::of(facts, step),
        quoted(first.reference.to_string()),
        name::of(facts, approval),
        if is_masked {
            "masks as sensitive"
        } else {
            "does not show"
        },
        demand.denied(),
    );
    let mut finding = RULE
        .at(first.pointer(), message)
        .related(prompt, "the prompt that a person approves");
    for value in values.take(RELATED) {
        finding = finding.related(value.pointer(), "not shown either");
    }
    if is_masked {
        return finding.help(format!(
            "nobody can approve what is not shown: let the input not be `sensitive`, or let {} not send it",
            name::of(facts, step)
        ));
    }
    finding.help(format!(
        "let the prompt of an approval before {} hold everything that it sends",
        name::of(facts, step)
    ))
}

/// There is a way to the call without an approval.
fn unapproved(facts: &Facts<'_>, step: usize, demand: &Demand) -> Finding {
    let way = Way::to(facts, step);
    let mut names: Vec<String> = way
        .steps
        .iter()
        .map(|step| name::of(facts, *step))
        .collect();
    if names.len() > NAMED {
        let more = names.len() - NAMED;
        names.splice(NAMED / 2..NAMED / 2 + more, [format!("{more} more")]);
    }
    if way.is_cut {
        names.insert(0, "…".to_owned());
    }
    let by = match way.steps.as_slice() {
        [] | [_] => "as a first step".to_owned(),
        _ => format!("by way of {}", names.join(" -> ")),
    };
    let message = format!(
        "{} runs without an approval {by}, and the policy denies {} without one",
        name::of(facts, step),
        demand.denied(),
    );
    let mut finding = RULE.at(place::step(step), message);
    for before in way.steps.iter().rev().skip(1).take(RELATED) {
        finding = finding.related(place::step(*before), "on the way to the call");
    }
    for approval in way.beside.iter().take(RELATED) {
        finding = finding.related(place::step(*approval), why_not(facts, *approval));
    }
    finding.help(format!(
        "let an approval that shows what {} sends come before it on every way",
        name::of(facts, step)
    ))
}

/// Why an approval before a call is none of the call.
fn why_not(facts: &Facts<'_>, approval: usize) -> &'static str {
    match facts.step(approval).map(|step| &step.config) {
        Some(StepConfig::HumanInteraction(ask)) if ask.on_reject == OnReject::Continue => {
            "the run goes on when this is rejected"
        }
        _ => "not on every way to the call",
    }
}

/// A way to a call without an approval.
struct Way {
    /// Its steps in the order in which they run, the call last.
    steps: Vec<usize>,
    /// Whether there are more before them.
    is_cut: bool,
    /// The approvals that it leads by.
    beside: Vec<usize>,
}

impl Way {
    /// Goes back from the call, around the approvals where there is a way around them.
    fn to(facts: &Facts<'_>, call: usize) -> Self {
        let mut way = Self {
            steps: vec![call],
            is_cut: false,
            beside: Vec::new(),
        };
        let is_approval = |step: &usize| facts.approvals().binary_search(step).is_ok();
        let mut at = call;
        loop {
            let dependencies = facts.graph.dependencies(at);
            let gates = |dependency: &usize| {
                (
                    is_approval(dependency),
                    facts.approvals_before(*dependency).count(),
                )
            };
            let next = dependencies.iter().copied().min_by_key(gates);
            way.beside
                .extend(dependencies.iter().copied().filter(is_approval));
            let Some(next) = next.or_else(|| facts.owner(at)) else {
                break;
            };
            if way.steps.len() == LONGEST {
                way.is_cut = true;
                break;
            }
            way.steps.push(next);
            at = next;
        }
        way.steps.reverse();
        way
    }
}
