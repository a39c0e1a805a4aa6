//! References against the argument's shape.

use plan_model::Shape;

use super::RULE;
use crate::facts::{Facts, Fault, Use};
use crate::finding::{Expected, Finding, Severity};
use crate::findings::Findings;
use crate::rules::source;
use crate::visit::Visit;

pub(super) fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    for (read, misfit) in visit.misfits(facts) {
        match &misfit.fault {
            Fault::Never(reason) => {
                let fault = format!("does not fit: {reason}");
                findings.add(mismatch(facts, read, &misfit.target, &fault));
            }
            Fault::RenderedInside(shape) => {
                let fault = format!("is {}", shape.describe());
                findings.add(mismatch(facts, read, &misfit.target, &fault));
            }
            Fault::Rendered => {
                let message = format!("the value of {} is sent as text", read.reference);
                let finding = RULE.at(read.pointer(), message);
                findings.add(finding.severity(Severity::Note));
            }
            Fault::Kind { .. } | Fault::Path { .. } | Fault::Absent => {}
        }
    }
}

fn mismatch(facts: &Facts<'_>, read: &Use<'_>, target: &Shape, fault: &str) -> Finding {
    let takes = target.describe();
    let message = format!(
        "{} takes {takes}, and {} {fault}",
        source::argument(read),
        read.reference
    );
    let finding = RULE.at(read.pointer(), message);
    source::related(
        facts,
        read.reference,
        finding.expected(Expected::Type(takes)),
    )
}
