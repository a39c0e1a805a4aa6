//! What approvals show, and so endorse.

use std::collections::HashMap;

use plan_model::{Path, Reference, Root, StepConfig};

use crate::facts::{Facts, Site};

/// The references in the prompts of approvals.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// By the root of their first path: the approval, and the reference.
    by_root: HashMap<Root, Vec<(usize, Reference)>>,
}

impl Shown {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let mut shown = Self::default();
        for (index, step) in facts.steps() {
            let approves =
                matches!(&step.config, StepConfig::HumanInteraction(ask) if ask.approval_required);
            if !approves {
                continue;
            }
            let uses = facts.uses_of(index).iter();
            for read in uses.filter(|read| read.site == Site::HumanPrompt) {
                shown
                    .by_root
                    .entry(read.reference.first.root.clone())
                    .or_default()
                    .push((index, read.reference.clone()));
            }
        }
        shown
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
        let Some(shown) = self.by_root.get(&reference.first.root) else {
            return false;
        };
        let is_shown = |shown: &Reference| {
            let mut pairs = shown.paths().zip(reference.paths()).take(at + 1);
            shown.otherwise.len() >= at && pairs.all(|(shown, read)| covers(shown, read))
        };
        let path = reference.paths().nth(at);
        path.is_some_and(|path| !is_masked(facts, path))
            && shown.iter().any(|(approval, shown)| {
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
