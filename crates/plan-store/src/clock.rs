//! The time of day, as a contract.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use plan_model::Timestamp;

/// Says what time it is.
///
/// Stores ask it when a claim ends, executors when a retry is due. Nothing in
/// the core reads another clock, so a test scripts time through this contract.
///
/// Claims compare the times of different processes: their clocks should agree
/// to well under [`crate::CLAIM_TTL`]. A clock may step back; a claim then lives longer.
pub trait Clock: Send + Sync + Debug {
    /// The present time.
    fn now(&self) -> Timestamp;
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}

const _OBJECT_SAFE: Option<&dyn Clock> = None;

/// The clock of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let millis = |span: Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        let now = SystemTime::now();
        Timestamp::from_millis(match now.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => millis(after),
            Err(before) => -millis(before.duration()),
        })
    }
}

/// A clock that moves only when told to. Clones share their time.
///
/// ```
/// use std::time::Duration;
/// use plan_store::{Clock, ManualClock};
///
/// let clock = ManualClock::default();
/// let before = clock.now();
/// clock.advance(Duration::from_secs(15));
/// assert_eq!(clock.now().since(before), Duration::from_secs(15));
/// ```
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock that stands at `now`.
    pub fn at(now: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(now.as_millis())))
    }

    /// Moves the clock to `now`, which may lie before its present time.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.as_millis(), Ordering::SeqCst);
    }

    /// Moves the clock on by `span`, in whole milliseconds.
    pub fn advance(&self, span: Duration) {
        let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

/// Stands at the first moment of 2026, in UTC.
impl Default for ManualClock {
    fn default() -> Self {
        Self::at(Timestamp::from_millis(1_767_225_600_000))
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_a_manual_clock_share_their_time() {
        let clock = ManualClock::at(Timestamp::from_millis(5));
        let other = clock.clone();
        clock.advance(Duration::from_millis(10));
        assert_eq!(other.now(), Timestamp::from_millis(15));
        other.set(Timestamp::from_millis(3));
        assert_eq!(clock.now(), Timestamp::from_millis(3));
    }

    #[test]
    fn the_system_clock_is_past_the_first_release() {
        assert!(SystemClock.now() > Timestamp::from_millis(1_700_000_000_000));
    }
}
