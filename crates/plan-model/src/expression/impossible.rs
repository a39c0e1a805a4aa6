//! Comparisons whose two sides can never be equal.

use std::ops::Range;

use serde_json::Value;

use super::check;
use super::operand::Operand;
use super::tree::{Kind, Node, Operator};
use crate::{Reference, Shape};

/// A comparison that comes out the same whatever its sides are.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpossibleComparison {
    /// The byte range in the source.
    pub range: Range<usize>,
    /// Its operator: `==`, `!=` or `in`.
    pub operator: &'static str,
    /// What it always comes out as.
    pub result: bool,
    /// What the left side can be.
    pub left: Shape,
    /// What the right side can be.
    pub right: Shape,
}

pub(super) fn of(
    source: &str,
    root: &Node,
    shape_of: &dyn Fn(&Reference) -> Shape,
) -> Vec<ImpossibleComparison> {
    let mut finder = Finder {
        source,
        shape_of,
        found: Vec::new(),
    };
    finder.walk(root);
    finder.found
}

struct Finder<'a> {
    source: &'a str,
    shape_of: &'a dyn Fn(&Reference) -> Shape,
    found: Vec<ImpossibleComparison>,
}

impl Finder<'_> {
    // recursion is bounded by the nesting and the operators that the parser let through
    fn walk(&mut self, node: &Node) {
        match &node.kind {
            Kind::Null
            | Kind::Boolean(_)
            | Kind::Number(_)
            | Kind::Text(_)
            | Kind::Reference(_) => {}
            Kind::Not(inner) | Kind::Negate(inner) => self.walk(inner),
            Kind::Binary(operator, left, right) => {
                self.compare(*operator, node, left, right);
                self.walk(left);
                self.walk(right);
            }
            Kind::List(parts) | Kind::Call(_, parts) => parts.iter().for_each(|it| self.walk(it)),
            Kind::Choice(parts) => parts.iter().for_each(|it| self.walk(it)),
        }
    }

    fn compare(&mut self, operator: Operator, node: &Node, left: &Node, right: &Node) {
        let (name, result) = match operator {
            Operator::Equal => ("==", false),
            Operator::NotEqual => ("!=", true),
            Operator::In => ("in", false),
            _ => return,
        };
        if !reads(left) && !reads(right) {
            // what nothing is read for is constant, which is another matter
            return;
        }
        let a = self.shape(left);
        let never = match (operator, &right.kind) {
            (Operator::In, Kind::List(items)) => {
                !items.is_empty() && items.iter().all(|item| never_equal(&a, &self.shape(item)))
            }
            (Operator::In, _) => false,
            _ => never_equal(&a, &self.shape(right)),
        };
        if never {
            self.found.push(ImpossibleComparison {
                range: node.range.clone(),
                operator: name,
                result,
                left: self.said(left),
                right: self.said(right),
            });
        }
    }

    /// What a side can be, null included where it is read: a step may not have run.
    fn shape(&self, node: &Node) -> Shape {
        match &node.kind {
            Kind::Reference(_) => self.said(node).nullable(),
            _ => self.said(node),
        }
    }

    fn said(&self, node: &Node) -> Shape {
        match &node.kind {
            Kind::Null => Shape::null(),
            Kind::Boolean(value) => Shape::of_value(&Value::Bool(*value)),
            Kind::Number(number) => Shape::of_value(&Operand::Number(*number).into_value()),
            Kind::Text(text) => Shape::of_value(&Value::String(text.clone())),
            Kind::Reference(reference) => (self.shape_of)(reference),
            _ => check::shape(self.source, node, self.shape_of),
        }
    }
}

fn reads(node: &Node) -> bool {
    let mut reads = false;
    node.each_reference(&mut |_, _| reads = true);
    reads
}

fn never_equal(a: &Shape, b: &Shape) -> bool {
    !a.is_nothing() && !b.is_nothing() && a.meet(b).is_nothing()
}
