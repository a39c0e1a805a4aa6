//! The parsed form.

use std::fmt;
use std::ops::Range;

use crate::Reference;
use crate::number::Exact;

/// A part of an expression, with its bytes in the source.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// What a part is.
#[derive(Debug)]
pub(super) enum Kind {
    Null,
    Boolean(bool),
    Number(Exact),
    Text(String),
    Reference(Reference),
    List(Vec<Node>),
    Not(Box<Node>),
    Negate(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    /// `condition ? then : otherwise`
    Choice(Box<[Node; 3]>),
    Call(Function, Vec<Node>),
}

/// An operator between two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    /// How tightly it binds; higher is tighter.
    pub(super) fn level(self) -> u8 {
        match self {
            Self::Or => 0,
            Self::And => 1,
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessOrEqual
            | Self::Greater
            | Self::GreaterOrEqual
            | Self::In => 2,
            Self::Add | Self::Subtract => 3,
            Self::Multiply | Self::Divide | Self::Remainder => 4,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A function of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Size,
    Has,
    Contains,
    StartsWith,
    EndsWith,
}

impl Function {
    const ALL: [Self; 5] = [
        Self::Size,
        Self::Has,
        Self::Contains,
        Self::StartsWith,
        Self::EndsWith,
    ];

    /// The function of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|function| function.as_str() == name)
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Has => "has",
            Self::Contains => "contains",
            Self::StartsWith => "startsWith",
            Self::EndsWith => "endsWith",
        }
    }

    /// How many arguments it takes, a receiver included.
    pub(super) fn arity(self) -> usize {
        match self {
            Self::Size | Self::Has => 1,
            Self::Contains | Self::StartsWith | Self::EndsWith => 2,
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Node {
    /// Calls `visit` for every reference, in the order of the text.
    pub(super) fn each_reference<'a>(
        &'a self,
        visit: &mut dyn FnMut(&'a Reference, &Range<usize>),
    ) {
        match &self.kind {
            Kind::Null | Kind::Boolean(_) | Kind::Number(_) | Kind::Text(_) => {}
            Kind::Reference(reference) => visit(reference, &self.range),
            Kind::Not(inner) | Kind::Negate(inner) => inner.each_reference(visit),
            Kind::Binary(_, left, right) => {
                left.each_reference(visit);
                right.each_reference(visit);
            }
            Kind::List(parts) | Kind::Call(_, parts) => {
                for part in parts {
                    part.each_reference(visit);
                }
            }
            Kind::Choice(parts) => {
                for part in parts.iter() {
                    part.each_reference(visit);
                }
            }
        }
    }
}
