//! P204 unknown-dependency: `depends_on` or `after` names no step.

use super::unknown_step;
use crate::facts::{Facts, Naming};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P204",
    "unknown-dependency",
    Severity::Error,
    include_str!("../../rules/P204-unknown-dependency.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    unknown_step::report(&RULE, Naming::Dependency, facts, findings);
}
