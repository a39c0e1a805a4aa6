//! Which approval step of the plan gives what a call needs.
//!
//! An approval counts for a call if it was given whenever the call starts (see `certain`), and if its
//! prompt showed every value of the call: each reference of the call stands in the prompt, or one to
//! something that holds it. What stands in the plan needs no showing, nor does a secret, which nobody
//! may see; an item is shown by the list that it is of. A sensitive input is masked in a prompt, and so is never
//! shown. Values that a prompt showed are those that are sent: whatever a reference reads has ended before the
//! prompt was written, and what has ended stays as it is.

use plan_model::{Path, Reference, Root};

use super::prefixes::Prefixes;
use super::{Facts, Site, Use, follow};

/// So many approvals before a call are looked at, the last ones first.
const NEAREST: usize = 64;
/// So many fan-outs are gone through for what an item is of.
const MOST_LISTS: usize = 64;

/// For each approval of the plan what its prompt shows, by the first path of each reference.
#[derive(Debug)]
pub(super) struct Prompts<'a>(Vec<Prompt<'a>>);

type Prompt<'a> = Prefixes<'a, &'a Reference>;

impl<'a> Prompts<'a> {
    fn of(facts: &Facts<'a>) -> Self {
        let prompt = |approval: &usize| {
            let shown = facts.uses_of(*approval).iter();
            let shown = shown
                .filter(|read| read.site == Site::HumanPrompt && !facts.is_masked(read.reference));
            Prefixes::new(shown.map(|read| (read.reference.first(), read.reference)))
        };
        Self(facts.approvals().iter().map(prompt).collect())
    }
}

impl<'a> Facts<'a> {
    /// The approval step that approves the call of a step: the last in plan order that always comes first
    /// and shows every value.
    pub(crate) fn approval_of(&self, step: usize) -> Option<usize> {
        let mut nearest = self.approvals_before(step).rev().take(NEAREST);
        // what one prompt does not show the next one mostly does not show either
        let mut missed: Vec<&Use<'a>> = Vec::new();
        nearest.find(|approval| {
            if missed.iter().any(|read| !self.shows(*approval, read, step)) {
                return false;
            }
            let first = self.unshown(*approval, step).next();
            missed.extend(first);
            first.is_none()
        })
    }

    /// Whether a prompt that holds this reference shows it, or a part of it, as stars alone.
    pub(crate) fn is_masked(&self, reference: &Reference) -> bool {
        reference.paths().any(|path| match &path.root {
            Root::Input(name) => self
                .input(name.as_str())
                .is_some_and(|(_, input)| input.sensitive),
            Root::Config(_) | Root::Step(_) | Root::Item(_) | Root::Secret(_) => false,
        })
    }

    /// The values of a step's call that the prompt of an approval does not show.
    pub(crate) fn unshown(
        &self,
        approval: usize,
        step: usize,
    ) -> impl Iterator<Item = &Use<'a>> + '_ {
        let values = self.uses_of(step).iter();
        values.filter(move |read| !self.shows(approval, read, step))
    }

    /// Whether the prompt of an approval shows what a step reads.
    fn shows(&self, approval: usize, read: &Use<'_>, step: usize) -> bool {
        let prompts = self.prompts.get_or_init(|| Prompts::of(self));
        let at = self.approvals().binary_search(&approval).ok();
        let prompt = at.and_then(|at| prompts.0.get(at));
        prompt.is_some_and(|prompt| is_shown(self, prompt, read.reference, Some(step), MOST_LISTS))
    }
}

fn is_shown(
    facts: &Facts<'_>,
    prompt: &Prompt<'_>,
    read: &Reference,
    step: Option<usize>,
    depth: usize,
) -> bool {
    // `??` chooses by the roots alone, so the same roots are the same choice
    let same_choice = |shown: &&Reference| {
        shown.otherwise().len() == read.otherwise().len()
            && shown.paths().zip(read.paths()).all(|(a, b)| holds(a, b))
    };
    prompt.around(read.first()).any(same_choice)
        || read.paths().all(|path| match &path.root {
            Root::Config(_) | Root::Secret(_) => true,
            Root::Item(name) => {
                let list = step.and_then(|step| follow::list_of(facts, step, name.as_str()));
                depth > 0
                    && list.is_some_and(|(list, owner)| {
                        is_shown(facts, prompt, list, facts.owner(owner), depth - 1)
                    })
            }
            Root::Input(_) | Root::Step(_) => {
                let mut shown = prompt.around(path);
                shown.any(|shown| shown.otherwise().is_empty())
            }
        })
}

/// Whether the value of one path holds that of another.
fn holds(whole: &Path, part: &Path) -> bool {
    whole.root == part.root && part.segments.starts_with(&whole.segments)
}
