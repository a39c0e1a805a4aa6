//! Which of the plan's own approvals come before a step in every run.

use std::collections::BTreeSet;

use plan_model::{StepConfig, StepId, StepKind};

use crate::facts::Facts;

/// So many approvals are named before one step: the last ones in plan order.
const MOST: usize = 64;

/// The approvals before steps. What is left out may hold nevertheless; what is named holds.
#[derive(Debug)]
pub(super) struct Gates<'f, 'a> {
    facts: &'f Facts<'a>,
    /// Most plans ask for none, and need no analysis.
    any: bool,
}

impl<'f, 'a> Gates<'f, 'a> {
    pub(super) fn of(facts: &'f Facts<'a>) -> Self {
        let any = facts.of_kinds(&[StepKind::HumanInteraction]).any(|(_, step)| {
            matches!(&step.config, StepConfig::HumanInteraction(question) if question.approval_required)
        });
        Self { facts, any }
    }

    /// The approvals that were given whenever a step starts.
    pub(super) fn before(&self, step: usize) -> BTreeSet<StepId> {
        if !self.any {
            return BTreeSet::new();
        }
        let last = self.facts.approvals_before(step).rev().take(MOST);
        last.filter_map(|gate| self.id(gate)).collect()
    }

    /// The fan-out that a step is in.
    pub(super) fn owner(&self, step: usize) -> Option<StepId> {
        self.id(self.facts.owner(step)?)
    }

    fn id(&self, step: usize) -> Option<StepId> {
        self.facts.step(step).map(|step| step.id.clone())
    }
}
