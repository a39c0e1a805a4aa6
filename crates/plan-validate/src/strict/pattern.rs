//! The patterns of names, texts and references.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// A name as references spell it without quotes.
pub(super) const NAME: &str = "[A-Za-z_][A-Za-z0-9_]*";
/// A name that is given, so that it is within the bounds of names.
pub(super) const NEW_NAME: &str = "[A-Za-z_][A-Za-z0-9_]{0,47}";
/// The number of a step, behind the name of what it does.
pub(super) const NUMBER: &str = "[0-9]{1,3}";
/// An element of a list.
pub(super) const INDEX: &str = "\\[[0-9]+\\]";

/// Any further way into a value.
pub(super) fn any_path() -> String {
    format!("(?:\\.{NAME}|{INDEX})*")
}

/// Text in which every `${` begins a reference, of steps, inputs or items, and which is no reference alone.
///
/// It never names a secret or the environment. Where people or models read the text, nothing in it is
/// invisible or turns it around.
pub(super) fn text(shown: bool) -> String {
    let hidden = if shown { HIDDEN } else { "" };
    let plain = format!("(?:[^${hidden}]|\\$[^{{{hidden}])");
    let reference = format!(
        "\\$\\{{(?:step\\.{NAME}\\.{NAME}|input\\.{NAME}|item\\.{NAME}){}\\}}",
        any_path()
    );
    let part = format!("(?:{plain}|{reference})");
    format!("^(?:(?:{plain}|{reference}{part}){part}*)?\\$?$")
}

/// Characters that do not show or that change how others do.
const HIDDEN: &str = "\u{ad}\u{61c}\u{180e}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{2064}\u{2066}-\u{2069}\u{feff}\u{e0000}-\u{e007f}";

/// A text that is read as it stands: no `${` is in it.
pub(super) fn literal() -> String {
    "^(?:[^$]|\\$[^{$])*\\$*$".to_owned()
}

/// Text that a person or a model reads, without references.
pub(super) fn shown_literal() -> String {
    format!("^[^$\u{0}-\u{1f}{HIDDEN}]*$")
}

/// Whether no string of a pattern can hold a `$`, as far as is plain to see.
pub(super) fn excludes_references(pattern: &str) -> bool {
    let Some(inside) = pattern
        .strip_prefix('^')
        .and_then(|it| it.strip_suffix('$'))
    else {
        return false;
    };
    let mut chars = inside.chars().peekable();
    let mut in_class = false;
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let is_plain = match c {
            // a class of letters and digits, or a mark that is no `$`
            '\\' => chars.next().is_some_and(|next| "dw.-/_+@:".contains(next)),
            '[' if !in_class => {
                in_class = true;
                // what a negated class does not name is in it
                chars.peek() != Some(&'^')
            }
            ']' => {
                in_class = false;
                true
            }
            // a range of other ends than letters or digits may hold anything
            '-' if in_class && before != '[' && chars.peek() != Some(&']') => {
                let alike = |next: &char| {
                    (before.is_ascii_digit() && next.is_ascii_digit())
                        || (before.is_ascii_lowercase() && next.is_ascii_lowercase())
                        || (before.is_ascii_uppercase() && next.is_ascii_uppercase())
                };
                chars.peek().is_some_and(alike)
            }
            c if in_class => c.is_ascii_alphanumeric() || "_-/:@ .,+".contains(c),
            c => c.is_ascii_alphanumeric() || "-_/:@ +*?{},".contains(c),
        };
        if !is_plain {
            return false;
        }
        before = c;
    }
    true
}

/// Text as a pattern that is that text alone.
pub(super) fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if !c.is_alphanumeric() && c != '_' {
            // writing to a String does not fail
            let _ = write!(pattern, "\\");
        }
        pattern.push(c);
    }
    pattern
}

/// A string of a pattern.
pub(super) fn matching(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_patterns_without_room_for_a_dollar_exclude_references() {
        for pattern in [
            "^[a-z]+$",
            "^\\d{4}-\\d{2}$",
            "^[A-Za-z0-9_-]{1,9}$",
            "^ab?c*$",
            "^[.,_-]$",
        ] {
            assert!(excludes_references(pattern), "{pattern}");
        }
        for pattern in [
            "a", "^.*$", "^[^a]$", "^\\S+$", "^a|b$", "^[!-~]$", "^[ -z]$", "^\\$$", "^(a)$",
        ] {
            assert!(!excludes_references(pattern), "{pattern}");
        }
    }
}
