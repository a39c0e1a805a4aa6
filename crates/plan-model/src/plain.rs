//! What people read of values: their type in words, and text without what a terminal would obey.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

use serde_json::Value;

/// The JSON type of a value, with its article.
pub fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Takes out control sequences, control characters but line ends and tabs, and bidirectional controls.
pub fn plain_text(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers_terminal) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => skip_escape(&mut characters),
            '\u{9b}' => skip_control_sequence(&mut characters),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut characters),
            // a line end of another system
            '\r' if characters.peek() == Some(&'\n') => {}
            unsafe_one if steers_terminal(unsafe_one) => {}
            other => kept.push(other),
        }
    }
    Cow::Owned(kept)
}

/// Whether a terminal would obey a character, or let it change what stands beside it.
pub fn steers_terminal(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            true
        }
        other => other.is_control(),
    }
}

/// What follows ESC, up to where a terminal would take text again.
fn skip_escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_string(rest);
        }
        _ => {
            while rest.next_if(|next| matches!(next, ' '..='/')).is_some() {}
            let _ = rest.next_if(|next| matches!(next, '0'..='~'));
        }
    }
}

/// Parameters, and the letter that ends them.
fn skip_control_sequence(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|next| matches!(next, ' '..='?')).is_some() {}
    let _ = rest.next_if(|next| matches!(next, '@'..='~'));
}

/// A string of the terminal's own; one that never ends is cut at the line's end.
fn skip_string(rest: &mut Peekable<Chars<'_>>) {
    while let Some(next) = rest.next_if(|next| *next != '\n') {
        match next {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                let _ = rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_43_control_sequences_are_taken_out_whole() {
        for (text, expected) in [
            ("plain\ttext\nhere", "plain\ttext\nhere"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{1b}[2J\u{1b}[1;1Hb", "ab"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{9b}31mred", "red"),
            ("\u{9d}0;title\u{9c}text", "text"),
            ("\u{1b}(Btext", "text"),
            ("\u{1b}cgone", "gone"),
            ("over\rwritten", "overwritten"),
            ("two\r\nlines", "two\nlines"),
            ("bell\u{7}back\u{8}null\0del\u{7f}", "bellbacknulldel"),
            ("\u{202e}txt.exe", "txt.exe"),
            ("\u{1b}]0;never ends\nnext line", "\nnext line"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
        ] {
            assert_eq!(plain_text(text), expected, "{text:?}");
        }
    }
}
