//! Where a part of a string stands in the JSON text of that string.

use std::ops::Range;

/// The bytes of `raw`, a JSON string with its quotes, that spell the bytes `part` of its value.
///
/// `None` where `raw` is no string or ends before the part does.
pub(super) fn spelled(raw: &str, part: &Range<usize>) -> Option<Range<usize>> {
    let inside = raw.strip_prefix('"')?.strip_suffix('"')?;
    let start = offset_of(inside, part.start)?;
    let end = offset_of(inside, part.end)?;
    // one for the quote
    Some(start + 1..end + 1)
}

/// The byte of `inside` at which the value's byte `wanted` is spelled.
fn offset_of(inside: &str, wanted: usize) -> Option<usize> {
    let (mut read, mut value) = (0, 0);
    while value < wanted {
        let rest = inside.get(read..)?;
        let (spelled, meant) = match rest.strip_prefix('\\') {
            None => {
                let length = rest.chars().next()?.len_utf8();
                (length, length)
            }
            Some(escape) if escape.starts_with('u') => match escape.get(1..5)? {
                // a pair of surrogates is one character of four bytes
                digits if is_surrogate(digits) => (12, 4),
                digits => (6, character(digits)?.len_utf8()),
            },
            Some(_) => (2, 1),
        };
        read += spelled;
        value += meant;
    }
    (read <= inside.len()).then_some(read)
}

fn is_surrogate(digits: &str) -> bool {
    u32::from_str_radix(digits, 16).is_ok_and(|unit| (0xd800..0xe000).contains(&unit))
}

fn character(digits: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(raw: &str, part: Range<usize>) -> Option<&str> {
        raw.get(spelled(raw, &part)?)
    }

    #[test]
    fn a_plain_string_is_shifted_by_its_quote() {
        assert_eq!(part(r#""a < b""#, 2..3), Some("<"));
        assert_eq!(part(r#""größer""#, 2..4), Some("ö"));
    }

    #[test]
    fn escapes_are_longer_than_what_they_mean() {
        assert_eq!(part(r#""\"a\" == b""#, 4..6), Some("=="));
        assert_eq!(part(r#""\u00f6 == b""#, 3..5), Some("=="));
        assert_eq!(part(r#""\ud83d\ude00 == b""#, 5..7), Some("=="));
        assert_eq!(part(r#""\n+""#, 1..2), Some("+"));
    }

    #[test]
    fn what_is_not_there_has_no_place() {
        assert_eq!(part("17", 0..1), None);
        assert_eq!(part(r#""ab""#, 1..5), None);
    }
}
