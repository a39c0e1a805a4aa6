//! P511 join-never-satisfied: a join of `any` or `settled` to which nothing can ever deliver.
//!
//! None of the steps that it waits for can have succeeded in a run in which the step is chosen.

use plan_model::Join;

use super::{name, place};
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::listed;

pub(super) const RULE: Rule = Rule::new(
    "P511",
    "join-never-satisfied",
    Severity::Error,
    include_str!("../../rules/P511-join-never-satisfied.md"),
    Check::Plan(check),
);

/// Further places that a finding has at most.
const RELATED: usize = 5;

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    for index in &facts.certain().undelivered {
        let Some(step) = facts.step(*index) else {
            continue;
        };
        let dependencies = facts.graph.dependencies(*index);
        let ids = dependencies
            .iter()
            .filter_map(|dependency| facts.step(*dependency));
        let ids = listed(ids.map(|step| step.id.as_str()));
        let message = if step.join == Join::Any {
            format!(
                "{} can never run: it joins `any` of {ids}, and none of them runs where it is chosen",
                name::of(facts, *index)
            )
        } else {
            format!(
                "{} joins what it never gets: none of {ids} runs where it is chosen",
                name::of(facts, *index)
            )
        };
        let mut finding = RULE.at(place::step(*index).join("join"), message);
        for dependency in dependencies.iter().take(RELATED) {
            finding = finding.related(place::step(*dependency), "skipped where the step is chosen");
        }
        for (condition, result) in facts.graph.branch_of(*index) {
            let field = if *result { "true_steps" } else { "false_steps" };
            finding = finding.related(place::config(*condition, field), "the step is chosen here");
        }
        findings
            .add(finding.help("wait for the condition itself, or for steps of the same branch"));
    }
}
