//! Points in time, to the millisecond, in UTC.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
///
/// Written as RFC 3339 text. No crate of the core reads a clock: whoever drives
/// a run says what time it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

impl Timestamp {
    /// So many milliseconds since the epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This point plus a span, or the last representable point.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// The span since `earlier`, zero when that is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Reads RFC 3339 text with any offset; digits past the millisecond are dropped.
    ///
    /// # Errors
    /// When the text is not a point in time.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        text.parse::<jiff::Timestamp>()
            .map(|point| Self(point.as_millisecond()))
            .map_err(|_| TimestampError)
    }
}

/// A text that should have been an RFC 3339 time and is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a time, such as `2026-01-31T12:00:00Z`")]
pub struct TimestampError;

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(point) => fmt::Display::fmt(&point, f),
            Err(_) if self.0 < 0 => fmt::Display::fmt(&jiff::Timestamp::MIN, f),
            Err(_) => fmt::Display::fmt(&jiff::Timestamp::MAX, f),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampError;

    fn try_from(text: String) -> Result<Self, TimestampError> {
        Self::parse(&text)
    }
}

impl From<Timestamp> for String {
    fn from(point: Timestamp) -> Self {
        point.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_any_offset_and_written_in_utc() {
        let read = |text| Timestamp::parse(text).map(|point| point.to_string());
        assert_eq!(
            read("2026-01-31T12:00:00Z").as_deref(),
            Ok("2026-01-31T12:00:00Z")
        );
        assert_eq!(
            read("2026-01-31T12:00:00.5+02:00").as_deref(),
            Ok("2026-01-31T10:00:00.5Z")
        );
        assert_eq!(
            read("1969-12-31T23:59:59.999999Z").as_deref(),
            Ok("1970-01-01T00:00:00Z")
        );
        for text in ["", "2026-01-31", "yesterday", "2026-13-01T00:00:00Z"] {
            assert_eq!(Timestamp::parse(text), Err(TimestampError), "{text}");
        }
    }

    #[test]
    fn every_point_is_written() {
        for millis in [i64::MIN, -1, 0, i64::MAX] {
            assert!(!Timestamp::from_millis(millis).to_string().is_empty());
        }
    }

    #[test]
    fn spans_saturate() {
        let late = Timestamp::from_millis(i64::MAX);
        assert_eq!(late.plus(Duration::MAX), late);
        assert_eq!(Timestamp::default().since(late), Duration::ZERO);
        assert_eq!(late.plus(Duration::ZERO).since(late), Duration::ZERO);
    }
}
