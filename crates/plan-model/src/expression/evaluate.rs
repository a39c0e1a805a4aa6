//! The value of an expression. Every input has one, or a typed failure.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::ExpressionError;
use super::operand::{Fault, Operand, arithmetic, negate};
use super::tree::{Function, Kind, Node, Operator};
use crate::{Reference, Scope};

type Result<T> = std::result::Result<T, ExpressionError>;

/// The value of a part that must be boolean.
pub(super) fn boolean(node: &Node, scope: &dyn Scope) -> Result<bool> {
    match value(node, scope)? {
        Operand::Other(value) if value.is_boolean() => Ok(*value == Value::Bool(true)),
        other => fail(
            node,
            format!("a boolean is needed, and this is {}", other.type_name()),
        ),
    }
}

// recursion is bounded by the nesting and the operators that the parser let through
pub(super) fn value<'a>(node: &'a Node, scope: &'a dyn Scope) -> Result<Operand<'a>> {
    Ok(match &node.kind {
        Kind::Null => Operand::Other(Cow::Owned(Value::Null)),
        Kind::Boolean(value) => Operand::boolean(*value),
        Kind::Number(number) => Operand::Number(*number),
        Kind::Text(text) => Operand::Other(Cow::Owned(Value::String(text.clone()))),
        Kind::Reference(reference) => read(node, reference, scope)?,
        Kind::List(items) => {
            let items: Result<Vec<Value>> = items
                .iter()
                .map(|item| value(item, scope).map(Operand::into_value))
                .collect();
            Operand::Other(Cow::Owned(Value::Array(items?)))
        }
        Kind::Not(inner) => Operand::boolean(!boolean(inner, scope)?),
        Kind::Negate(inner) => match value(inner, scope)? {
            Operand::Number(number) => Operand::Number(negate(number).or_else(|f| fault(node, f))?),
            other @ Operand::Other(_) => {
                return fail(
                    node,
                    format!("`-` takes a number, not {}", other.type_name()),
                );
            }
        },
        Kind::Binary(Operator::Or, left, right) => {
            Operand::boolean(decided(true, left, right, scope)?)
        }
        Kind::Binary(Operator::And, left, right) => {
            Operand::boolean(decided(false, left, right, scope)?)
        }
        Kind::Binary(operator, left, right) => {
            binary(node, *operator, &value(left, scope)?, &value(right, scope)?)?
        }
        Kind::Choice(parts) => {
            let [condition, then, otherwise] = parts.as_ref();
            if boolean(condition, scope)? {
                value(then, scope)?
            } else {
                value(otherwise, scope)?
            }
        }
        Kind::Call(function, arguments) => call(node, *function, arguments, scope)?,
    })
}

fn read<'a>(node: &Node, reference: &Reference, scope: &'a dyn Scope) -> Result<Operand<'a>> {
    match reference.resolve(scope) {
        Ok(value) => Ok(Operand::read(value)),
        Err(error) => fail(node, error.to_string()),
    }
}

/// `||` and `&&`: the value that decides does so from either side, whether the other side fails or not.
fn decided(decides: bool, left: &Node, right: &Node, scope: &dyn Scope) -> Result<bool> {
    let left = boolean(left, scope);
    if left == Ok(decides) {
        return Ok(decides);
    }
    match boolean(right, scope) {
        Ok(right) if right == decides => Ok(decides),
        right => left.and(right),
    }
}

/// An operator between two values; `&&` and `||` are not among them.
pub(super) fn binary<'a>(
    node: &Node,
    operator: Operator,
    a: &Operand<'_>,
    b: &Operand<'_>,
) -> Result<Operand<'a>> {
    let ordered = |test: fn(Ordering) -> bool| match a.order(b) {
        Some(order) => Ok(Operand::boolean(test(order))),
        None => mismatch(node, operator, a, b),
    };
    match operator {
        Operator::Equal => Ok(Operand::boolean(a.equals(b))),
        Operator::NotEqual => Ok(Operand::boolean(!a.equals(b))),
        Operator::Less => ordered(Ordering::is_lt),
        Operator::LessOrEqual => ordered(Ordering::is_le),
        Operator::Greater => ordered(Ordering::is_gt),
        Operator::GreaterOrEqual => ordered(Ordering::is_ge),
        Operator::In => element(node, a, b),
        Operator::Or
        | Operator::And
        | Operator::Add
        | Operator::Subtract
        | Operator::Multiply
        | Operator::Divide
        | Operator::Remainder => sum(node, operator, a, b),
    }
}

