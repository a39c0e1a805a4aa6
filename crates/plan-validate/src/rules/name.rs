//! What findings call a step.

use crate::facts::Facts;
use crate::text::quoted;

/// The id of a step, in backticks.
pub(super) fn of(facts: &Facts<'_>, step: usize) -> String {
    quoted(facts.step(step).map_or("", |step| step.id.as_str()))
}
