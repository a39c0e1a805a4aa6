//! P410 invalid-plan-output: a source that is not exactly one step reference, or that names a body step.

use plan_model::Root;
use plan_model::document::{Problem, ProblemKind};

use super::{p606_secret_in_wrong_place, place};
use crate::facts::{Facts, Use};
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P410",
    "invalid-plan-output",
    Severity::Error,
    include_str!("../../rules/P410-invalid-plan-output.md"),
    Check::Several(&[Check::Problem(problem), Check::Plan(check)]),
);

const MESSAGE: &str =
    "a plan output comes from exactly one reference to a step, such as `${step.ID.OUTPUT}`";

fn problem(problem: &Problem) -> Option<Finding> {
    let ProblemKind::InvalidSource { actual } = &problem.kind else {
        return None;
    };
    if p606_secret_in_wrong_place::problem(problem).is_some() {
        return None;
    }
    Some(RULE.at(problem.pointer.clone(), MESSAGE).actual(actual))
}

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    // plan outputs come last
    for read in facts
        .uses
        .iter()
        .rev()
        .take_while(|read| read.step.is_none())
    {
        if let Some(finding) = finding(facts, read) {
            findings.add(finding);
        }
    }
}

fn finding(facts: &Facts<'_>, read: &Use<'_>) -> Option<Finding> {
    let mut roots = read.reference.paths().map(|path| &path.root);
    if roots.any(|root| matches!(root, Root::Secret(_))) {
        // P606 tells
        return None;
    }
    let reads_step = |root: &Root| matches!(root, Root::Step(_));
    if !read.reference.paths().all(|path| reads_step(&path.root)) {
        let actual = read.reference.to_string();
        return Some(RULE.at(read.pointer(), MESSAGE).actual(&actual));
    }
    let (step, owner) = read.reference.steps().find_map(|id| {
        let owner = facts.owner(facts.index_of(id)?)?;
        Some((id, owner))
    })?;
    let around = quoted(&facts.step(owner)?.id);
    let message = format!("{} runs once for each item within {around}", quoted(step));
    Some(
        RULE.at(read.pointer(), message)
            .related(
                place::config(owner, "spawn_steps"),
                "the body that it is in",
            )
            .help(format!("publish the `results` of {around} instead")),
    )
}
