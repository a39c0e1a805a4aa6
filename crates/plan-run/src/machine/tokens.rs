//! The tokens of a run: what its models used, and what those in flight may still use.

use plan_model::Timestamp;

use super::Machine;
use super::basis::Basis;
use super::layout::Work;
use super::slot::Slot;
use super::state::Asked;
use crate::event::{Budget, EventKind};
use crate::{ModelUsage, Refused, StepPath};

/// The most that an answer may have where the plan sets no bound of its own and the run has a budget.
const ANSWER: u64 = 16_384;

impl Machine {
    /// Tokens that nothing has used and nothing in flight may use; `None` without a budget.
    pub(super) fn tokens_left(&self) -> Option<u64> {
        let budget = self.layout.max_model_tokens?;
        let left = budget.saturating_sub(self.tokens_used());
        let in_flight = self.state.in_flight.iter().filter_map(|slot| {
            let attempt = self.state.steps.at(*slot).attempts.last()?;
            let asked = attempt.asked.as_deref()?;
            Some(asked.tokens?.saturating_sub(asked.usage.total()))
        });
        Some(in_flight.fold(left, u64::saturating_sub))
    }

    /// The event of a budget that is used up by what models counted: nothing more may be asked of them.
    pub(super) fn spent(&self) -> Option<EventKind> {
        let limit = self.layout.max_model_tokens?;
        (self.tokens_used() >= limit).then_some(EventKind::BudgetCrossed {
            budget: Budget::ModelTokens,
            limit,
        })
    }

    /// What an attempt of this step may use of what is left; `None` where it asks no model.
    pub(super) fn tokens_of(&self, slot: Slot, left: u64) -> Option<u64> {
        match Work::of(&self.step_of(slot).config) {
            Work::Prompt(call) => Some(call.max_tokens.unwrap_or(ANSWER).min(left)),
            // nobody knows how many turns an agent takes
            Work::Agent(_) => Some(left),
            _ => None,
        }
    }

    /// The event of an answer that a model gave to an attempt, or did not give and counted all the same.
    ///
    /// It comes before the end of the attempt. `None` once the run has ended.
    pub fn answered(&self, step: &StepPath, attempt: u32, usage: ModelUsage) -> Option<EventKind> {
        if self.state.ended.is_some() {
            return None;
        }
        Some(EventKind::ModelAnswered {
            step: step.clone(),
            attempt,
            answer: self.answers(step, attempt).saturating_add(1),
            usage,
        })
    }

    /// How many answers models gave to an attempt.
    pub fn answers(&self, step: &StepPath, attempt: u32) -> u32 {
        let slot = self.slot(step).ok();
        let attempts = slot.map(|slot| &self.state.steps.at(slot).attempts);
        attempts
            .and_then(|attempts| attempts.get(index_of(attempt))?.asked.as_deref())
            .map_or(0, |asked| asked.answers)
    }
}

impl<P: Basis> Machine<P> {
    /// Tokens that models counted, over all attempts and generations.
    pub(super) fn tokens_used(&self) -> u64 {
        self.state.used.map_or(0, ModelUsage::total)
    }

    /// A model answered, or counted tokens for an answer that it did not give.
    pub(super) fn model_answered(
        &mut self,
        at: Timestamp,
        (step, attempt): (&StepPath, u32),
        answer: u32,
        usage: ModelUsage,
    ) -> Result<(), Refused> {
        let slot = self.slot(step)?;
        let state = self.state.steps.at(slot);
        let wrong = || Refused::WrongAttempt {
            step: step.clone(),
            expected: state.last_attempt(),
            actual: attempt,
        };
        let record = state.attempts.get(index_of(attempt)).ok_or_else(wrong)?;
        let answers = record.asked.as_deref().map_or(0, |asked| asked.answers);
        if answer != answers.saturating_add(1) {
            return Err(Refused::WrongAnswer {
                step: step.clone(),
                expected: answers.saturating_add(1),
                actual: answer,
            });
        }
        self.tick(at);
        let used = self.state.used.unwrap_or_default();
        self.state.used = Some(used.plus(usage));
        let attempts = &mut self.state.steps.at_mut(slot).attempts;
        if let Some(record) = attempts.get_mut(index_of(attempt)) {
            let asked = record.asked.get_or_insert_with(Box::<Asked>::default);
            asked.answers = answer;
            asked.usage = asked.usage.plus(usage);
        }
        Ok(())
    }
}

/// Where an attempt stands, counted from 1; no attempt has the number 0.
fn index_of(attempt: u32) -> usize {
    usize::try_from(attempt)
        .unwrap_or(usize::MAX)
        .wrapping_sub(1)
}
