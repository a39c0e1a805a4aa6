//! P406 looks-like-reference: text that other systems take for a reference, and Planwright does not.
//!
//! A note: the text may be meant as it stands. A whole string whose name is in
//! this plan is P412's.

use super::foreign::{self, Target};
use super::literal_text::{self, LiteralText, Reader};
use super::{p401_malformed_reference, p412_foreign_reference};
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P406",
    "looks-like-reference",
    Severity::Note,
    include_str!("../../rules/P406-looks-like-reference.md"),
    Check::Step(check),
);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    literal_text::each_marked(visit, &mut |literal| {
        let Some(spelled) = looks_like(literal) else {
            return;
        };
        let is_found_elsewhere = p412_foreign_reference::meant(facts, literal).is_some()
            || !p401_malformed_reference::in_shell_syntax(facts, literal).is_empty();
        if !is_found_elsewhere {
            let message = format!("{} is text here, not a reference", quoted(spelled));
            findings.add(RULE.at(literal.pointer.clone(), message));
        }
    });
}

/// The first piece that looks like a reference. Sums of money in prose do not.
fn looks_like<'t>(literal: &LiteralText<'t>) -> Option<&'t str> {
    let foreign = foreign::first(literal.text)?;
    let money = matches!(foreign.target, Target::Dollar(_)) && literal.reader == Reader::Prose;
    (!money).then_some(foreign.spelled)
}
