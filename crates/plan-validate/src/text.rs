//! Pieces of other people's text on their way into a message.

use std::borrow::Cow;

use plan_model::ValueType;
use serde_json::Value;

use crate::credential;

/// The most characters of a quoted value.
const MOST_QUOTED: usize = 80;

/// So many characters are looked at for credentials: enough to know one that is cut.
const LOOKED_AT: usize = MOST_QUOTED + 256;

/// The text without control characters and without what looks like a credential, cut to what a
/// message can hold.
pub(crate) fn capped(text: &str) -> Cow<'_, str> {
    let end = text.char_indices().nth(LOOKED_AT).map(|(at, _)| at);
    match credential::masked(end.and_then(|at| text.get(..at)).unwrap_or(text)) {
        Cow::Borrowed(_) => cut(text),
        Cow::Owned(masked) => Cow::Owned(cut(&masked).into_owned()),
    }
}

fn cut(text: &str) -> Cow<'_, str> {
    let long = text.char_indices().nth(MOST_QUOTED).map(|(at, _)| at);
    if long.is_none() && !text.chars().any(unprintable) {
        return Cow::Borrowed(text);
    }
    let head = long.and_then(|at| text.get(..at)).unwrap_or(text);
    let mut shown: String = head
        .chars()
        .map(|c| if unprintable(c) { '\u{fffd}' } else { c })
        .collect();
    if long.is_some() {
        shown.push('…');
    }
    Cow::Owned(shown)
}

/// The text in backticks, cut to what a message can hold.
pub(crate) fn quoted(text: impl AsRef<str>) -> String {
    format!("`{}`", capped(text.as_ref()))
}

/// Names in backticks with commas between them, at most five and the count of the rest.
pub(crate) fn listed<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let mut names = names.into_iter();
    let mut shown: Vec<String> = names.by_ref().take(5).map(quoted).collect();
    let rest = names.count();
    if rest > 0 {
        shown.push(format!("{rest} more"));
    }
    shown.join(", ")
}

/// Whether arrays and objects nest deeper than `limit`; without recursion.
pub(crate) fn depth_exceeds(value: &Value, limit: usize) -> bool {
    let mut left = vec![(value, 0)];
    while let Some((value, depth)) = left.pop() {
        let depth = depth + usize::from(value.is_array() || value.is_object());
        if depth > limit {
            return true;
        }
        match value {
            Value::Array(items) => left.extend(items.iter().map(|item| (item, depth))),
            Value::Object(members) => left.extend(members.values().map(|m| (m, depth))),
            _ => {}
        }
    }
    false
}

/// A declared type, with its article.
pub(crate) fn value_type(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::String => "a string",
        ValueType::Number => "a number",
        ValueType::Integer => "an integer",
        ValueType::Boolean => "a boolean",
        ValueType::Object => "an object",
        ValueType::Array => "an array",
        ValueType::Any => "anything",
    }
}

/// Characters that do not show, or that change how others show.
pub(crate) fn unprintable(c: char) -> bool {
    c.is_control() || is_bidi_control(c) || is_zero_width(c)
}

/// Characters that change the direction of the text around them.
pub(crate) fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Characters that take no place on the screen.
pub(crate) fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{00ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{180e}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_cut_by_characters() {
        let text = "ü".repeat(200);
        assert_eq!(capped(&text).chars().count(), MOST_QUOTED + 1);
    }

    #[test]
    fn a_credential_does_not_reach_a_message() {
        let token = format!("ghp_{}", "a1B2c3".repeat(6));
        assert_eq!(quoted(&token), "`ghp_***`");
        let late = format!("{} {token}", "x".repeat(70));
        assert!(!capped(&late).contains("a1B2"));
    }

    #[test]
    fn controls_do_not_reach_a_message() {
        assert_eq!(quoted("a\u{1b}[31m\u{202e}b"), "`a\u{fffd}[31m\u{fffd}b`");
    }

    #[test]
    fn a_list_names_five_and_counts_the_rest() {
        assert_eq!(listed(["a", "b"]), "`a`, `b`");
        assert_eq!(
            listed(["a", "b", "c", "d", "e", "f", "g"]),
            "`a`, `b`, `c`, `d`, `e`, 2 more"
        );
    }
}
