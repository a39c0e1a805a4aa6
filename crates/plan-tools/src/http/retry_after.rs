//! When the server wants to be asked again.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// The longest pause that is believed: no run waits longer for a retry.
const LONGEST: Duration = Duration::from_hours(24);

/// The pause that an answer asks for, in either form of the header.
///
/// A date is read against the server's own `Date` where it says one, so that clocks need not agree.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // more digits than fit are long enough
        let seconds = text.parse().map_or(LONGEST, Duration::from_secs);
        return Some(seconds.min(LONGEST));
    }
    let at = date(text)?;
    let said = headers.get(DATE).and_then(|now| date(now.to_str().ok()?));
    let now = match said {
        Some(now) => now,
        None => SystemTime::UNIX_EPOCH
            .elapsed()
            .ok()?
            .as_secs()
            .try_into()
            .ok()?,
    };
    let seconds = u64::try_from(at.saturating_sub(now)).unwrap_or(0);
    Some(Duration::from_secs(seconds).min(LONGEST))
}

/// Seconds since 1970 of an HTTP date.
fn date(text: &str) -> Option<i64> {
    let read: Timestamp = DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(read.as_second())
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn pause(after: &str, date: Option<&str>) -> Option<u64> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_str(after).unwrap());
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_str(date).unwrap());
        }
        retry_after(&headers).map(|pause| pause.as_secs())
    }

    #[test]
    fn both_forms_are_read() {
        assert_eq!(pause("120", None), Some(120));
        assert_eq!(pause(" 0 ", None), Some(0));
        let now = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(pause("Sun, 06 Nov 1994 08:51:37 GMT", now), Some(120));
        assert_eq!(pause("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(0));
        // long past by the clock of this machine
        assert_eq!(pause("Sun, 06 Nov 1994 08:49:37 GMT", None), Some(0));
    }

    #[test]
    fn nonsense_is_no_pause_and_a_long_one_is_bounded() {
        for after in ["", "soon", "-1", "1.5", "Sun, 99 Nov 1994 08:49:37 GMT"] {
            assert_eq!(pause(after, None), None, "{after}");
        }
        assert_eq!(pause("99999999999999999999", None), Some(LONGEST.as_secs()));
    }
}
