//! String literals: where they end, and what they say.

use std::borrow::Cow;

/// A string literal that breaks the grammar.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StringFault {
    /// What is wrong, as a clause.
    pub(crate) message: String,
    /// The byte offset in the text.
    pub(crate) at: usize,
}

/// Reads the string whose opening quote is at `start`.
///
/// Returns the offset after the closing quote, and the text where it differs
/// from what stands between the quotes.
pub(crate) fn scan(text: &str, start: usize) -> Result<(usize, Option<String>), StringFault> {
    let bytes = text.as_bytes();
    let mut unescaped: Option<String> = None;
    // what is before `copied` is in `unescaped` once that exists
    let (mut at, mut copied) = (start + 1, start + 1);
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(plain) = rest
            .iter()
            .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F))
        else {
            return Err(fault("a string is not closed", start));
        };
        at += plain;
        match bytes.get(at) {
            Some(b'"') => {
                if let Some(unescaped) = &mut unescaped {
                    unescaped.push_str(text.get(copied..at).unwrap_or_default());
                }
                return Ok((at + 1, unescaped));
            }
            Some(b'\\') => {
                let unescaped = unescaped.get_or_insert_default();
                unescaped.push_str(text.get(copied..at).unwrap_or_default());
                let (character, after) = escape(bytes, at)?;
                unescaped.push(character);
                (at, copied) = (after, after);
            }
            Some(b'\n' | b'\r') => {
                return Err(fault(
                    "a string holds a line break, which is written `\\n`",
                    at,
                ));
            }
            Some(control) => {
                return Err(fault(
                    format!("a string holds the control character U+{control:04X}"),
                    at,
                ));
            }
            None => return Err(fault("a string is not closed", start)),
        }
    }
}

/// The character that the backslash at `at` begins, and the offset after it.
fn escape(bytes: &[u8], at: usize) -> Result<(char, usize), StringFault> {
    let simple = match bytes.get(at + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{C}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(bytes, at),
        Some(_) => return Err(fault("a string holds an unknown escape", at)),
        None => return Err(fault("a string is not closed", at)),
    };
    Ok((simple, at + 2))
}

fn unicode(bytes: &[u8], at: usize) -> Result<(char, usize), StringFault> {
    let unit = unit(bytes, at)?;
    if let Some(character) = char::from_u32(unit) {
        return Ok((character, at + 6));
    }
    let lone = || fault("a string holds half of a surrogate pair", at);
    if unit >= 0xDC00 || bytes.get(at + 6..at + 8) != Some(b"\\u") {
        return Err(lone());
    }
    let low = self::unit(bytes, at + 6)?;
    if !(0xDC00..0xE000).contains(&low) {
        return Err(lone());
    }
    let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    let character = char::from_u32(code).ok_or_else(lone)?;
    Ok((character, at + 12))
}

/// The four hexadecimal digits of the `\u` at `at`.
fn unit(bytes: &[u8], at: usize) -> Result<u32, StringFault> {
    bytes
        .get(at + 2..at + 6)
        .and_then(|digits| {
            digits.iter().try_fold(0, |unit, digit| {
                Some(unit << 4 | char::from(*digit).to_digit(16)?)
            })
        })
        .ok_or_else(|| fault("`\\u` is not followed by four hexadecimal digits", at))
}

fn fault(message: impl Into<String>, at: usize) -> StringFault {
    StringFault {
        message: message.into(),
        at,
    }
}

/// The offset in the source text of a byte of an unescaped string.
///
/// `literal` is the source of the string, quotes included; the result counts from its start.
pub(crate) fn source_offset(literal: &str, unescaped: usize) -> usize {
    let bytes = literal.as_bytes();
    let (mut at, mut seen) = (1, 0);
    while seen < unescaped && at + 1 < bytes.len() {
        if bytes.get(at) == Some(&b'\\') {
            let Ok((character, after)) = escape(bytes, at) else {
                break;
            };
            seen += character.len_utf8();
            at = after;
        } else {
            seen += 1;
            at += 1;
        }
    }
    at
}

/// A text as a JSON string literal, capped in length by the caller.
pub(crate) fn quoted(text: &str) -> Cow<'_, str> {
    if text.contains(|character: char| character.is_control()) {
        text.escape_debug().to_string().into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(literal: &str) -> Result<String, StringFault> {
        let (end, unescaped) = scan(literal, 0)?;
        assert_eq!(end, literal.len());
        Ok(unescaped.unwrap_or_else(|| literal.get(1..end - 1).unwrap().to_owned()))
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(
            text_of(r#""a\"\\\/\b\f\n\r\tß\u00e9\ud83d\ude00z""#).unwrap(),
            "a\"\\/\u{8}\u{C}\n\r\tßé😀z"
        );
    }

    #[test]
    fn faults_name_their_place() {
        let at = |literal: &str| scan(literal, 0).unwrap_err().at;
        assert_eq!(at("\"abc"), 0);
        assert_eq!(at("\"ab\u{1}\""), 3);
        assert_eq!(at(r#""a\x""#), 2);
        assert_eq!(at(r#""a\u12""#), 2);
        assert_eq!(at(r#""a\ud800""#), 2);
        assert_eq!(at(r#""a\udc00\ud800""#), 2);
        assert_eq!(at(r#""a\ud800\u0041""#), 2);
    }

    #[test]
    fn offsets_are_found_through_escapes() {
        let literal = r#""\u00e9é\n${x}""#;
        let text = text_of(literal).unwrap();
        let unescaped = text.find('$').unwrap();
        assert_eq!(
            source_offset(literal, unescaped),
            literal.find('$').unwrap()
        );
    }
}
