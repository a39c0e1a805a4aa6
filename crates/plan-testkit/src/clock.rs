//! Tokio's clock as a time of day.

use plan_exec::Clock;
use plan_model::Timestamp;
use tokio::time::Instant;

/// A clock that moves with Tokio's, so that paused time moves it too. Clones share their beginning.
///
/// Begins on 2026-01-01T00:00:00Z, or where it is told to.
#[derive(Debug, Clone)]
pub struct PausedClock {
    began: Instant,
    at: Timestamp,
}

impl PausedClock {
    /// A clock that stands at `at` now.
    pub fn at(at: Timestamp) -> Self {
        Self {
            began: Instant::now(),
            at,
        }
    }
}

impl Default for PausedClock {
    fn default() -> Self {
        Self::at(Timestamp::from_millis(1_767_225_600_000))
    }
}

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        self.at.plus(self.began.elapsed())
    }
}
