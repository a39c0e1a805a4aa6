//! `CONDITION`: an expression that chooses between two sets of steps.

use crate::site::{Site, Source, VisitSource};
use crate::{Expression, StepId};

/// Chooses a branch. Its output is `result`.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// A boolean expression.
    pub expression: Expression,
    /// Steps that run only when it holds.
    pub true_steps: Vec<StepId>,
    /// Steps that run only when it does not.
    pub false_steps: Vec<StepId>,
}

impl Condition {
    pub(crate) fn each_source<'a>(&'a self, visit: &mut VisitSource<'_, 'a>) {
        visit(
            &[&"expression"],
            Site::Expression,
            Source::Expression(&self.expression),
        );
    }
}
