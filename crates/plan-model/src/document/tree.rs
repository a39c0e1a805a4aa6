//! The tree: an arena of nodes in the order of the text.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use crate::{Limits, Pointer};

use super::lines::Lines;
use super::number::{self, Number};
use super::{Parsed, Position, Span, parse};

/// A parsed JSON text: a tree in which every value and key knows its span.
///
/// Nesting is at most [`Limits::depth`]. Of members with the same name the first counts.
#[derive(Debug, Clone)]
pub struct Document {
    text: Box<str>,
    nodes: Vec<Node>,
    unescaped: Vec<Box<str>>,
    lines: OnceLock<Lines>,
}

/// One value or key. Children follow their parent; a member is its key and then its value.
///
/// Sixteen bytes, four to a line of a cache: a long document is read from memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Of a container the index after the last node inside; of an escaped string its index among the unescaped.
    pub(crate) link: u32,
    pub(crate) kind: Kind,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    True,
    False,
    /// A number that is held exactly. Which one, its text says.
    Number,
    /// A number that was reported.
    Inexact,
    /// A string: what stands between the quotes.
    Plain,
    /// A string among the unescaped ones.
    Escaped,
    Array,
    Object,
}

const NOTHING: Node = Node {
    start: 0,
    end: 0,
    link: 0,
    kind: Kind::Null,
};

impl Node {
    /// The index after this node and all inside of it.
    pub(crate) fn next(&self, index: u32) -> u32 {
        match self.kind {
            Kind::Array | Kind::Object => self.link,
            _ => index + 1,
        }
    }
}

impl Document {
    pub(crate) fn new(text: &str, nodes: Vec<Node>, unescaped: Vec<Box<str>>) -> Self {
        Self {
            text: text.into(),
            nodes,
            unescaped,
            lines: OnceLock::new(),
        }
    }

    /// The document of a JSON value: its text is the value, indented.
    ///
    /// For values that came from another notation, such as YAML; the same limits hold.
    pub fn from_value(value: &Value, limits: &Limits) -> Parsed {
        if let Err(parsed) = Parsed::within_depth(value, limits) {
            return *parsed;
        }
        parse(format!("{value:#}").as_bytes(), limits)
    }

    /// The source text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole document as a JSON value; a number that is not exact is null.
    pub fn to_value(&self) -> Value {
        self.root().to_value()
    }

    /// The JSON value at a pointer, where there is one.
    pub fn value_at(&self, pointer: &Pointer) -> Option<Value> {
        let (found, complete) = self.find(pointer);
        complete.then(|| found.value.to_value())
    }

    /// The span of the value at a pointer; of the deepest part of it that exists otherwise.
    pub fn span_of(&self, pointer: &Pointer) -> Span {
        self.find(pointer).0.value.span()
    }

    /// The span of the key of the member at a pointer; none for elements and for what is not there.
    pub fn key_span_of(&self, pointer: &Pointer) -> Option<Span> {
        let (found, complete) = self.find(pointer);
        found.key.filter(|_| complete).map(NodeRef::span)
    }

    /// The line and column of a byte offset.
    pub fn position_of(&self, offset: usize) -> Position {
        let text = self.text.as_bytes();
        self.lines
            .get_or_init(|| Lines::new(text))
            .position(text, offset)
    }

    /// The node at a pointer, where there is one.
    pub(crate) fn node_at(&self, pointer: &Pointer) -> Option<NodeRef<'_>> {
        let (found, complete) = self.find(pointer);
        complete.then_some(found.value)
    }

    /// The pointer of the innermost value around a byte offset.
    pub(crate) fn pointer_near(&self, offset: usize) -> Pointer {
        let mut pointer = Pointer::root();
        let mut at = self.root();
        // each turn goes one level down
        loop {
            let member = at
                .members()
                .find(|(key, value)| key.span().start <= offset && offset < value.span().end);
            let holds =
                |value: &NodeRef<'_>| value.span().start <= offset && offset < value.span().end;
            if let Some((key, value)) = member {
                pointer.push(key.text());
                at = value;
            } else if let Some((index, value)) =
                at.elements().enumerate().find(|(_, value)| holds(value))
            {
                pointer.push(index);
                at = value;
            } else {
                return pointer;
            }
        }
    }

    pub(crate) fn root(&self) -> NodeRef<'_> {
        NodeRef {
            document: self,
            index: 0,
        }
    }

    /// The node that a pointer leads to, or the deepest on the way, and whether all of the way exists.
    fn find(&self, pointer: &Pointer) -> (Found<'_>, bool) {
        let mut found = Found {
            key: None,
            value: self.root(),
        };
        for segment in pointer.segments() {
            let next = match found.value.kind() {
                Kind::Object => found
                    .value
                    .members()
                    .find(|(key, _)| key.text() == segment)
                    .map(|(key, value)| Found {
                        key: Some(key),
                        value,
                    }),
                Kind::Array => segment
                    .parse()
                    .ok()
                    .and_then(|index| found.value.elements().nth(index))
                    .map(|value| Found { key: None, value }),
                _ => None,
            };
            match next {
                Some(next) => found = next,
                None => return (found, false),
            }
        }
        (found, true)
    }
}

