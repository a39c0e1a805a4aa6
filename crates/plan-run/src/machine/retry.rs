//! Whether a failed attempt is followed by another one, and when.

use std::time::Duration;

use plan_model::{IdempotencyKeySupport, Retry, RetryClass, Timestamp};

use super::Machine;
use super::layout::Work;
use super::slot::Slot;
use crate::event::EventKind;
use crate::{Effect, Failure, RetryAdvice};

/// What is repeated where the plan does not list classes.
const REPEATED: [RetryClass; 3] = [
    RetryClass::Transient,
    RetryClass::Timeout,
    RetryClass::RateLimited,
];

/// The longest wait before another attempt, whoever asked for it: a day.
const LONGEST: Duration = Duration::from_hours(24);

impl Machine {
    /// Whether a call of this step may be made again although its fate is unknown.
    pub(super) fn is_repeatable(&self, slot: Slot) -> bool {
        let step = self.step_of(slot);
        match Work::of(&step.config) {
            Work::Tool(_) => self.plan.tool(&step.id).is_some_and(|spec| {
                spec.effects.safe_to_repeat() || spec.idempotency_key != IdempotencyKeySupport::None
            }),
            // a question changes nothing
            Work::Prompt(_) => true,
            // nobody knows what a script or an agent does
            Work::Code(_) | Work::Agent(_) => false,
            Work::Ask(_) | Work::Choose(_) | Work::FanOut(_) | Work::FanIn(_) => true,
        }
    }

    /// The wait before the attempt that follows this failure; `None` where none follows.
    pub(super) fn retry_delay(
        &self,
        slot: Slot,
        failure: &Failure,
        jitter: f64,
    ) -> Option<Duration> {
        let retry = self.step_of(slot).retry.as_ref()?;
        let failures = self.state.steps.at(slot).failures.saturating_add(1);
        if u64::from(failures) >= retry.max_attempts {
            return None;
        }
        let class = failure.class.retry_class()?;
        let asked_for = match &retry.retry_on {
            Some(classes) => classes.contains(&class),
            None => REPEATED.contains(&class),
        };
        // work that is not safe to repeat is repeated only where nothing was done
        let harmless = failure.effect == Effect::None || self.is_repeatable(slot);
        if !asked_for || !harmless {
            return None;
        }
        let own = jittered(retry, failures, jitter);
        match failure.retry {
            RetryAdvice::Never => None,
            RetryAdvice::Later => Some(own),
            // coming back too early would only fail again
            RetryAdvice::After(span) if span > LONGEST => None,
            RetryAdvice::After(span) => Some(own.max(span)),
        }
    }

    /// The schedule of a step whose failed attempt was journaled without one.
    pub(super) fn schedule_owed(&self, slot: Slot, now: Timestamp) -> EventKind {
        let failures = self.state.steps.at(slot).failures.max(1);
        let delay = self
            .step_of(slot)
            .retry
            .as_ref()
            .map_or(Duration::ZERO, |retry| whole(retry, failures));
        EventKind::RetryScheduled {
            step: self.path(slot),
            due_at: now.plus(delay),
            delay,
        }
    }
}

/// The delay after so many failures, before jitter: doubling if asked for, capped.
fn whole(retry: &Retry, failures: u32) -> Duration {
    let first = retry.delay_secs.as_duration();
    let grown = if retry.backoff {
        let doublings = failures.saturating_sub(1).min(31);
        first.saturating_mul(1_u32 << doublings)
    } else {
        first
    };
    let cap = retry
        .max_delay_secs
        .map_or(LONGEST, plan_model::Seconds::as_duration);
    grown.min(cap).min(LONGEST)
}

/// The delay after so many failures: full jitter draws it from zero to its value.
fn jittered(retry: &Retry, failures: u32, jitter: f64) -> Duration {
    let delay = whole(retry, failures);
    if !retry.jitter {
        return delay;
    }
    let share = if jitter.is_finite() {
        jitter.clamp(0.0, 1.0)
    } else {
        1.0
    };
    // to the millisecond, which is what times in the journal have
    let drawn = delay.mul_f64(share);
    Duration::from_millis(u64::try_from(drawn.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use plan_model::Seconds;

    use super::*;

    fn retry(delay: u64, backoff: bool, cap: Option<u64>, jitter: bool) -> Retry {
        Retry {
            max_attempts: 64,
            delay_secs: Seconds::from_secs(delay),
            backoff,
            max_delay_secs: cap.map(Seconds::from_secs),
            jitter,
            retry_on: None,
        }
    }

    #[test]
    fn backoff_doubles_up_to_its_cap() {
        let plan = retry(1, true, Some(10), false);
        let delays: Vec<u64> = (1..=6)
            .map(|failures| jittered(&plan, failures, 0.5).as_secs())
            .collect();
        assert_eq!(delays, [1, 2, 4, 8, 10, 10]);
    }

    #[test]
    fn without_backoff_the_delay_stays() {
        let plan = retry(3, false, None, false);
        assert_eq!(jittered(&plan, 1, 0.1), jittered(&plan, 9, 0.9));
    }

    #[test]
    fn full_jitter_draws_from_zero_to_the_delay() {
        let plan = retry(8, false, None, true);
        assert_eq!(jittered(&plan, 1, 0.0), Duration::ZERO);
        assert_eq!(jittered(&plan, 1, 0.25), Duration::from_secs(2));
        assert_eq!(jittered(&plan, 1, 1.0), Duration::from_secs(8));
        assert_eq!(
            jittered(&plan, 1, f64::NAN),
            Duration::from_secs(8),
            "no number is no short cut"
        );
    }

    #[test]
    fn no_wait_is_longer_than_a_day() {
        let plan = retry(u64::MAX / 2000, true, None, false);
        assert_eq!(jittered(&plan, 40, 1.0), LONGEST);
    }
}
