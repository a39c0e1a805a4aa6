//! P411 interpolated-structure: an object or a list rendered into the middle of a text.
//!
//! One finding for each reference, with every place that renders it. A prompt is read by a model, which reads JSON
//! well: there it is a note.

use std::collections::BTreeMap;

use plan_model::{Reference, ValueType};

use super::further;
use crate::facts::{Facts, Site, Use};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P411",
    "interpolated-structure",
    Severity::Warning,
    include_str!("../../rules/P411-interpolated-structure.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut found: BTreeMap<(bool, &Reference), Vec<&Use<'_>>> = BTreeMap::new();
    for read in facts
        .uses
        .iter()
        .filter(|read| !read.whole && read.step.is_some())
    {
        if is_structure(facts, read) {
            found
                .entry((is_prompt(read.site), read.reference))
                .or_default()
                .push(read);
        }
    }
    for ((is_prompt, reference), places) in found {
        let mut places = places.into_iter();
        let Some(first) = places.next() else { continue };
        let shape = facts.reference_shape(reference, first.step);
        let message = format!(
            "{reference} is {}, and its JSON becomes part of a text",
            shape.describe()
        );
        let finding = RULE
            .at(first.pointer(), message)
            .help("read the member that is meant, or pass the value whole");
        let finding = if is_prompt {
            finding.severity(Severity::Note)
        } else {
            finding
        };
        let places = places.map(|place| (place.pointer(), "rendered here too"));
        findings.add(further::places(finding, places));
    }
}

/// Whether a reference can be nothing but an object or a list.
fn is_structure(facts: &Facts<'_>, read: &Use<'_>) -> bool {
    let shape = facts.shape_of(read);
    let scalars = [ValueType::String, ValueType::Number, ValueType::Boolean];
    !shape.is_nothing()
        && (shape.may_be(ValueType::Object) || shape.may_be(ValueType::Array))
        && !scalars.iter().any(|scalar| shape.may_be(*scalar))
}

fn is_prompt(site: Site<'_>) -> bool {
    match site {
        Site::SystemPrompt | Site::UserPrompt | Site::Objective => true,
        Site::Argument(_)
        | Site::CodeArg(_)
        | Site::Stdin
        | Site::Env(_)
        | Site::File
        | Site::WorkingDir
        | Site::HumanPrompt
        | Site::Expression
        | Site::Over
        | Site::Until
        | Site::PlanOutput(_) => false,
    }
}