struct Found<'d> {
    key: Option<NodeRef<'d>>,
    value: NodeRef<'d>,
}

/// A node in its document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeRef<'d> {
    document: &'d Document,
    index: u32,
}

impl<'d> NodeRef<'d> {
    fn node(self) -> &'d Node {
        self.document
            .nodes
            .get(self.index as usize)
            .unwrap_or(&NOTHING)
    }

    pub(crate) fn kind(self) -> Kind {
        self.node().kind
    }

    pub(crate) fn span(self) -> Span {
        let node = self.node();
        Span {
            start: node.start as usize,
            end: node.end as usize,
        }
    }

    /// What stands in the text.
    pub(crate) fn source(self) -> &'d str {
        let Span { start, end } = self.span();
        self.document.text.get(start..end).unwrap_or_default()
    }

    /// The text of a string or key; empty for anything else.
    pub(crate) fn text(self) -> &'d str {
        string_of(self.node(), &self.document.text, &self.document.unescaped)
    }

    /// The text of a string.
    pub(crate) fn as_text(self) -> Option<&'d str> {
        matches!(self.kind(), Kind::Plain | Kind::Escaped).then(|| self.text())
    }

    /// A number that is held exactly.
    pub(crate) fn as_number(self) -> Option<Number> {
        (self.kind() == Kind::Number)
            .then(|| number::exact(self.source()))
            .flatten()
    }

    pub(crate) fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Keys and values of an object, in the order of the text; nothing for anything else.
    pub(crate) fn members(self) -> impl Iterator<Item = (NodeRef<'d>, NodeRef<'d>)> {
        let mut children = self.children(Kind::Object);
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// The elements of an array; nothing for anything else.
    pub(crate) fn elements(self) -> impl Iterator<Item = NodeRef<'d>> {
        self.children(Kind::Array)
    }

    /// The first member of this name.
    pub(crate) fn member(self, name: &str) -> Option<NodeRef<'d>> {
        self.members()
            .find(|(key, _)| key.text() == name)
            .map(|(_, value)| value)
    }

    fn children(self, of: Kind) -> impl Iterator<Item = NodeRef<'d>> {
        let node = self.node();
        let end = if node.kind == of {
            node.link
        } else {
            self.index
        };
        let mut at = self.index + 1;
        std::iter::from_fn(move || {
            let child = NodeRef {
                document: self.document,
                index: at,
            };
            (at < end).then(|| {
                at = child.node().next(at);
                child
            })
        })
    }

    /// The value as a `Value`; a number that is not exact is null. Recursion is bounded by the document's depth.
    pub(crate) fn to_value(self) -> Value {
        match self.kind() {
            Kind::Null | Kind::Inexact => Value::Null,
            Kind::True => Value::Bool(true),
            Kind::False => Value::Bool(false),
            Kind::Number => match self.as_number() {
                Some(Number::Int(value)) => Value::from(value),
                Some(Number::Uint(value)) => Value::from(value),
                Some(Number::Float(value)) => Value::from(value),
                None => Value::Null,
            },
            Kind::Plain | Kind::Escaped => Value::from(self.text()),
            Kind::Array => self.elements().map(Self::to_value).collect(),
            Kind::Object => {
                let mut map = Map::new();
                for (key, value) in self.members() {
                    map.entry(key.text()).or_insert_with(|| value.to_value());
                }
                Value::Object(map)
            }
        }
    }
}

/// The text of a string node.
pub(crate) fn string_of<'d>(node: &Node, text: &'d str, unescaped: &'d [Box<str>]) -> &'d str {
    match node.kind {
        Kind::Plain => text
            .get(node.start as usize + 1..(node.end as usize).saturating_sub(1))
            .unwrap_or_default(),
        Kind::Escaped => unescaped
            .get(node.link as usize)
            .map_or("", |unescaped| unescaped),
        _ => "",
    }
}
