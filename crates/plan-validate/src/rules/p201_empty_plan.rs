//! P201 empty-plan: a plan without steps.

use plan_model::Pointer;

use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P201",
    "empty-plan",
    Severity::Error,
    include_str!("../../rules/P201-empty-plan.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    if facts.plan.steps.is_empty() {
        findings.add(RULE.at(Pointer::root().join("steps"), "the plan has no steps"));
    }
}
