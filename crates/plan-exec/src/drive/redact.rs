//! Striking secrets out of whatever a call returns, in whatever form it is cheap to look for.

mod forms;

use serde_json::{Map, Value};

/// The fewest characters of a secret's end or beginning that are struck where a text was cut.
const SHORTEST_REST: usize = 6;

/// What stands in place of a secret.
const MASK: &str = "***";

/// The values of the secrets that a run has lent so far.
#[derive(Clone, Default)]
pub(crate) struct Redactor {
    /// Every form of every secret, the longest first.
    forms: Vec<String>,
    secrets: Vec<String>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} secrets)", self.secrets.len())
    }
}

impl Redactor {
    /// Strikes this value from now on. The longest are struck first, so that one within another leaves no rest.
    pub(crate) fn add(&mut self, secret: &str) {
        if secret.is_empty() || self.secrets.iter().any(|known| known == secret) {
            return;
        }
        self.secrets.push(secret.to_owned());
        self.forms.extend(forms::of(secret));
        self.forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
    }

    /// Whether there is nothing to strike.
    pub(crate) fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Strikes secrets out of a text.
    pub(crate) fn text(&self, text: &mut String) {
        for secret in &self.forms {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), MASK);
            }
        }
    }

    /// Strikes secrets out of the last of a stream, also one that was cut where the stream was.
    pub(crate) fn tail(&self, text: &mut String) {
        self.text(text);
        for form in &self.forms {
            let rests = form
                .char_indices()
                .skip(1)
                .filter_map(|(at, _)| form.get(at..));
            let mut rests = rests.take_while(|rest| rest.len() >= SHORTEST_REST);
            if let Some(rest) = rests.find(|rest| text.starts_with(rest)) {
                text.replace_range(..rest.len(), MASK);
                return;
            }
        }
    }

    /// Strikes secrets out of the first of a text, also one that was cut where the text was: before `…`.
    pub(crate) fn head(&self, text: &mut String) {
        self.text(text);
        let Some(kept) = text.strip_suffix('…').map(str::len) else {
            return;
        };
        for form in &self.forms {
            let starts = form
                .char_indices()
                .rev()
                .filter_map(|(at, _)| form.get(..at));
            let mut starts = starts.take_while(|start| start.len() >= SHORTEST_REST);
            let shown = text.get(..kept).unwrap_or_default();
            if let Some(start) = starts.find(|start| shown.ends_with(start)) {
                text.replace_range(kept.saturating_sub(start.len())..kept, MASK);
                return;
            }
        }
    }

    /// As [`Redactor::tail`], for a text that may be absent.
    pub(crate) fn optional_tail(&self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.tail(text);
        }
    }

    /// Strikes secrets out of every string, every number and every member's name of a value.
    pub(crate) fn value(&self, value: &mut Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) => self.text(text),
                Value::Array(items) => open.extend(items),
                Value::Object(members) => {
                    self.names(members);
                    open.extend(members.iter_mut().map(|(_, member)| member));
                }
                Value::Number(number) if self.is_told_by(number) => *value = MASK.into(),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }

    /// Whether a number is a secret of digits. One that is shorter than [`SHORTEST_REST`] is any number.
    fn is_told_by(&self, number: &serde_json::Number) -> bool {
        let digits = number.to_string();
        digits.len() >= SHORTEST_REST && self.secrets.contains(&digits)
    }

    fn names(&self, members: &mut Map<String, Value>) {
        let told = |name: &String| {
            self.forms
                .iter()
                .any(|secret| name.contains(secret.as_str()))
        };
        if members.keys().any(told) {
            *members = std::mem::take(members)
                .into_iter()
                .map(|(mut name, member)| {
                    self.text(&mut name);
                    (name, member)
                })
                .collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn redactor() -> Redactor {
        let mut redactor = Redactor::default();
        redactor.add("s3cr3t-canary");
        redactor
    }

    #[test]
    fn a_secret_that_was_cut_with_its_text_is_struck_too() {
        for (cut, struck) in [
            ("t-canary and more", "*** and more"),
            ("s3cr3t-canary and", "*** and"),
            ("nary is too short", "nary is too short"),
        ] {
            let mut text = cut.to_owned();
            redactor().tail(&mut text);
            assert_eq!(text, struck);
        }
        for (cut, struck) in [
            ("more of s3cr3t-can…", "more of ***…"),
            ("more of s3c…", "more of s3c…"),
            ("not cut s3cr3t-can", "not cut s3cr3t-can"),
        ] {
            let mut text = cut.to_owned();
            redactor().head(&mut text);
            assert_eq!(text, struck);
        }
    }

    #[test]
    fn what_is_made_of_a_secret_is_struck_too() {
        let mut text = "Basic dXNlcjpzM2NyM3QtY2FuYXJ5 7333637233742d63616e617279".to_owned();
        redactor().text(&mut text);
        assert!(
            text.starts_with("Basic dXNlcj") && text.ends_with(" ***"),
            "{text}"
        );
        assert!(!text.contains("zM2NyM3QtY2FuYXJ5"), "{text}");
    }

    #[test]
    fn case_42_a_secret_of_digits_is_struck_where_it_became_a_number() {
        let mut redactor = Redactor::default();
        redactor.add("4929123456781234");
        redactor.add("-271828.5");
        redactor.add("42");
        let mut value = json!({"card": 4_929_123_456_781_234_u64, "all": [-271_828.5, 42, 4929]});
        redactor.value(&mut value);
        assert_eq!(value, json!({"card": "***", "all": ["***", 42, 4929]}));
    }

    #[test]
    fn a_secret_is_struck_from_strings_and_names_at_any_depth() {
        let mut redactor = Redactor::default();
        redactor.add("key");
        redactor.add("key-long");
        let mut value = json!({"a": ["x key-long y", 1], "key": {"b": "key"}});
        redactor.value(&mut value);
        assert_eq!(value, json!({"a": ["x *** y", 1], "***": {"b": "***"}}));
    }
}
