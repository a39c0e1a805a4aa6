//! The RFC 8785 form of JSON: sorted keys, no blanks, one spelling of every number.

use std::fmt;

use serde_json::{Map, Number, Value};

/// The RFC 8785 form of a value, except that integers are written in full.
///
/// RFC 8785 writes every number as a double would be; here an integer of up to
/// 64 bits keeps all its digits. Recurses over the value, whose depth the
/// reader has bounded.
///
/// ```
/// use plan_model::canonical_json;
/// use serde_json::json;
///
/// let value = json!({ "b": [1.0, 1e21, u64::MAX], "a": "é\n" });
/// assert_eq!(canonical_json(&value), r#"{"a":"é\n","b":[1,1e+21,18446744073709551615]}"#);
/// ```
pub fn canonical_json(value: &Value) -> String {
    let mut text = String::new();
    // writing to a String does not fail
    let _ = write_canonical(value, &mut text);
    text
}

/// Writes the canonical form of a value, piece by piece.
///
/// # Errors
/// Only those of `out`.
pub fn write_canonical(value: &Value, out: &mut dyn fmt::Write) -> fmt::Result {
    match value {
        Value::Null => out.write_str("null"),
        Value::Bool(true) => out.write_str("true"),
        Value::Bool(false) => out.write_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_text(text, out),
        Value::Array(items) => {
            out.write_char('[')?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.write_char(',')?;
                }
                write_canonical(item, out)?;
            }
            out.write_char(']')
        }
        Value::Object(members) => {
            out.write_char('{')?;
            for (index, (name, member)) in sorted(members).enumerate() {
                if index > 0 {
                    out.write_char(',')?;
                }
                write_text(name, out)?;
                out.write_char(':')?;
                write_canonical(member, out)?;
            }
            out.write_char('}')
        }
    }
}

/// The members of an object, sorted by the UTF-16 code units of their names.
pub(crate) fn sorted(members: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| {
        // the two orders differ only where a surrogate meets a higher unit of the basic plane
        if a.is_ascii() && b.is_ascii() {
            a.cmp(b)
        } else {
            a.encode_utf16().cmp(b.encode_utf16())
        }
    });
    sorted.into_iter()
}

/// Writes a text as a JSON string with the fewest escapes.
pub(crate) fn write_text<W: fmt::Write + ?Sized>(text: &str, out: &mut W) -> fmt::Result {
    out.write_char('"')?;
    write_escaped(text, out)?;
    out.write_char('"')
}

/// Writes what something shows as such a string, piece by piece.
pub(crate) fn write_shown<W: fmt::Write + ?Sized>(
    text: &dyn fmt::Display,
    out: &mut W,
) -> fmt::Result {
    out.write_char('"')?;
    fmt::Write::write_fmt(&mut Escaping(out), format_args!("{text}"))?;
    out.write_char('"')
}

/// The inside of a JSON string.
struct Escaping<'o, W: ?Sized>(&'o mut W);

impl<W: fmt::Write + ?Sized> fmt::Write for Escaping<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        write_escaped(text, self.0)
    }
}

fn write_escaped<W: fmt::Write + ?Sized>(text: &str, out: &mut W) -> fmt::Result {
    let is_escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_escaped) {
        let (plain, from) = rest.split_at(at);
        out.write_str(plain)?;
        let mut characters = from.chars();
        match characters.next() {
            Some('"') => out.write_str("\\\"")?,
            Some('\\') => out.write_str("\\\\")?,
            Some('\u{8}') => out.write_str("\\b")?,
            Some('\t') => out.write_str("\\t")?,
            Some('\n') => out.write_str("\\n")?,
            Some('\u{c}') => out.write_str("\\f")?,
            Some('\r') => out.write_str("\\r")?,
            Some(control) => write!(out, "\\u{:04x}", u32::from(control))?,
            None => {}
        }
        rest = characters.as_str();
    }
    out.write_str(rest)
}

fn write_number(number: &Number, out: &mut dyn fmt::Write) -> fmt::Result {
    if let Some(integer) = number.as_i64() {
        write!(out, "{integer}")
    } else if let Some(integer) = number.as_u64() {
        write!(out, "{integer}")
    } else if let Some(double) = number.as_f64() {
        write_double(double, out)
    } else {
        // over the range of a double: the reader lets no such number in
        write!(out, "{number}")
    }
}

/// Writes a double as ECMAScript does: the shortest digits that read back, of two such the closer one, and of two that
/// are as close the even one; laid out plainly from 1e-6 up to 1e21.
fn write_double(double: f64, out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str(ryu_js::Buffer::new().format(double))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_written_as_ecmascript_does() {
        for (double, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (1e-6, "0.000001"),
            (1.5e-6, "0.0000015"),
            (1e-7, "1e-7"),
            (1.25e-7, "1.25e-7"),
            (123_456.789, "123456.789"),
            (1e20, "100000000000000000000"),
            (1.2345e20, "123450000000000000000"),
            (1e21, "1e+21"),
            (1.797_693_134_862_315_7e308, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            // as close to …063 as to …062
            (f64::from_bits(0xc2b1_4f30_a610_5b10), "-19031816278107.062"),
        ] {
            assert_eq!(canonical_json(&json!(double)), text);
        }
    }

    #[test]
    fn integers_are_written_in_full() {
        assert_eq!(canonical_json(&json!(u64::MAX)), "18446744073709551615");
        assert_eq!(canonical_json(&json!(i64::MIN)), "-9223372036854775808");
        assert_eq!(
            canonical_json(&json!(9_007_199_254_740_993_u64)),
            "9007199254740993"
        );
    }

    #[test]
    fn keys_are_sorted_by_utf16_code_units() {
        let value = json!({ "\u{fb33}": 1, "\u{1f600}": 2, "\u{80}": 3, "\r": 4, "1": 5, "é": 6 });
        assert_eq!(
            canonical_json(&value),
            "{\"\\r\":4,\"1\":5,\"\u{80}\":3,\"é\":6,\"\u{1f600}\":2,\"\u{fb33}\":1}"
        );
    }

    #[test]
    fn texts_have_the_fewest_escapes() {
        assert_eq!(
            canonical_json(&json!("\u{8}\t\n\u{c}\r\u{0}\u{1f}\"\\/\u{7f}\u{2028}€")),
            "\"\\b\\t\\n\\f\\r\\u0000\\u001f\\\"\\\\/\u{7f}\u{2028}€\""
        );
    }
}
