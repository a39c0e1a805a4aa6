//! P407 reference-in-code: a plan reference inside the source of a script.
//!
//! Source is never scanned for references, so the script would see the text.
//! A script's own `${VAR}` is its own: only references to what is in this plan,
//! and to secrets, are found.

use std::ops::Range;

use plan_model::{CodeSource, Reference, Root, Spelling, Step, StepConfig, plan_references};

use super::{known, place};
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::listed;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P407",
    "reference-in-code",
    Severity::Error,
    include_str!("../../rules/P407-reference-in-code.md"),
    Check::Step(check),
);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let (index, step) = (visit.index, visit.step);
    let mut found = in_source(facts, index, step).peekable();
    let Some((first, _)) = found.peek() else {
        return;
    };
    let first = first.clone();
    let message = format!(
        "the script's source holds {}, which stays text",
        listed(found.map(|(_, reference)| reference.to_string()))
    );
    findings.add(
        RULE.at(place::config(index, "inline"), message)
            .within(first)
            .help("pass the value through `env`, `args` or `stdin`"),
    );
}

/// Every plan reference in the source of a script, with its bytes.
pub(super) fn in_source<'a>(
    facts: &'a Facts<'_>,
    index: usize,
    step: &'a Step,
) -> impl Iterator<Item = (Range<usize>, Reference)> + 'a {
    let source = match &step.config {
        StepConfig::CodeCall(call) => match &call.source {
            CodeSource::Inline(source) => source.as_str(),
            CodeSource::File(_) => "",
        },
        _ => "",
    };
    plan_references(source)
        .filter(|found| found.spelling == Spelling::Braced)
        .filter_map(move |found| {
            let text = source.get(found.range.clone())?;
            let reference = Reference::parse(text).ok()?;
            is_of_this_plan(facts, index, &reference, text).then_some((found.range, reference))
        })
}

fn is_of_this_plan(facts: &Facts<'_>, step: usize, reference: &Reference, text: &str) -> bool {
    match reference.first().root {
        // `${env.X}` reads as a secret too, and is a script's own in some languages
        Root::Secret(_) => text.contains("secret"),
        _ => known::is_known(facts, reference, Some(step)),
    }
}
