//! What approvals show, and so endorse.

use plan_model::{Path, Reference, Root, StepConfig, StepKind};

use crate::facts::prefixes::Prefixes;
use crate::facts::{Facts, Site};

/// The references in the prompts of approvals.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    /// By their first path: the approval, and the reference.
    by_path: Prefixes<'a, (usize, &'a Reference)>,
}

impl<'a> Shown<'a> {
    pub(super) fn of(facts: &Facts<'a>) -> Self {
        let people = facts.of_kinds(&[StepKind::HumanInteraction]);
        let approvals = people.filter(|(_, step)| {
            matches!(&step.config, StepConfig::HumanInteraction(ask) if ask.approval_required)
        });
        let shown = approvals.flat_map(|(index, _)| {
            let uses = facts.uses_of(index).iter();
            let shown = uses.filter(|read| read.site == Site::HumanPrompt);
            shown.map(move |read| (read.reference.first(), (index, read.reference)))
        });
        Self {
            by_path: Prefixes::new(shown),
        }
    }

    /// Whether a person approved what path number `at` of a reference reads, before `step` could start.
    ///
    /// Of `${a ?? b}` the prompt shows the one that is read. Whoever reads `${a ?? b ?? c}` later reads the
    /// same one, as long as it is the first of the two.
    pub(super) fn endorses(
        &self,
        facts: &Facts<'_>,
        step: usize,
        reference: &Reference,
        at: usize,
    ) -> bool {
        let is_shown = |shown: &Reference| {
            let mut pairs = shown.paths().zip(reference.paths()).take(at + 1);
            shown.otherwise().len() >= at && pairs.all(|(shown, read)| covers(shown, read))
        };
        let path = reference.paths().nth(at);
        path.is_some_and(|path| !is_masked(facts, path))
            && self
                .by_path
                .around(reference.first())
                .any(|(approval, shown)| {
                    is_shown(shown) && facts.is_approved_before(step, *approval)
                })
    }
}

/// Whether what is at `read` is a part of what is at `shown`.
fn covers(shown: &Path, read: &Path) -> bool {
    shown.root == read.root && read.segments.starts_with(&shown.segments)
}

/// Whether a prompt shows a mask in place of the value.
fn is_masked(facts: &Facts<'_>, path: &Path) -> bool {
    match &path.root {
        Root::Input(name) => facts
            .input(name.as_str())
            .is_some_and(|(_, input)| input.sensitive),
        _ => false,
    }
}
