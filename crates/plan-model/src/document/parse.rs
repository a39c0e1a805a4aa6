//! From bytes to a tree, without recursion.

mod duplicates;
mod embedded;
mod scalar;
mod syntax;

use serde_json::Value;

use crate::{Limits, Pointer};

use super::lines::Lines;
use super::problem::Problems;
use super::tree::{Kind, Node, string_of};
use super::{Document, Position, Problem, ProblemKind, Span};

pub(crate) use embedded::{Embedded, embedded};

/// What [`parse`] made of some bytes.
#[derive(Debug)]
pub struct Parsed {
    /// The tree, unless the text is no JSON document at all or is over a limit.
    pub document: Option<Document>,
    /// The first thousand problems, in the order of the text.
    pub problems: Vec<Problem>,
    /// How many problems there were beyond these.
    pub further: usize,
    refused: Refused,
}

/// The text that became no document, for the places of its problems.
#[derive(Debug)]
struct Refused {
    text: Box<[u8]>,
    lines: Lines,
}

/// Parses one JSON document.
///
/// Strict: RFC 8259 in UTF-8 without a byte order mark, nothing after the
/// value. Members named twice and numbers that cannot be held exactly are
/// reported, and parsing goes on; a fault of syntax or a crossed limit ends it.
/// Time is linear but for a sort of the members of large objects; memory is
/// some 20 bytes a value over the text.
///
/// A document with problems must not be used as if it had none: of members
/// with one name the first is kept, and a number that is not exact reads as null.
pub fn parse(bytes: &[u8], limits: &Limits) -> Parsed {
    let limit = limits.document_bytes.min(u32::MAX as usize);
    if bytes.len() > limit {
        let kind = ProblemKind::TooLarge {
            what: "bytes",
            actual: bytes.len(),
            limit,
        };
        return Parsed::refused(kind, Span::default(), b"");
    }
    match syntax::text(bytes) {
        Ok(text) => Parser::new(text, limits).run(),
        Err(fault) => Parsed::refused(fault.kind, fault.span, bytes),
    }
}

impl Parsed {
    /// The line and column of a byte offset, whether or not the text is a document.
    ///
    /// Of a text that is over the limit of bytes it is the first line and column.
    pub fn position_of(&self, offset: usize) -> Position {
        match &self.document {
            Some(document) => document.position_of(offset),
            None => self.refused.lines.position(&self.refused.text, offset),
        }
    }

    fn refused(kind: ProblemKind, span: Span, text: &[u8]) -> Self {
        let mut problems = Problems::default();
        problems.add(kind, span, Pointer::root);
        Self::of(None, problems, text)
    }

    /// `text`: what became no document; nothing where there is one.
    fn of(document: Option<Document>, problems: Problems, text: &[u8]) -> Self {
        let (problems, further) = problems.finish();
        Self {
            document,
            problems,
            further,
            refused: Refused {
                text: text.into(),
                lines: Lines::new(text),
            },
        }
    }

    /// Refuses a value that is nested too deep to be walked by recursion.
    pub(crate) fn within_depth(value: &Value, limits: &Limits) -> Result<(), Box<Self>> {
        let mut open = vec![(value, 0)];
        while let Some((value, depth)) = open.pop() {
            let depth = depth + usize::from(value.is_array() || value.is_object());
            if depth > limits.depth {
                let kind = ProblemKind::TooLarge {
                    what: "levels of nesting",
                    actual: depth,
                    limit: limits.depth,
                };
                return Err(Box::new(Self::refused(kind, Span::default(), b"")));
            }
            match value {
                Value::Array(values) => open.extend(values.iter().map(|value| (value, depth))),
                Value::Object(map) => open.extend(map.values().map(|value| (value, depth))),
                _ => {}
            }
        }
        Ok(())
    }
}

/// What ends a parse.
struct Fault {
    kind: ProblemKind,
    span: Span,
}

