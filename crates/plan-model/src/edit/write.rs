//! Values as they are put into a text that is written in a certain way.

use serde_json::Value;

use crate::document::Document;

/// Whether blanks stand behind commas and colons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// `{"a": [1, 2]}`
    Spaced,
    /// `{"a":[1,2]}`
    Tight,
}

impl Layout {
    /// How a document is written, as its first member shows.
    pub(super) fn of(document: &Document) -> Self {
        let first = document.root().members().next();
        let tight = first.is_some_and(|(key, value)| value.span().start == key.span().end + 1);
        if tight { Self::Tight } else { Self::Spaced }
    }

    pub(super) fn comma(self) -> &'static str {
        match self {
            Self::Spaced => ", ",
            Self::Tight => ",",
        }
    }

    pub(super) fn colon(self) -> &'static str {
        match self {
            Self::Spaced => ": ",
            Self::Tight => ":",
        }
    }
}

/// A value in one line, members in the order of their names. Recursion is as deep as the value.
pub(super) fn written(value: &Value, layout: Layout) -> String {
    let mut text = String::new();
    write(value, layout, &mut text);
    text
}

fn write(value: &Value, layout: Layout, into: &mut String) {
    match value {
        Value::Array(items) => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    into.push_str(layout.comma());
                }
                write(item, layout, into);
            }
            into.push(']');
        }
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort();
            into.push('{');
            for (index, name) in names.into_iter().enumerate() {
                if index > 0 {
                    into.push_str(layout.comma());
                }
                into.push_str(&Value::from(name.as_str()).to_string());
                into.push_str(layout.colon());
                if let Some(member) = members.get(name) {
                    write(member, layout, into);
                }
            }
            into.push('}');
        }
        scalar => into.push_str(&scalar.to_string()),
    }
}
