//! Values that a step may read, and what is written where a value is due.

use serde_json::{Value, json};

use super::maker::Maker;

/// What the generator knows of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    /// A whole number; where it is a literal, from 1 to 100.
    Count,
    Number,
    Flag,
    /// A list of texts.
    Texts,
    /// A list of objects with a title and an address.
    Rows,
    /// One of those.
    Row,
    /// A list of which nothing more is known.
    List,
    /// Somebody whom every policy lets in, and always a literal.
    Person,
    /// A path within the run's own folder, and always a literal of its own.
    Path,
    /// A secret of the host.
    Secret,
    Any,
}

/// A value that exists: how it is written within a reference, and its type.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) path: String,
    pub(super) is: Type,
}

const WORDS: &[&str] = &[
    "rust",
    "cedar",
    "weather today",
    "größe",
    "a \"quoted\" word",
    "100 %",
];

impl Maker<'_> {
    /// The path of a value of this type that exists here.
    pub(super) fn existing(&mut self, is: Type) -> Option<String> {
        let fitting: Vec<String> = self
            .seen
            .iter()
            .filter(|seen| seen.is == is)
            .map(|seen| seen.path.clone())
            .collect();
        self.random.pick(&fitting).cloned()
    }

    /// A value of this type: a reference to one that exists, or a literal.
    pub(super) fn value(&mut self, is: Type) -> Value {
        let reads = self.random.chance(60);
        let read = match is {
            Type::Any => {
                let all: Vec<String> = self.seen.iter().map(|seen| seen.path.clone()).collect();
                self.random.pick(&all).cloned()
            }
            // a whole number may have any size when it is read, and an argument has a range
            Type::Number if self.random.chance(50) => self.existing(Type::Count),
            _ => self.existing(is),
        };
        match read {
            Some(path) if reads && is != Type::Text => self.reference(&path),
            Some(path) if reads && self.random.chance(50) => self.reference(&path),
            _ => self.literal(is),
        }
    }

    fn reference(&mut self, path: &str) -> Value {
        self.read(path);
        json!(format!("${{{path}}}"))
    }

    fn literal(&mut self, is: Type) -> Value {
        let number = 1 + self.random.below(100);
        match is {
            Type::Text => json!(self.text()),
            Type::Count => json!(number),
            Type::Number => json!(f64::from(u32::try_from(number).unwrap_or(1)) / 4.0),
            Type::Flag => json!(self.random.chance(50)),
            Type::Texts => json!([self.text(), self.text()]),
            Type::Rows => json!([{"title": self.text(), "url": "https://example.com/a"}]),
            Type::Row => json!({"title": self.text(), "url": "https://example.com/b"}),
            Type::List => json!([number, "x", {"a": null}]),
            Type::Person => json!(self.random.word(&["alice", "bob"])),
            Type::Path => {
                self.paths += 1;
                json!(format!("out/part_{}.txt", self.paths))
            }
            Type::Secret => json!("${secret.TOKEN}"),
            Type::Any => json!({"deep": [{"text": self.text(), "nothing": null}, number]}),
        }
    }

    /// Text with values of this place in it, and with text that is no reference.
    pub(super) fn text(&mut self) -> String {
        let mut text = self.random.word(WORDS).to_owned();
        for _ in 0..self.random.below(3) {
            let is = if self.random.chance(70) {
                Type::Text
            } else {
                Type::Count
            };
            if let Some(path) = self.existing(is) {
                self.read(&path);
                text.extend([" and ${", &path, "}"]);
            }
        }
        if self.random.chance(5) {
            text.push_str(" at $${literal}");
        }
        text
    }

    /// A boolean expression over values of this place.
    pub(super) fn expression(&mut self) -> String {
        let simple = self.comparison();
        if self.random.chance(25) {
            let other = self.comparison();
            let operator = self.random.word(&["&&", "||"]);
            return format!("({simple}) {operator} !({other})");
        }
        simple
    }

    fn comparison(&mut self) -> String {
        let is = *self
            .random
            .pick(&[Type::Count, Type::Text, Type::Flag, Type::Texts, Type::Rows])
            .unwrap_or(&Type::Count);
        let Some(path) = self.existing(is) else {
            self.read("input.count");
            return format!("input.count > {}", self.random.below(10));
        };
        self.read(&path);
        // a path outside braces has names of letters, digits and `_` only
        let operand = if path.contains('-') || self.random.chance(50) {
            format!("${{{path}}}")
        } else {
            path
        };
        let number = self.random.below(50);
        match is {
            Type::Text => format!("{operand} != 'word {number}'"),
            Type::Flag => format!("{operand} == {}", self.random.chance(50)),
            Type::Texts | Type::Rows => format!("size({operand}) > {number}"),
            _ => format!("{operand} + 1 <= {number}"),
        }
    }
}
