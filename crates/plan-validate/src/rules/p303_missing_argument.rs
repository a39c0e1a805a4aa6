//! P303 missing-argument: an argument that the tool's schema requires.

use super::call;
use crate::facts::Facts;
use crate::finding::{Expected, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P303",
    "missing-argument",
    Severity::Error,
    include_str!("../../rules/P303-missing-argument.md"),
    Check::Step(check),
);

fn check<'a>(facts: &Facts<'a>, visit: &Visit<'_, 'a>, findings: &mut Findings) {
    let Some(call) = call::of(facts, visit) else {
        return;
    };
    let missing = call.missing();
    if missing.is_empty() {
        return;
    }
    // one that was probably misspelt is told by P304
    let misspelt: Vec<&str> = call.unknown().into_iter().filter_map(|(_, m)| m).collect();
    for name in missing.into_iter().filter(|name| !misspelt.contains(name)) {
        let message = format!(
            "the tool {} needs the argument {}",
            text::quoted(&call.data.tool),
            text::quoted(name)
        );
        let shape = call
            .tool
            .argument(name)
            .map(|argument| argument.shape.describe());
        let finding = RULE.at(call.pointer(), message);
        findings.add(match shape {
            Some(shape) => finding.expected(Expected::Type(shape)),
            None => finding,
        });
    }
}
