//! P603 unapproved-effect: the policy denies a call that no approval step of the plan gives.
//!
//! Where the policy asks instead, a person is asked at the call: the bounds list it, and nothing is found.

use std::collections::{BTreeMap, HashMap};

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
    let mut ways = Ways::default();
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
            None => unapproved(facts, &ways.to(facts, index), &demand),
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
        return unapproved(facts, &Ways::default().to(facts, step), demand);
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
fn unapproved(facts: &Facts<'_>, way: &Way, demand: &Demand) -> Finding {
    let step = way.call;
    let name = |step: &usize| name::of(facts, *step);
    let mut names: Vec<String> = match way.steps.len().checked_sub(NAMED) {
        Some(more @ 1..) => {
            let first = way.steps.iter().take(NAMED / 2).map(name);
            let last = way.steps.iter().skip(NAMED / 2 + more).map(name);
            first.chain([format!("{more} more")]).chain(last).collect()
        }
        _ => way.steps.iter().map(name).collect(),
    };
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
    for approval in &way.beside {
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
    call: usize,
    /// Its steps in the order in which they run, the call last.
    steps: Vec<usize>,
    /// Whether there are more before them.
    is_cut: bool,
    /// Approvals that it leads by, at most as many as are told.
    beside: Vec<usize>,
}

/// Finds ways, and keeps what it finds: many calls are reached by the same steps.
#[derive(Default)]
struct Ways {
    back: HashMap<usize, Back>,
}

/// One step back on a way.
struct Back {
    /// Where it leads from here; `None` at its beginning.
    to: Option<usize>,
    /// The approvals that this step waits for, at most as many as are told.
    beside: Vec<usize>,
}

impl Ways {
    /// Goes back from the call, around the approvals where there is a way around them.
    fn to(&mut self, facts: &Facts<'_>, call: usize) -> Way {
        let mut way = Way {
            call,
            steps: vec![call],
            is_cut: false,
            beside: Vec::new(),
        };
        let mut at = call;
        loop {
            let back = self.back.entry(at).or_insert_with(|| Back::of(facts, at));
            let missing = RELATED.saturating_sub(way.beside.len());
            way.beside.extend(back.beside.iter().take(missing));
            let Some(to) = back.to else { break };
            if way.steps.len() == LONGEST {
                way.is_cut = true;
                break;
            }
            way.steps.push(to);
            at = to;
        }
        way.steps.reverse();
        way
    }
}

impl Back {
    fn of(facts: &Facts<'_>, step: usize) -> Self {
        let is_approval = |step: &usize| facts.approvals().binary_search(step).is_ok();
        let gates = |dependency: &usize| {
            let before = facts.count_approvals_before(*dependency);
            (is_approval(dependency), before)
        };
        let dependencies = facts.graph.dependencies(step).iter().copied();
        Self {
            to: dependencies
                .clone()
                .min_by_key(gates)
                .or_else(|| facts.owner(step)),
            beside: dependencies.filter(is_approval).take(RELATED).collect(),
        }
    }
}
