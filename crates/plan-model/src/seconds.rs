//! Durations as documents write them: seconds, to the millisecond.

use std::fmt;
use std::time::Duration;

/// A span of time in seconds with at most three decimals, from zero to some 584 million years.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Seconds(u64);

impl Seconds {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// So many milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// So many whole seconds; the longest span when that is too many.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1000))
    }

    /// The span in milliseconds.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The span for the standard library.
    pub const fn as_duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, millis) = (self.0 / 1000, self.0 % 1000);
        if millis == 0 {
            write!(f, "{whole}")
        } else {
            let text = format!("{whole}.{millis:03}");
            f.write_str(text.trim_end_matches('0'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_written_with_as_few_decimals_as_they_need() {
        let written = |millis| Seconds::from_millis(millis).to_string();
        assert_eq!(written(0), "0");
        assert_eq!(written(1_000), "1");
        assert_eq!(written(1_500), "1.5");
        assert_eq!(written(20), "0.02");
        assert_eq!(written(90_061_001), "90061.001");
    }

    #[test]
    fn too_many_seconds_are_the_longest_span() {
        assert_eq!(Seconds::from_secs(u64::MAX).as_millis(), u64::MAX);
        assert_eq!(Seconds::from_secs(2).as_duration(), Duration::from_secs(2));
    }
}
