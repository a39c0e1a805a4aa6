//! P311 kind-mismatch: a value of another kind than the argument takes, by the `x-kind` of both schemas.
//!
//! Kinds are compared without regard to ASCII case. A schema may list several: of
//! a value it is one of them, of an argument any. Lists are compared by the kinds of their elements too.

use super::source;
use crate::facts::{Facts, Fault};
use crate::finding::{Expected, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P311",
    "kind-mismatch",
    Severity::Error,
    include_str!("../../rules/P311-kind-mismatch.md"),
    Check::Step(check),
);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    for (read, misfit) in visit.misfits(facts) {
        let Fault::Kind { is, takes } = &misfit.fault else {
            continue;
        };
        let takes = text::listed(takes);
        let message = format!(
            "{} takes the kind {takes}, and {} is of the kind {}",
            source::argument(read),
            read.reference,
            text::listed(is)
        );
        let finding = RULE
            .at(read.pointer(), message)
            .expected(Expected::Type(takes));
        findings.add(source::related(facts, read.reference, finding));
    }
}
