//! Values in the middle of other text.

use crate::Limits;
use crate::document::tree::Kind;

use super::Parser;

/// What [`embedded`] found.
pub(crate) enum Embedded {
    /// A whole value that ends here; whether it is an object that has a member of one of the names.
    Value { end: usize, is_named: bool },
    /// No value: reading failed here; whether it is an object that has a member of one of the names.
    Broken { at: usize, is_named: bool },
}

/// Reads the value that begins at `start` in a text, whatever follows it.
pub(crate) fn embedded(text: &str, start: usize, names: &[&str], limits: &Limits) -> Embedded {
    let mut parser = Parser::in_prose(text, start, limits);
    let read = parser.document();
    let (at, is_named) = (parser.at, parser.root_has(names));
    match read {
        Ok(()) => Embedded::Value { end: at, is_named },
        Err(_) => Embedded::Broken { at, is_named },
    }
}

impl<'t> Parser<'t> {
    /// A parser of one value that begins at `start` and that any text may follow.
    fn in_prose(text: &'t str, start: usize, limits: &'t Limits) -> Self {
        Self {
            at: start,
            in_prose: true,
            text,
            bytes: text.as_bytes(),
            ..Self::new("", limits)
        }
    }

    /// Whether the root is an object that has a member of one of the names, as far as it was read.
    fn root_has(&self, names: &[&str]) -> bool {
        let is_object = self
            .nodes
            .first()
            .is_some_and(|root| root.kind == Kind::Object);
        let open = self.open.get(1).map(|open| open.node);
        let mut key = 1;
        while is_object && (key as usize) < self.nodes.len() {
            if names.contains(&self.string_at(key)) {
                return true;
            }
            match self.nodes.get(key as usize + 1) {
                Some(value) if open != Some(key + 1) => key = value.next(key + 1),
                _ => break,
            }
        }
        false
    }
}
