//! P504 invalid-fan-out: a body, a list or an `until` with which a fan-out cannot run.

mod body;
mod rings;

use plan_model::shape::Fit;
use plan_model::{FanOut, Root, Shape, Step, StepConfig, StepKind, ValueType};

use super::{place, unknown_step};
use crate::facts::{Facts, Naming};
use crate::finding::{Expected, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P504",
    "invalid-fan-out",
    Severity::Error,
    include_str!("../../rules/P504-invalid-fan-out.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    unknown_step::report(&RULE, Naming::Body, facts, findings);
    rings::check(facts, findings);
    let order = body::Order::of(facts);
    for (index, step) in facts.of_kinds(&[StepKind::FanOut]) {
        if let StepConfig::FanOut(fan) = &step.config {
            body::check(facts, index, fan, &order, findings);
            rings::check_depth(facts, index, findings);
            check_list(facts, index, step, fan, findings);
            check_pace(index, step, fan, findings);
        }
    }
}

/// What is fanned out over must be able to be a list.
fn check_list(facts: &Facts<'_>, index: usize, step: &Step, fan: &FanOut, findings: &mut Findings) {
    let mut roots = fan.over.paths().map(|path| &path.root);
    if roots.any(|root| matches!(root, Root::Secret(_))) {
        // P606 tells
        return;
    }
    let shape = facts.reference_shape(&fan.over, facts.owner(index));
    if let Fit::Never(_) = shape.fits(&Shape::declared(ValueType::Array, None)) {
        let message = format!(
            "{} fans out over {}, which is no list",
            quoted(&step.id),
            quoted(fan.over.to_string()),
        );
        let finding = RULE.at(place::config(index, "over"), message);
        findings.add(finding.expected(Expected::Type("array".to_owned())));
    }
}

fn check_pace(index: usize, step: &Step, fan: &FanOut, findings: &mut Findings) {
    let place = place::config(index, "max_parallel");
    if fan.max_parallel == 0 {
        let message = format!("{} may run no item at any time", quoted(&step.id));
        let finding = RULE.at(place, message);
        findings.add(finding.expected(Expected::Range("at least 1".to_owned())));
    } else if fan.until.is_some() && fan.max_parallel > 1 {
        let message = format!(
            "{} items at one time leave open which one `until` stops after",
            fan.max_parallel
        );
        findings.add(RULE.at(place, message).related(
            place::config(index, "until"),
            "looks at one item after the other",
        ));
    }
}
