//! Striking secrets out of whatever a call returns.

use serde_json::{Map, Value};

/// What stands in place of a secret.
const MASK: &str = "***";

/// The values of the secrets that a run has lent so far.
#[derive(Clone, Default)]
pub(crate) struct Redactor(Vec<String>);

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} secrets)", self.0.len())
    }
}

impl Redactor {
    /// Strikes this value from now on. The longest are struck first, so that one within another leaves no rest.
    pub(crate) fn add(&mut self, secret: &str) {
        if secret.is_empty() || self.0.iter().any(|known| known == secret) {
            return;
        }
        self.0.push(secret.to_owned());
        self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    }

    /// Whether there is nothing to strike.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Strikes secrets out of a text.
    pub(crate) fn text(&self, text: &mut String) {
        for secret in &self.0 {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), MASK);
            }
        }
    }

    /// Strikes secrets out of a text that may be absent.
    pub(crate) fn optional(&self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.text(text);
        }
    }

    /// Strikes secrets out of every string and every member's name of a value.
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
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }

    fn names(&self, members: &mut Map<String, Value>) {
        let told = |name: &String| self.0.iter().any(|secret| name.contains(secret.as_str()));
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
