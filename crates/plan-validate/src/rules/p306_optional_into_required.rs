//! P306 optional-into-required: an input that may be left out, bound to an argument that must have a value.
//!
//! An optional argument is left out with it. Inside of a list or an object
//! nothing is left out, so there a value is needed wherever null is not taken.

use super::source;
use crate::facts::{Facts, Fault};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P306",
    "optional-into-required",
    Severity::Error,
    include_str!("../../rules/P306-optional-into-required.md"),
    Check::Step(check),
);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    for (read, misfit) in visit.misfits(facts) {
        if !matches!(misfit.fault, Fault::Absent) {
            continue;
        }
        let message = format!(
            "{} needs a value, and {} has none where the input is left out",
            source::argument(read),
            read.reference
        );
        let finding = RULE
            .at(read.pointer(), message)
            .help("make the input required, or give it a default");
        findings.add(source::related(facts, read.reference, finding));
    }
}