fn sum<'a>(
    node: &Node,
    operator: Operator,
    a: &Operand<'_>,
    b: &Operand<'_>,
) -> Result<Operand<'a>> {
    if let (Operand::Number(a), Operand::Number(b)) = (a, b)
        && let Some(result) = arithmetic(operator, *a, *b)
    {
        return result
            .map(Operand::Number)
            .or_else(|reason| fault(node, reason));
    }
    if operator == Operator::Add
        && let (Operand::Other(left), Operand::Other(right)) = (a, b)
    {
        let joined = match (left.as_ref(), right.as_ref()) {
            (Value::String(left), Value::String(right)) => {
                Some(Value::String(format!("{left}{right}")))
            }
            (Value::Array(left), Value::Array(right)) => {
                Some(left.iter().chain(right).cloned().collect())
            }
            _ => None,
        };
        if let Some(joined) = joined {
            return Ok(Operand::Other(Cow::Owned(joined)));
        }
    }
    mismatch(node, operator, a, b)
}

fn element<'a>(node: &Node, a: &Operand<'_>, b: &Operand<'_>) -> Result<Operand<'a>> {
    let found = match b {
        Operand::Other(list) => match (list.as_ref(), a) {
            (Value::Array(items), _) => items
                .iter()
                .any(|item| Operand::read(Cow::Borrowed(item)).equals(a)),
            (Value::Object(members), Operand::Other(name)) => match name.as_str() {
                Some(name) => members.contains_key(name),
                None => return mismatch(node, Operator::In, a, b),
            },
            _ => return mismatch(node, Operator::In, a, b),
        },
        Operand::Number(_) => return mismatch(node, Operator::In, a, b),
    };
    Ok(Operand::boolean(found))
}

fn call<'a>(
    node: &'a Node,
    function: Function,
    arguments: &'a [Node],
    scope: &'a dyn Scope,
) -> Result<Operand<'a>> {
    match (function, arguments) {
        (Function::Has, [path]) => {
            let there = match &path.kind {
                Kind::Reference(reference) => reference.leads_somewhere(scope),
                _ => false,
            };
            Ok(Operand::boolean(there))
        }
        (Function::Size, [of_what]) => size(node, &value(of_what, scope)?),
        (_, [whole, part]) => {
            let (whole, part) = (value(whole, scope)?, value(part, scope)?);
            let (Some(text), Some(part)) = (text(&whole), text(&part)) else {
                let message = format!(
                    "`{function}` takes two strings, not {} and {}",
                    whole.type_name(),
                    part.type_name()
                );
                return fail(node, message);
            };
            Ok(Operand::boolean(match function {
                Function::StartsWith => text.starts_with(part),
                Function::EndsWith => text.ends_with(part),
                Function::Contains | Function::Size | Function::Has => text.contains(part),
            }))
        }
        _ => fail(node, format!("`{function}` has too many values")),
    }
}

fn size<'a>(node: &Node, value: &Operand<'_>) -> Result<Operand<'a>> {
    let size = match value {
        Operand::Other(value) => match value.as_ref() {
            Value::String(text) => Some(text.chars().count()),
            Value::Array(items) => Some(items.len()),
            Value::Object(members) => Some(members.len()),
            _ => None,
        },
        Operand::Number(_) => None,
    };
    match size {
        Some(size) => Ok(Operand::read(Cow::Owned(Value::from(size)))),
        None => fail(
            node,
            format!(
                "`size` takes a string, a list or an object, not {}",
                value.type_name()
            ),
        ),
    }
}

fn text<'o>(operand: &'o Operand<'_>) -> Option<&'o str> {
    match operand {
        Operand::Other(value) => value.as_str(),
        Operand::Number(_) => None,
    }
}

fn fault<T>(node: &Node, reason: Fault) -> Result<T> {
    fail(
        node,
        match reason {
            Fault::Overflow => "the result is too large",
            Fault::ByZero => "a division by zero",
            Fault::Fraction => "`%` takes whole numbers",
        },
    )
}

fn mismatch<T>(node: &Node, operator: Operator, a: &Operand<'_>, b: &Operand<'_>) -> Result<T> {
    fail(
        node,
        format!(
            "`{operator}` does not take {} and {}",
            a.type_name(),
            b.type_name()
        ),
    )
}

fn fail<T>(node: &Node, message: impl Into<String>) -> Result<T> {
    Err(ExpressionError::new(message, node.range.clone()))
}
