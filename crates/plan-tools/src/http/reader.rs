//! Reading a `config`: every problem, not the first.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::problem::HttpProblem;
use super::template::Template;

/// The members of a `config` that were not read yet, and what was wrong with those that were.
#[derive(Debug)]
pub(super) struct Reader {
    members: Map<String, Value>,
    known: Vec<&'static str>,
    pub(super) problems: Vec<HttpProblem>,
}

impl Reader {
    pub(super) fn new(members: Map<String, Value>) -> Self {
        Self {
            members,
            known: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// A member; null is absence.
    pub(super) fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.members.remove(name).filter(|value| !value.is_null())
    }

    pub(super) fn say(&mut self, problem: HttpProblem) {
        self.problems.push(problem);
    }

    pub(super) fn wrong(&mut self, member: &str, expected: &str) {
        self.say(HttpProblem::Shape {
            member: member.to_owned(),
            expected: expected.to_owned(),
        });
    }

    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        if let Value::String(text) = self.take(name)? {
            return Some(text);
        }
        self.wrong(name, "a string");
        None
    }

    pub(super) fn flag(&mut self, name: &'static str) -> bool {
        match self.take(name) {
            Some(Value::Bool(flag)) => flag,
            Some(_) => {
                self.wrong(name, "`true` or `false`");
                false
            }
            None => false,
        }
    }

    /// A whole number from `least` to `most`.
    pub(super) fn count(&mut self, name: &'static str, least: u64, most: u64) -> Option<u64> {
        let count = self.take(name)?.as_u64();
        let count = count.filter(|count| (least..=most).contains(count));
        if count.is_none() {
            self.wrong(name, &format!("a whole number from {least} to {most}"));
        }
        count
    }

    /// One word of a closed set.
    pub(super) fn word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Option<T> {
        let given = self.take(name)?;
        let found = words
            .iter()
            .find(|(word, _)| given.as_str() == Some(*word))
            .map(|(_, meaning)| *meaning);
        if found.is_none() {
            let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            self.wrong(name, &format!("one of {}", words.join(", ")));
        }
        found
    }

    /// A list of elements that `read` takes.
    pub(super) fn list<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Vec<T> {
        let Some(value) = self.take(name) else {
            return Vec::new();
        };
        let list = value
            .as_array()
            .and_then(|list| list.iter().map(&read).collect());
        if list.is_none() {
            self.wrong(name, expected);
        }
        list.unwrap_or_default()
    }

    /// A text that has places for values; `None` where it cannot be read.
    pub(super) fn template(&mut self, text: &str) -> Option<Template> {
        match Template::parse(text) {
            Ok(template) => Some(template),
            Err(problem) => {
                self.say(problem);
                None
            }
        }
    }

    /// Templates by name, in the order of the names.
    pub(super) fn templates(&mut self, name: &'static str) -> Option<Vec<(String, Template)>> {
        let table = self.take(name)?;
        Some(self.templates_of(name, table))
    }

    /// As [`Reader::templates`], of a value that was taken. Numbers and booleans are their own text.
    pub(super) fn templates_of(&mut self, name: &str, table: Value) -> Vec<(String, Template)> {
        let Value::Object(table) = table else {
            self.wrong(name, "an object of texts");
            return Vec::new();
        };
        let table: BTreeMap<String, Value> = table.into_iter().collect();
        let mut templates = Vec::with_capacity(table.len());
        for (key, value) in table {
            let text = match value {
                Value::String(text) => text,
                Value::Number(_) | Value::Bool(_) => value.to_string(),
                _ => {
                    self.wrong(&format!("{name}.{key}"), "a text");
                    continue;
                }
            };
            if let Some(template) = self.template(&text) {
                templates.push((key, template));
            }
        }
        templates
    }

    /// Reports what nobody took, and hands over all problems.
    pub(super) fn finish(self) -> Vec<HttpProblem> {
        let known: Vec<String> = self.known.iter().map(|name| format!("`{name}`")).collect();
        let known = known.join(", ");
        let left: BTreeMap<String, Value> = self.members.into_iter().collect();
        let mut problems = self.problems;
        problems.extend(left.into_keys().map(|member| HttpProblem::Unknown {
            member,
            known: known.clone(),
        }));
        problems
    }
}
