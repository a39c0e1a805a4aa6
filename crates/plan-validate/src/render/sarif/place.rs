//! Places of a document: its file, the part of its text, and the pointer.

use std::cell::OnceCell;
use std::fmt::Write as _;

use plan_model::document::{Document, Span, parse};
use plan_model::{Limits, Pointer};
use serde_json::{Map, Value, json};

use crate::finding::FindingSpan;

/// The document that was checked.
#[derive(Debug)]
pub(super) struct Source<'s> {
    uri: String,
    text: &'s str,
    document: OnceCell<Option<Document>>,
}

impl<'s> Source<'s> {
    pub(super) fn new(name: &str, text: &'s str) -> Self {
        Self {
            uri: uri(name),
            text,
            document: OnceCell::new(),
        }
    }

    pub(super) fn uri(&self) -> &str {
        &self.uri
    }

    /// The document that the text is; parsed anew, since findings do not hold one.
    pub(super) fn document(&self) -> Option<&Document> {
        let parsed = || parse(self.text.as_bytes(), &Limits::default()).document;
        self.document.get_or_init(parsed).as_ref()
    }

    /// The file.
    pub(super) fn artifact(&self) -> Value {
        json!({ "uri": self.uri, "index": 0 })
    }

    /// A place with its part of the text, where that is known, and its pointer.
    pub(super) fn location(&self, pointer: &Pointer, span: Option<FindingSpan>) -> Value {
        let mut physical = Map::new();
        physical.insert("artifactLocation".to_owned(), self.artifact());
        if let Some(span) = span {
            physical.insert("region".to_owned(), region(&span));
        }
        let mut logical = Map::new();
        let name = pointer.as_str();
        logical.insert("fullyQualifiedName".to_owned(), name.into());
        if let Some(last) = pointer.segments().last() {
            logical.insert("name".to_owned(), last.into_owned().into());
        }
        json!({ "physicalLocation": physical, "logicalLocations": [logical] })
    }
}

/// A part of the text, in lines and columns and in bytes.
pub(super) fn region(span: &FindingSpan) -> Value {
    json!({
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
        "byteOffset": span.start,
        "byteLength": span.end.saturating_sub(span.start),
    })
}

pub(super) fn region_of(document: &Document, span: Span) -> Value {
    region(&FindingSpan::new(|at| document.position_of(at), span))
}

/// A path as a URI reference: whatever is not plain is escaped.
fn uri(name: &str) -> String {
    let mut uri = String::new();
    if name.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                // writing to a String does not fail
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_uri_reference() {
        assert_eq!(uri("plans/a b.json"), "plans/a%20b.json");
        assert_eq!(uri("/tmp/größe.json"), "file:///tmp/gr%C3%B6%C3%9Fe.json");
        assert_eq!(uri("a:b#c?"), "a%3Ab%23c%3F");
    }
}
