//! P310 path-kind-mismatch: the path of one thing bound to an argument that takes the path of another.
//!
//! A path that is to be written is no file yet, unless a step before has been given it. Writing over a file that
//! is there may be meant, and is a warning.

use plan_model::{InputKind, Reference};

use super::source;
use crate::facts::{Facts, Fault, Use};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P310",
    "path-kind-mismatch",
    Severity::Error,
    include_str!("../../rules/P310-path-kind-mismatch.md"),
    Check::Step(check),
);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    for (read, misfit) in visit.misfits(facts) {
        let Fault::Path { is, takes } = misfit.fault else {
            continue;
        };
        let is_file = (is, takes) == (InputKind::OutputFilePath, InputKind::FilePath);
        if is_file && is_given_before(facts, read) {
            continue;
        }
        let message = format!(
            "{} takes the path of {}, and {} is that of {}",
            source::argument(read),
            words(takes),
            read.reference,
            words(is)
        );
        let finding = RULE.at(read.pointer(), message);
        let finding = match (is, takes) {
            (InputKind::FilePath, InputKind::OutputFilePath) => finding
                .severity(Severity::Warning)
                .help("the file is written over; bind an input of the kind `output_file_path` to keep it"),
            _ => finding,
        };
        findings.add(source::related(facts, read.reference, finding));
    }
}

/// Whether a step that runs before has been given the same path, and may have written it.
fn is_given_before(facts: &Facts<'_>, read: &Use<'_>) -> bool {
    let same = |other: &Reference| {
        let mut paths = other.paths();
        paths.any(|path| read.reference.paths().any(|ours| ours.root == path.root))
    };
    let Some(reader) = read.step else {
        return false;
    };
    let mut others = facts.uses.iter().filter(|other| same(other.reference));
    others.any(|other| {
        let step = other.step.filter(|step| *step != reader);
        step.is_some_and(|step| facts.graph.is_upstream(step, reader))
    })
}

fn words(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Value => "anything",
        InputKind::FilePath => "a file that is there",
        InputKind::OutputFilePath => "a file to be written",
        InputKind::DirectoryPath => "a folder",
    }
}
