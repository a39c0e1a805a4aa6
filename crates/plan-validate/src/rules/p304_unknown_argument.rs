//! P304 unknown-argument: an argument that the tool does not have.

use super::call;
use crate::candidates;
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P304",
    "unknown-argument",
    Severity::Error,
    include_str!("../../rules/P304-unknown-argument.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    for call in call::calls(facts) {
        for (name, meant) in call.unknown() {
            let mut message = format!(
                "the tool {} has no argument {}",
                text::quoted(&call.call.tool),
                text::quoted(name)
            );
            if let Some(meant) = meant {
                let meant = text::quoted(meant);
                message.push_str(&format!(", and its required argument {meant} is missing"));
            }
            let known: Vec<&str> = call.tool.arguments().map(|(name, _)| name).collect();
            let free = known
                .into_iter()
                .filter(|known| !call.call.arguments.contains_key(*known));
            let free: Vec<&str> = free.collect();
            findings.add(
                RULE.at(call.pointer().join(name), message)
                    .candidates(candidates::ranked(name, free.iter().copied())),
            );
        }
    }
}
