//! P305 argument-mismatch: an argument that the tool's schema does not take.

mod literal;
mod reference;

use super::call;
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P305",
    "argument-mismatch",
    Severity::Error,
    include_str!("../../rules/P305-argument-mismatch.md"),
    Check::Step(check),
);

fn check<'a>(facts: &Facts<'a>, visit: &Visit<'_, 'a>, findings: &mut Findings) {
    if let Some(call) = call::of(facts, visit)
        && call.tool.input.is_some()
    {
        literal::check(&call, &mut facts.arguments.borrow_mut(), findings);
    }
    reference::check(facts, visit, findings);
}
