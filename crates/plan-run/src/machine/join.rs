//! Whether a step runs once everything that it waits for has ended.

use plan_model::Join;

use super::basis::Basis;
use super::phase::Phase;
use super::slot::Slot;
use crate::{Machine, SkipReason};

/// What the endings of its dependencies mean for a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Runs,
    Skips(SkipReason),
}

impl<P: Basis> Machine<P> {
    /// The verdict on a step whose dependencies have all ended.
    ///
    /// A branch target runs only if its condition chose it, whatever its join.
    pub(super) fn verdict(&self, slot: Slot) -> Verdict {
        let frame = self.frame_of(slot);
        for (condition, side) in self.layout.branches_of(self.place_of(slot)) {
            let Some(condition) = self.seen(frame, *condition) else {
                continue;
            };
            match self.chosen(condition) {
                Ok(chosen) if chosen == *side => {}
                Ok(_) => return Verdict::Skips(SkipReason::NotTaken),
                Err(reason) => return Verdict::Skips(reason),
            }
        }
        match self.join(slot) {
            Verdict::Runs if self.is_in_failed_item(slot) => Verdict::Skips(SkipReason::ItemFailed),
            verdict => verdict,
        }
    }

    /// Which branch a condition chose; why none where it did not.
    fn chosen(&self, condition: Slot) -> Result<bool, SkipReason> {
        let step = self.state.steps.at(condition);
        match &step.phase {
            Phase::Succeeded => {
                let result = step
                    .outputs
                    .as_ref()
                    .and_then(|outputs| outputs.get("result"));
                Ok(result == Some(&serde_json::Value::Bool(true)))
            }
            Phase::Skipped(_) => Err(SkipReason::UpstreamSkipped),
            _ => Err(SkipReason::UpstreamFailed),
        }
    }

    fn join(&self, slot: Slot) -> Verdict {
        let (mut succeeded, mut skipped, mut failed, mut count) = (false, false, false, 0_usize);
        for dependency in self.dependencies(slot) {
            count += 1;
            match self.state.steps.at(dependency).phase {
                Phase::Succeeded => succeeded = true,
                Phase::Skipped(_) => skipped = true,
                _ => failed = true,
            }
        }
        match self.step_of(slot).join {
            _ if count == 0 => Verdict::Runs,
            Join::All if skipped => Verdict::Skips(SkipReason::UpstreamSkipped),
            Join::All if failed => Verdict::Skips(SkipReason::UpstreamFailed),
            Join::Any if !succeeded && failed => Verdict::Skips(SkipReason::UpstreamFailed),
            Join::Any if !succeeded => Verdict::Skips(SkipReason::UpstreamSkipped),
            Join::All | Join::Any | Join::Settled => Verdict::Runs,
        }
    }
}
