//! The static types of an expression.

use super::ExpressionError;
use super::operand::Operand;
use super::tree::{Function, Kind, Node, Operator};
use crate::{Reference, Shape, ValueType};

/// Every fault of type in an expression that should be boolean.
pub(super) fn errors(
    source: &str,
    root: &Node,
    shape_of: &dyn Fn(&Reference) -> Shape,
) -> Vec<ExpressionError> {
    let mut checker = Checker {
        source,
        shape_of,
        errors: Vec::new(),
    };
    checker.boolean(root);
    checker.errors
}

/// The shape of a part, whatever is wrong in it.
pub(super) fn shape(source: &str, node: &Node, shape_of: &dyn Fn(&Reference) -> Shape) -> Shape {
    let mut checker = Checker {
        source,
        shape_of,
        errors: Vec::new(),
    };
    checker.shape(node)
}

struct Checker<'a> {
    source: &'a str,
    shape_of: &'a dyn Fn(&Reference) -> Shape,
    errors: Vec<ExpressionError>,
}

impl Checker<'_> {
    fn shape(&mut self, node: &Node) -> Shape {
        match &node.kind {
            Kind::Null => Shape::null(),
            Kind::Boolean(_) => boolean(),
            Kind::Number(number) => Shape::of_value(&Operand::Number(*number).into_value()),
            Kind::Text(_) => of(ValueType::String),
            Kind::Reference(reference) => (self.shape_of)(reference),
            Kind::List(items) => {
                let items: Vec<Shape> = items.iter().map(|item| self.shape(item)).collect();
                Shape::join_all(items).list()
            }
            Kind::Not(inner) => {
                let reported = self.errors.len();
                self.boolean(inner);
                // `!` binds tighter than what is suggested
                for error in self.errors.iter_mut().skip(reported) {
                    if error.range == inner.range {
                        error.suggestion = error.suggestion.take().map(|text| format!("({text})"));
                    }
                }
                boolean()
            }
            Kind::Negate(inner) => {
                let shape = self.shape(inner);
                self.require(inner, &shape, "`-`", &[ValueType::Number]);
                numeric(&[&shape])
            }
            Kind::Binary(operator, left, right) => self.binary(*operator, node, left, right),
            Kind::Choice(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                self.boolean(condition);
                self.shape(then).join(&self.shape(otherwise))
            }
            Kind::Call(function, arguments) => self.call(node, *function, arguments),
        }
    }

    fn binary(&mut self, operator: Operator, node: &Node, left: &Node, right: &Node) -> Shape {
        if matches!(operator, Operator::Or | Operator::And) {
            self.boolean(left);
            self.boolean(right);
            return boolean();
        }
        let (a, b) = (self.shape(left), self.shape(right));
        let both = |types: &[ValueType]| {
            let fits = |ty: &ValueType| a.may_be(*ty) && b.may_be(*ty);
            types.iter().any(fits) || a.is_nothing() || b.is_nothing()
        };
        let name = format!("`{operator}`");
        match operator {
            Operator::Or | Operator::And | Operator::Equal | Operator::NotEqual => boolean(),
            Operator::Less
            | Operator::LessOrEqual
            | Operator::Greater
            | Operator::GreaterOrEqual => {
                if !both(&[ValueType::Number, ValueType::String]) {
                    self.mismatch(node, &name, "orders two numbers or two strings", &a, &b);
                }
                boolean()
            }
            Operator::In => {
                self.element(node, &a, left, right, &b);
                boolean()
            }
            Operator::Add => {
                if !both(&[ValueType::Number, ValueType::String, ValueType::Array]) {
                    self.mismatch(
                        node,
                        &name,
                        "adds two numbers, two strings or two lists",
                        &a,
                        &b,
                    );
                    return Shape::any();
                }
                if a.is_only(ValueType::Number) || b.is_only(ValueType::Number) {
                    numeric(&[&a, &b])
                } else if a.is_only(ValueType::String) || b.is_only(ValueType::String) {
                    of(ValueType::String)
                } else if a.is_only(ValueType::Array) || b.is_only(ValueType::Array) {
                    of(ValueType::Array)
                } else {
                    Shape::any()
                }
            }
            Operator::Remainder => {
                self.require(left, &a, &name, &[ValueType::Integer]);
                self.require(right, &b, &name, &[ValueType::Integer]);
                of(ValueType::Integer)
            }
            Operator::Subtract | Operator::Multiply | Operator::Divide => {
                self.require(left, &a, &name, &[ValueType::Number]);
                self.require(right, &b, &name, &[ValueType::Number]);
                numeric(&[&a, &b])
            }
        }
    }

    fn element(&mut self, node: &Node, a: &Shape, left: &Node, right: &Node, b: &Shape) {
        if b.is_only(ValueType::String) {
            let mut error = ExpressionError::new(
                "`in` looks into a list or an object, `contains` into a string",
                node.range.clone(),
            );
            if let (Some(left), Some(right)) = (self.text(left), self.text(right)) {
                error = error.suggesting(format!("{right}.contains({left})"));
            }
            self.errors.push(error);
        } else if !b.may_be(ValueType::Array) && b.may_be(ValueType::Object) {
            self.require(left, a, "`in` an object", &[ValueType::String]);
        } else {
            self.require(right, b, "`in`", &[ValueType::Array, ValueType::Object]);
        }
    }

    fn call(&mut self, node: &Node, function: Function, arguments: &[Node]) -> Shape {
        let name = format!("`{function}`");
        match (function, arguments) {
            (Function::Size, [of_what]) => {
                let shape = self.shape(of_what);
                let sized = [ValueType::String, ValueType::Array, ValueType::Object];
                self.require(of_what, &shape, &name, &sized);
                of(ValueType::Integer)
            }
            (Function::Contains, [whole, part]) => {
                let shape = self.shape(whole);
                if shape.is_only(ValueType::Array) {
                    self.contains_on_list(node, whole, part);
                    return boolean();
                }
                self.require(whole, &shape, &name, &[ValueType::String]);
                let shape = self.shape(part);
                self.require(part, &shape, &name, &[ValueType::String]);
                boolean()
            }
            (Function::Has, _) => boolean(),
            _ => {
                for argument in arguments {
                    let shape = self.shape(argument);
                    self.require(argument, &shape, &name, &[ValueType::String]);
                }
                boolean()
            }
        }
    }

    fn contains_on_list(&mut self, call: &Node, list: &Node, item: &Node) {
        let mut error = ExpressionError::new(
            "`contains` looks into a string, `in` into a list",
            call.range.clone(),
        );
        if let (Some(list), Some(item)) = (self.text(list), self.text(item)) {
            error = error.suggesting(format!("{item} in {list}"));
        }
        self.errors.push(error);
    }

    /// Reports a part that can be none of `types`.
    fn require(&mut self, node: &Node, shape: &Shape, taker: &str, types: &[ValueType]) {
        if shape.is_nothing() || types.iter().any(|ty| shape.may_be(*ty)) {
            return;
        }
        let wanted: Vec<String> = types.iter().map(|ty| of(*ty).describe()).collect();
        let message = format!(
            "{taker} takes {}, not {}",
            wanted.join(" or "),
            shape.describe()
        );
        self.errors
            .push(ExpressionError::new(message, node.range.clone()));
    }

    fn mismatch(&mut self, node: &Node, name: &str, does: &str, a: &Shape, b: &Shape) {
        let message = format!("{name} {does}, not {} and {}", a.describe(), b.describe());
        self.errors
            .push(ExpressionError::new(message, node.range.clone()));
    }

    /// Reports a part that cannot be boolean: nothing here is true for being there.
    fn boolean(&mut self, node: &Node) {
        let shape = self.shape(node);
        if shape.may_be(ValueType::Boolean) || shape.is_nothing() {
            return;
        }
        let message = format!("a boolean is needed, and this is {}", shape.describe());
        let mut error = ExpressionError::new(message, node.range.clone());
        let plain = matches!(node.kind, Kind::Reference(_) | Kind::Call(..));
        if let Some(text) = self.text(node).filter(|_| plain) {
            if shape.is_only(ValueType::String) {
                error = error.suggesting(format!("{text} != \"\""));
            } else if shape.is_only(ValueType::Number) {
                error = error.suggesting(format!("{text} != 0"));
            } else if shape.is_only(ValueType::Array) || shape.is_only(ValueType::Object) {
                error = error.suggesting(format!("size({text}) > 0"));
            }
        }
        self.errors.push(error);
    }

    fn text(&self, node: &Node) -> Option<&str> {
        self.source.get(node.range.clone())
    }
}

fn of(value_type: ValueType) -> Shape {
    Shape::declared(value_type, None)
}

fn boolean() -> Shape {
    of(ValueType::Boolean)
}

/// A number, whole when all operands are.
fn numeric(operands: &[&Shape]) -> Shape {
    if operands
        .iter()
        .all(|operand| operand.is_only(ValueType::Integer))
    {
        of(ValueType::Integer)
    } else {
        of(ValueType::Number)
    }
}
