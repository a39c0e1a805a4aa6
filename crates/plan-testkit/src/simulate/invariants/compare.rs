//! The third promise: the same plan with the same results comes to the same, in any order.

use plan_model::FailurePolicy;
use plan_run::{EventKind, RunStatus};
use plan_validate::ValidatedPlan;

use super::{Broken, Invariant};
use crate::simulate::{Entry, Simulated};

/// What two runs with the same results came to that is not the same.
pub(crate) fn compare(plan: &ValidatedPlan, one: &Simulated, two: &Simulated) -> Vec<Broken> {
    if is_excepted(plan, &one.journal) || is_excepted(plan, &two.journal) {
        return Vec::new();
    }
    let mut differences = Vec::new();
    if one.record.status() != two.record.status() {
        let (one, two) = (one.record.status(), two.record.status());
        differences.push(format!("the run {one} and {two}"));
    }
    let (ones, others) = (one.record.all_steps(), two.record.all_steps());
    if ones.len() != others.len() {
        differences.push("other items were begun".to_owned());
    }
    for ((path, first), (_, second)) in ones.into_iter().zip(others) {
        if first.status != second.status {
            let (one, two) = (first.status, second.status);
            differences.push(format!("{path} is {one} and {two}"));
        } else if first.outputs != second.outputs {
            differences.push(format!("{path} has other outputs"));
        }
    }
    if one.record.outputs() != two.record.outputs() {
        differences.push("the run has other outputs".to_owned());
    }
    let found = differences.into_iter();
    found
        .map(|what| Broken::new(Invariant::SameResultsSameEnd, what))
        .collect()
}

/// Cancelled, a bound crossed, in doubt after a crash, or failed under `stop`.
fn is_excepted(plan: &ValidatedPlan, journal: &[Entry]) -> bool {
    let stops = plan.plan().failure_policy == FailurePolicy::Stop;
    journal.iter().any(|entry| match &entry.event.kind {
        EventKind::CancelRequested { .. }
        | EventKind::BudgetCrossed { .. }
        | EventKind::ItemsStopped { .. }
        | EventKind::InDoubtFound { .. } => true,
        EventKind::RunEnded { status, .. } => match status {
            RunStatus::Failed => stops,
            RunStatus::Cancelled => true,
            RunStatus::Running | RunStatus::Waiting | RunStatus::Succeeded => false,
        },
        _ => false,
    })
}
