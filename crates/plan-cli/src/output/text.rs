//! What others wrote, on its way to a terminal.

use std::borrow::Cow;
use std::fmt::Write;

use planwright::model::steers_terminal;

pub(crate) use planwright::model::plain_text as plain;

/// What somebody else wrote, set off from our own words: capped, and with its further lines indented,
/// so that none of it passes for a line of ours.
pub(crate) fn data(text: &str, most: usize) -> String {
    let text = plain(text.trim_end());
    let mut shown = String::new();
    for (at, character) in text.chars().enumerate() {
        if at == most {
            let rest = text.chars().count().saturating_sub(most);
            let _ = write!(shown, "… ({rest} more characters)");
            break;
        }
        shown.push(character);
        if character == '\n' {
            shown.push_str("  | ");
        }
    }
    shown
}

/// JSON text in which the same characters are written as escapes. They stand only in strings.
pub(super) fn escaped(json: &str) -> Cow<'_, str> {
    if !json.chars().any(steers_terminal) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if steers_terminal(character) {
            // all of them are in the basic plane; writing to a string does not fail
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_43_what_others_wrote_is_capped_and_set_off() {
        for (text, most, expected) in [
            ("one line\n", 80, "one line"),
            ("a\nrun r: succeeded", 80, "a\n  | run r: succeeded"),
            ("a\u{1b}[2Jb", 80, "ab"),
            ("äöüß", 4, "äöüß"),
            ("äöüß!", 3, "äöü… (2 more characters)"),
        ] {
            assert_eq!(data(text, most), expected, "{text:?}");
        }
    }

    #[test]
    fn case_43_json_stays_the_same_value() {
        let value = serde_json::json!({"k\u{9b}": "a\u{7f}b\u{202e}c\u{1b}[31m\n"});
        let text = value.to_string();
        let safe = escaped(&text);
        assert!(!safe.chars().any(steers_terminal), "{safe}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&safe).unwrap(),
            value
        );
    }
}
