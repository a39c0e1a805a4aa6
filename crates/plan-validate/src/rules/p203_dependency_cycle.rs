//! P203 dependency-cycle: steps that wait for each other.
//!
//! One finding for each strongly connected component. It names the members
//! only, as one closed walk, and says of every edge where it comes from.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use plan_model::edit::Edit;
use serde_json::Value;

use super::edge::{self, How};
use super::{p202_duplicate_name, place};
use crate::facts::Facts;
use crate::finding::{Applicability, Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P203",
    "dependency-cycle",
    Severity::Error,
    include_str!("../../rules/P203-dependency-cycle.md"),
    Check::Plan(check),
);

/// The most steps of a walk that a finding spells out.
const MOST_SPELLED: usize = 64;

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    if facts.graph.order().is_some() {
        return;
    }
    // of two steps of one name nobody knows which is waited for: P202 tells
    let names = p202_duplicate_name::steps(facts);
    let twice = facts
        .steps()
        .filter(|(_, step)| names.contains(step.id.as_str()));
    let twice = twice.map(|(index, _)| index).collect();
    for (walk, members) in facts.graph.cycles_without(&twice) {
        // a step that waits for itself, or reads itself, has a finding of its own
        if walk.len() > 1 {
            findings.add(with_members(finding(facts, &walk), &walk, &members));
        }
    }
}

fn finding(facts: &Facts<'_>, walk: &[usize]) -> Finding {
    let name = |index: usize| quoted(facts.step(index).map_or("", |step| step.id.as_str()));
    let next = walk.iter().skip(1).chain(walk.first());
    let edges: Vec<_> = walk
        .iter()
        .zip(next)
        .take(MOST_SPELLED)
        .filter_map(|(step, dependency)| {
            Some((edge::place_of(facts, *step, *dependency)?, *dependency))
        })
        .collect();
    let positional = || edges.iter().filter(|(edge, _)| edge.how == How::Position);

    let mut message = format!("steps wait for each other: {}", spelled(walk, name));
    for (edge, dependency) in positional() {
        let (after, before) = (name(edge.holder), name(*dependency));
        // writing to a String does not fail
        let _ = write!(
            message,
            ", where {after} follows {before} by position alone"
        );
    }
    let pointer = edges.first().map(|(edge, _)| edge.pointer.clone());
    let mut finding = RULE.at(pointer.unwrap_or_default(), message);
    for (edge, dependency) in &edges {
        let note = format!(
            "{} {} {}",
            name(edge.holder),
            edge.how.verb(),
            name(*dependency)
        );
        finding = finding.related(edge.pointer.clone(), note);
    }
    for (edge, _) in positional() {
        finding = finding.suggest(
            format!("say what {} waits for; `[]` is nothing", name(edge.holder)),
            Applicability::MaybeIncorrect,
            Some(Edit::Set {
                pointer: place::step(edge.holder).join("depends_on"),
                value: Value::Array(Vec::new()),
            }),
        );
    }
    finding
}

/// Members that the walk, a shortest one, does not pass.
fn with_members(finding: Finding, walk: &[usize], members: &[usize]) -> Finding {
    if members.len() == walk.len() {
        return finding;
    }
    let passed: BTreeSet<usize> = walk.iter().copied().collect();
    members
        .iter()
        .filter(|member| !passed.contains(member))
        .take(MOST_SPELLED)
        .fold(finding, |finding, member| {
            finding.related(
                place::step(*member),
                "waits for these steps, and they for it",
            )
        })
}

/// The walk, closed by its first step.
fn spelled(walk: &[usize], name: impl Fn(usize) -> String) -> String {
    let mut names: Vec<String> = walk
        .iter()
        .take(MOST_SPELLED)
        .map(|step| name(*step))
        .collect();
    if let Some(rest @ 1..) = walk.len().checked_sub(MOST_SPELLED) {
        names.push(format!("{rest} more"));
    }
    names.extend(walk.first().map(|step| name(*step)));
    names.join(" -> ")
}
