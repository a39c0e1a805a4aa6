//! Strings, numbers and the three words.

use crate::document::number;
use crate::document::problem::capped;
use crate::document::tree::Kind;
use crate::document::{ProblemKind, Span, string};

use super::{Fault, Parser, syntax};

impl Parser<'_> {
    pub(super) fn string(&mut self) -> Result<u32, Fault> {
        let start = self.at;
        let (end, unescaped) = string::scan(self.text, start).map_err(|fault| Fault {
            kind: ProblemKind::InvalidJson {
                message: fault.message,
            },
            span: syntax::character_at(self.text, fault.at),
        })?;
        self.at = end;
        Ok(match unescaped {
            None => self.push(Kind::Plain, start, 0),
            Some(text) => {
                let index = self.unescaped.len();
                self.unescaped.push(text.into());
                self.push(Kind::Escaped, start, index)
            }
        })
    }

    pub(super) fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += syntax::number(self.bytes.get(start..).unwrap_or_default())
            .map_err(|(message, length)| self.fault_at(message, start + length))?;
        let text = self.text.get(start..self.at).unwrap_or_default();
        if number::exact(text).is_some() {
            self.push(Kind::Number, start, 0);
            return Ok(());
        }
        let kind = ProblemKind::InexactNumber { text: capped(text) };
        let span = Span {
            start,
            end: self.at,
        };
        let pointer = (!self.problems.is_full()).then(|| self.pointer(self.open.len()));
        self.problems
            .add(kind, span, || pointer.unwrap_or_default());
        self.push(Kind::Inexact, start, 0);
        Ok(())
    }

    /// The literal that begins here, and its length.
    pub(super) fn literal(&self) -> Result<(Kind, usize), Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let (kind, length) = if rest.starts_with(b"true") {
            (Kind::True, 4)
        } else if rest.starts_with(b"false") {
            (Kind::False, 5)
        } else if rest.starts_with(b"null") {
            (Kind::Null, 4)
        } else {
            return Err(self.fault(syntax::no_value(rest)));
        };
        match rest.get(length) {
            Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' => {
                Err(self.fault(syntax::no_value(rest)))
            }
            _ => Ok((kind, length)),
        }
    }
}