/// A container that is not closed yet.
struct Open {
    node: u32,
    /// The key whose value is being read, in an object.
    key: u32,
    /// How many values came before, in an array.
    index: usize,
    is_object: bool,
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    limits: &'t Limits,
    at: usize,
    nodes: Vec<Node>,
    unescaped: Vec<Box<str>>,
    values: usize,
    open: Vec<Open>,
    problems: Problems,
    scratch: Vec<u32>,
    /// Whether text may follow the value.
    in_prose: bool,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, limits: &'t Limits) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            limits,
            at: 0,
            // a value of a plan takes some twenty bytes of text
            nodes: Vec::with_capacity(text.len() / 16),
            unescaped: Vec::new(),
            values: 0,
            open: Vec::new(),
            problems: Problems::default(),
            scratch: Vec::new(),
            in_prose: false,
        }
    }

    fn run(mut self) -> Parsed {
        match self.document() {
            Ok(()) => {
                let document = Document::new(self.text, self.nodes, self.unescaped);
                Parsed::of(Some(document), self.problems, b"")
            }
            Err(fault) => {
                let pointer = self.pointer(self.open.len());
                self.problems.add(fault.kind, fault.span, || pointer);
                Parsed::of(None, self.problems, self.bytes)
            }
        }
    }

    fn document(&mut self) -> Result<(), Fault> {
        loop {
            if self.value()? {
                // a container was opened and its first value is next
                continue;
            }
            // a value ended: close what ends with it, until another value is due
            loop {
                let Some(open) = self.open.last_mut() else {
                    return if self.in_prose { Ok(()) } else { self.end() };
                };
                let is_object = open.is_object;
                open.index += 1;
                self.blanks();
                match (self.byte(), is_object) {
                    (Some(b','), true) => {
                        self.at += 1;
                        self.blanks();
                        self.key()?;
                        break;
                    }
                    (Some(b','), false) => {
                        self.at += 1;
                        self.blanks();
                        if self.byte() == Some(b']') {
                            return Err(self.fault("a comma has no value after it"));
                        }
                        break;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => self.close(),
                    _ => return Err(self.unclosed(is_object)),
                }
            }
        }
    }

    /// Reads a scalar or an empty container (false), or opens a container (true).
    fn value(&mut self) -> Result<bool, Fault> {
        self.blanks();
        let start = self.at;
        self.values += 1;
        if self.values > self.limits.document_nodes {
            return Err(self.too_large("values", self.values, self.limits.document_nodes));
        }
        match self.byte() {
            Some(b'"') => {
                self.string()?;
                Ok(false)
            }
            Some(b'{') => {
                self.open(Kind::Object)?;
                self.blanks();
                if self.byte() == Some(b'}') {
                    self.close();
                    return Ok(false);
                }
                self.key()?;
                Ok(true)
            }
            Some(b'[') => {
                self.open(Kind::Array)?;
                self.blanks();
                if self.byte() == Some(b']') {
                    self.close();
                    return Ok(false);
                }
                Ok(true)
            }
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                Ok(false)
            }
            _ => {
                let (kind, length) = self.literal()?;
                self.at += length;
                self.push(kind, start, 0);
                Ok(false)
            }
        }
    }

    fn open(&mut self, kind: Kind) -> Result<(), Fault> {
        if self.open.len() >= self.limits.depth {
            let depth = self.open.len() + 1;
            return Err(self.too_large("levels of nesting", depth, self.limits.depth));
        }
        let start = self.at;
        self.at += 1;
        let node = self.push(kind, start, 0);
        self.open.push(Open {
            node,
            key: node,
            index: 0,
            is_object: kind == Kind::Object,
        });
        Ok(())
    }

    fn close(&mut self) {
        self.at += 1;
        if self.open.last().is_some_and(|open| open.is_object) {
            self.report_duplicates();
        }
        let after = offset(self.nodes.len());
        if let Some(open) = self.open.pop()
            && let Some(node) = self.nodes.get_mut(open.node as usize)
        {
            node.end = offset(self.at);
            node.link = after;
        }
    }

    fn key(&mut self) -> Result<(), Fault> {
        match self.byte() {
            Some(b'"') => {}
            Some(b'}') => return Err(self.fault("a comma has no member after it")),
            Some(b'\'') => {
                return Err(self.fault("a member's name stands in single quotes, not double ones"));
            }
            _ => return Err(self.fault("a member's name in double quotes should stand here")),
        }
        let key = self.string()?;
        if let Some(open) = self.open.last_mut() {
            open.key = key;
        }
        self.blanks();
        if self.byte() != Some(b':') {
            return Err(self.fault("a colon should stand between a member's name and its value"));
        }
        self.at += 1;
        Ok(())
    }

    fn push(&mut self, kind: Kind, start: usize, link: usize) -> u32 {
        let index = offset(self.nodes.len());
        self.nodes.push(Node {
            start: offset(start),
            end: offset(self.at),
            link: offset(link),
            kind,
        });
        index
    }

    fn end(&mut self) -> Result<(), Fault> {
        self.blanks();
        match self.byte() {
            None => Ok(()),
            Some(b'{' | b'[' | b'"') => Err(self.fault("a second document follows the first")),
            Some(_) => Err(self.fault("something follows the end of the document")),
        }
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.at += 1;
        }
    }

    fn fault(&self, message: &str) -> Fault {
        self.fault_at(message, self.at)
    }

    fn fault_at(&self, message: &str, at: usize) -> Fault {
        let message = if at >= self.bytes.len() {
            "the document ends too early".to_owned()
        } else {
            message.to_owned()
        };
        Fault {
            kind: ProblemKind::InvalidJson { message },
            span: syntax::character_at(self.text, at),
        }
    }

    fn unclosed(&self, is_object: bool) -> Fault {
        self.fault(if is_object {
            "a comma or `}` should stand here"
        } else {
            "a comma or `]` should stand here"
        })
    }

    fn too_large(&self, what: &'static str, actual: usize, limit: usize) -> Fault {
        Fault {
            kind: ProblemKind::TooLarge {
                what,
                actual,
                limit,
            },
            span: syntax::character_at(self.text, self.at),
        }
    }

    /// Where the innermost `depth` containers lead.
    fn pointer(&self, depth: usize) -> Pointer {
        let mut pointer = Pointer::root();
        for open in self.open.iter().take(depth) {
            if open.is_object {
                pointer.push(self.string_at(open.key));
            } else {
                pointer.push(open.index);
            }
        }
        pointer
    }

    fn string_at(&self, node: u32) -> &str {
        self.nodes
            .get(node as usize)
            .map_or("", |node| string_of(node, self.text, &self.unescaped))
    }
}

/// An offset or index as the tree holds it.
fn offset(value: usize) -> u32 {
    // INVARIANT: the text is at most u32::MAX bytes, and each node takes one of them
    u32::try_from(value).unwrap_or(u32::MAX)
}
