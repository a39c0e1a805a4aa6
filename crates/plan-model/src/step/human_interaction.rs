//! `HUMAN_INTERACTION`: a question to a person, or an approval.

use crate::site::{Site, Source, VisitSource};
use crate::{OutputName, Template};

/// Asks a person, and waits without holding a task.
#[derive(Debug, Clone, PartialEq)]
pub struct HumanInteraction {
    /// What the person reads.
    pub prompt: Template,
    /// The output that receives the answer.
    pub response_field: OutputName,
    /// Whether the answer is an approval; false unless said otherwise.
    pub approval_required: bool,
    /// What a rejection means for the run.
    pub on_reject: OnReject,
}

/// What a rejected approval means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum OnReject {
    /// The run is cancelled once work in flight has ended.
    #[default]
    Cancel,
    /// The run goes on with the answer `false`.
    Continue,
}

impl HumanInteraction {
    pub(crate) fn each_source<'a>(&'a self, visit: &mut VisitSource<'_, 'a>) {
        visit(
            &[&"prompt"],
            Site::HumanPrompt,
            Source::Template(&self.prompt),
        );
    }
}
