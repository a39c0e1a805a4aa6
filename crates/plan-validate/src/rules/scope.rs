//! Which fan-outs a step runs within.

use plan_model::StepConfig;

use crate::facts::Facts;

/// The fan-outs around a step, the innermost first. Ends also where they own each other.
pub(super) fn owners<'f>(facts: &'f Facts<'_>, step: usize) -> impl Iterator<Item = usize> + 'f {
    std::iter::successors(facts.owner(step), |owner| facts.owner(*owner))
        // INVARIANT: in a plan of n steps a longer chain goes around in a ring
        .take(facts.plan.steps.len())
}

/// Whether `step` runs within the fan-out `owner`.
pub(super) fn is_within(facts: &Facts<'_>, step: usize, owner: usize) -> bool {
    facts.owner(step) == Some(owner) || facts.graph.is_inside(step, owner)
}

/// The item variables that a step may read, the innermost first.
///
/// `within` is the fan-out whose own items count too: for its `until`.
pub(super) fn item_names<'f>(
    facts: &'f Facts<'_>,
    step: usize,
    within: Option<usize>,
) -> impl Iterator<Item = &'f str> + 'f {
    within
        .into_iter()
        .chain(owners(facts, step))
        .filter_map(|owner| match &facts.step(owner)?.config {
            StepConfig::FanOut(fan) => Some(fan.item_var.as_str()),
            _ => None,
        })
}
