//! What kind the steps are of, and how they join.

use plan_model::{Join, Step, StepKind};

/// The steps of each kind, so that who looks for the few of one kind need not look at all; and what is asked of
/// every step again and again, beside each other.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    of_step: Vec<(StepKind, Join)>,
    /// In document order.
    by_kind: [Vec<usize>; StepKind::ALL.len()],
}

impl Kinds {
    pub(super) fn with_capacity(steps: usize) -> Self {
        Self {
            of_step: Vec::with_capacity(steps),
            ..Self::default()
        }
    }

    /// Takes the next step of the plan.
    pub(super) fn add(&mut self, step: &Step) {
        let (index, kind) = (self.of_step.len(), step.config.kind());
        self.of_step.push((kind, step.join));
        if let Some(steps) = self.by_kind.get_mut(kind as usize) {
            steps.push(index);
        }
    }

    pub(super) fn steps(&self, kind: StepKind) -> &[usize] {
        let steps = self.by_kind.get(kind as usize);
        steps.map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn kind(&self, step: usize) -> Option<StepKind> {
        self.of_step.get(step).map(|(kind, _)| *kind)
    }

    pub(super) fn join(&self, step: usize) -> Option<Join> {
        self.of_step.get(step).map(|(_, join)| *join)
    }
}
