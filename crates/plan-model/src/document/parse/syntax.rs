//! The grammar of scalars, and words for what breaks it.

use crate::document::{ProblemKind, Span};

use super::Fault;

/// The text, when the bytes are UTF-8 without a byte order mark.
pub(super) fn text(bytes: &[u8]) -> Result<&str, Fault> {
    let fault = |message: String, start, end| Fault {
        kind: ProblemKind::InvalidJson { message },
        span: Span { start, end },
    };
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        return Err(fault(
            "the document begins with a byte order mark".into(),
            0,
            3,
        ));
    }
    if bytes.starts_with(b"\xFE\xFF") || bytes.starts_with(b"\xFF\xFE") {
        return Err(fault("the document is UTF-16, not UTF-8".into(), 0, 2));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        fault(
            format!("the byte 0x{byte:02X} is not UTF-8"),
            at,
            at + error.error_len().unwrap_or(bytes.len() - at),
        )
    })
}

/// The length of the number at the start of `bytes`, or what breaks its grammar and where.
pub(super) fn number(bytes: &[u8]) -> Result<usize, (&'static str, usize)> {
    let digits = |from: usize| {
        bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(at);
    match (bytes.get(at), whole) {
        (_, 0) => return Err(("a number needs a digit here", at)),
        (Some(b'0'), 2..) => return Err(("a number begins with a needless zero", at)),
        _ => at += whole,
    }
    if bytes.get(at) == Some(&b'.') {
        match digits(at + 1) {
            0 => return Err(("a number needs a digit after its point", at + 1)),
            fraction => at += 1 + fraction,
        }
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        match digits(at) {
            0 => return Err(("a number needs a digit in its exponent", at)),
            exponent => at += exponent,
        }
    }
    match bytes.get(at) {
        Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'+') => {
            Err(("a number goes on in a way that JSON does not have", at))
        }
        _ => Ok(at),
    }
}

/// Why no value begins with `rest`.
pub(super) fn no_value(rest: &[u8]) -> &'static str {
    const WORDS: &[(&[u8], &str)] = &[
        (b"NaN", "`NaN` is no JSON value"),
        (b"Infinity", "`Infinity` is no JSON value"),
        (b"True", "`True` is written `true`"),
        (b"False", "`False` is written `false`"),
        (b"None", "`None` is written `null`"),
        (b"undefined", "`undefined` is no JSON value"),
        (b"//", "JSON has no comments"),
        (b"/*", "JSON has no comments"),
        (b"#", "JSON has no comments"),
        (b"'", "a string stands in single quotes, not double ones"),
        (b"+", "a number does not begin with `+`"),
        (b".", "a number does not begin with its point"),
    ];
    WORDS
        .iter()
        .find(|(word, _)| rest.starts_with(word))
        .map_or("a value should stand here", |(_, message)| message)
}

/// The character at an offset; empty at the end.
pub(super) fn character_at(text: &str, at: usize) -> Span {
    let start = at.min(text.len());
    let length = text
        .get(start..)
        .and_then(|rest| rest.chars().next())
        .map_or(0, char::len_utf8);
    Span {
        start,
        end: start + length,
    }
}
