//! The steps of each kind.

use plan_model::{Plan, StepKind};

/// The steps of each kind, in document order, so that who looks for the few of one kind need not look at all.
#[derive(Debug, Default)]
pub(super) struct Kinds([Vec<usize>; StepKind::ALL.len()]);

impl Kinds {
    pub(super) fn of(plan: &Plan) -> Self {
        let mut kinds = Self::default();
        for (index, step) in plan.steps.iter().enumerate() {
            if let Some(steps) = kinds.0.get_mut(step.config.kind() as usize) {
                steps.push(index);
            }
        }
        kinds
    }

    pub(super) fn get(&self, kind: StepKind) -> &[usize] {
        self.0
            .get(kind as usize)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}
