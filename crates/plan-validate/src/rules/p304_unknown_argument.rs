//! P304 unknown-argument: an argument that the tool does not have.

use super::call;
use crate::candidates;
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P304",
    "unknown-argument",
    Severity::Error,
    include_str!("../../rules/P304-unknown-argument.md"),
    Check::Step(check),
);

fn check<'a>(facts: &Facts<'a>, visit: &Visit<'_, 'a>, findings: &mut Findings) {
    let Some(call) = call::of(facts, visit) else {
        return;
    };
    for (name, meant) in call.unknown() {
        let (tool, argument) = (text::quoted(&call.data.tool), text::quoted(name));
        let message = match meant.map(text::quoted) {
            Some(meant) => format!(
                "the tool {tool} has no argument {argument}, and its required argument {meant} is missing"
            ),
            None => format!("the tool {tool} has no argument {argument}"),
        };
        let known: Vec<&str> = call.tool.arguments().map(|(name, _)| name).collect();
        let free = known
            .into_iter()
            .filter(|known| !call.data.arguments.contains_key(*known));
        let free: Vec<&str> = free.collect();
        findings.add(
            RULE.at(call.pointer().join(name), message)
                .candidates(candidates::ranked(name, free.iter().copied())),
        );
    }
}
