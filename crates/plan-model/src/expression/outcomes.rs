//! What an expression can come to where only some of its values are known.
//!
//! Every part has the set of what it can be: a known value, or true, false and
//! *no value* as far as they are possible. Operators combine the sets case by case, exactly
//! as evaluation does, so that `known && unknown` is false where `known` is. What
//! is not followed further counts as possibly anything, so nothing that a run can
//! do is ever left out.

use std::borrow::Cow;

use serde_json::Value;

use super::evaluate;
use super::operand::Operand;
use super::tree::{Kind, Node, Operator};
use crate::{Path, Reference, Scope, ScopeValue};

/// What an expression can come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcomes {
    /// Whether it can be true.
    pub holds: bool,
    /// Whether it can be false.
    pub fails: bool,
}

impl Outcomes {
    /// Whether it can come to `result`.
    pub fn can_be(self, result: bool) -> bool {
        if result { self.holds } else { self.fails }
    }

    /// The one result that it can have, where it can have no other.
    pub fn only(self) -> Option<bool> {
        match (self.holds, self.fails) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            (true, true) | (false, false) => None,
        }
    }
}

/// Which booleans a part can be, and whether it can have no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Set {
    holds: bool,
    fails: bool,
    no_value: bool,
}

const ANY: Set = Set {
    holds: true,
    fails: true,
    no_value: true,
};

/// What is known of a part.
enum Part<'a> {
    Value(Operand<'a>),
    Among(Set),
}

/// The values that the caller knows; every other root is unknown.
type Known<'k> = &'k dyn Fn(&Reference) -> Option<Value>;

/// No reference is read through it: references are looked up first.
struct Nothing;

impl Scope for Nothing {
    fn root(&self, _: &Path) -> Option<ScopeValue<'_>> {
        None
    }
}

pub(super) fn of(root: &Node, known: Known<'_>) -> Outcomes {
    let set = boolean(root, known);
    Outcomes {
        holds: set.holds,
        fails: set.fails,
    }
}

/// A part as something that must be boolean.
fn boolean(node: &Node, known: Known<'_>) -> Set {
    match part(node, known) {
        Part::Among(set) => set,
        Part::Value(Operand::Other(value)) => Set {
            holds: *value == Value::Bool(true),
            fails: *value == Value::Bool(false),
            no_value: !value.is_boolean(),
        },
        Part::Value(Operand::Number(_)) => Set {
            holds: false,
            fails: false,
            no_value: true,
        },
    }
}

// recursion is bounded by the nesting and the operators that the parser let through
fn part<'a>(node: &'a Node, known: Known<'_>) -> Part<'a> {
    match &node.kind {
        Kind::Null | Kind::Boolean(_) | Kind::Number(_) | Kind::Text(_) => {
            match evaluate::value(node, &Nothing) {
                Ok(value) => Part::Value(value),
                Err(_) => Part::Among(ANY),
            }
        }
        Kind::Reference(reference) => match known(reference) {
            Some(value) => Part::Value(Operand::read(Cow::Owned(value))),
            None => Part::Among(ANY),
        },
        Kind::List(items) => list(items, known),
        Kind::Not(inner) => {
            let set = boolean(inner, known);
            Part::Among(Set {
                holds: set.fails,
                fails: set.holds,
                no_value: set.no_value,
            })
        }
        Kind::Binary(operator @ (Operator::And | Operator::Or), left, right) => {
            let (left, right) = (boolean(left, known), boolean(right, known));
            Part::Among(decided(*operator == Operator::Or, left, right))
        }
        Kind::Binary(operator, left, right) => match (part(left, known), part(right, known)) {
            (Part::Value(left), Part::Value(right)) => {
                match evaluate::binary(node, *operator, &left, &right) {
                    Ok(value) => Part::Value(value),
                    Err(_) => NO_VALUE,
                }
            }
            _ => Part::Among(ANY),
        },
        Kind::Choice(parts) => {
            let [condition, then, otherwise] = parts.as_ref();
            let condition = boolean(condition, known);
            match (condition.holds, condition.fails) {
                (true, false) if !condition.no_value => part(then, known),
                (false, true) if !condition.no_value => part(otherwise, known),
                (false, false) => NO_VALUE,
                _ => Part::Among(either(
                    condition.holds.then(|| boolean(then, known)),
                    condition.fails.then(|| boolean(otherwise, known)),
                    condition.no_value,
                )),
            }
        }
        // what a function makes of known values is not followed
        Kind::Negate(_) | Kind::Call(..) => match evaluate::value(node, &Nothing) {
            Ok(value) if !reads(node) => Part::Value(value),
            _ => Part::Among(ANY),
        },
    }
}

const NO_VALUE: Part<'static> = Part::Among(Set {
    holds: false,
    fails: false,
    no_value: true,
});

fn reads(node: &Node) -> bool {
    let mut reads = false;
    node.each_reference(&mut |_, _| reads = true);
    reads
}

fn list<'a>(items: &'a [Node], known: Known<'_>) -> Part<'a> {
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        match part(item, known) {
            Part::Value(value) => values.push(value.into_value()),
            Part::Among(_) => return Part::Among(ANY),
        }
    }
    Part::Value(Operand::Other(Cow::Owned(Value::Array(values))))
}

/// `||` where `decides` is true, `&&` where it is false: whichever side decides does so, whatever the other is.
fn decided(decides: bool, left: Set, right: Set) -> Set {
    let is = |set: Set, result: bool| if result { set.holds } else { set.fails };
    let settled = is(left, decides) || is(right, decides);
    let open = is(left, !decides) && is(right, !decides);
    // a side without a value leaves none, unless the other decides
    let no_value = (left.no_value && (is(right, !decides) || right.no_value))
        || (right.no_value && is(left, !decides));
    Set {
        holds: if decides { settled } else { open },
        fails: if decides { open } else { settled },
        no_value,
    }
}

fn either(then: Option<Set>, otherwise: Option<Set>, no_value: bool) -> Set {
    let sets = [then, otherwise];
    let any = |of: fn(Set) -> bool| sets.iter().flatten().any(|set| of(*set));
    Set {
        holds: any(|set| set.holds),
        fails: any(|set| set.fails),
        no_value: no_value || any(|set| set.no_value),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::{Expression, Limits, Root};

    /// An answer and an input, each with a value.
    struct World([(&'static str, Value); 2]);

    impl Scope for World {
        fn root(&self, path: &Path) -> Option<ScopeValue<'_>> {
            let name = match &path.root {
                Root::Input(name) => name.as_str(),
                _ => return None,
            };
            let found = self.0.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| ScopeValue::Value(value))
        }
    }

    fn outcomes(source: &str, known: &[(&str, Value)]) -> (bool, bool) {
        let expression = Expression::parse(source, &Limits::default()).unwrap();
        let outcomes = expression.outcomes(&|reference| {
            let name = reference.first().root.name();
            let found = known.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        });
        (outcomes.holds, outcomes.fails)
    }

    #[test]
    fn what_is_known_decides_as_far_as_it_goes() {
        let answers = |value: Value| [("a", value)];
        for (source, value, expected) in [
            ("input.a", json!(true), (true, false)),
            ("!input.a", json!(true), (false, true)),
            ("!input.a", Value::Null, (false, false)),
            ("input.a && input.b", json!(true), (true, true)),
            ("input.a && input.b", json!(false), (false, true)),
            ("input.b && input.a", json!(false), (false, true)),
            ("input.a && input.b", Value::Null, (false, true)),
            ("input.a || input.b", json!(true), (true, false)),
            ("input.a || input.b", Value::Null, (true, false)),
            ("input.a == 'yes'", Value::Null, (false, true)),
            ("input.a != 'no'", Value::Null, (true, false)),
            ("input.a in ['yes', 'no']", json!("yes"), (true, false)),
            ("input.a in ['yes', input.b]", json!("no"), (true, true)),
            ("input.a ? input.b : false", json!(false), (false, true)),
            ("input.b ? input.a : false", json!(false), (false, true)),
            ("input.a > 3", json!("x"), (false, false)),
            ("has(input.a)", json!(true), (true, true)),
            ("1 > 2", Value::Null, (false, true)),
            ("size('abc') == 3", Value::Null, (true, false)),
        ] {
            let found = outcomes(source, &answers(value.clone()));
            assert_eq!(found, expected, "{source} with {value}");
        }
    }

    fn expression() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            4 => Just("input.a".to_owned()),
            2 => Just("input.b".to_owned()),
            1 => Just("true".to_owned()),
            1 => Just("false".to_owned()),
            1 => Just("null".to_owned()),
            1 => Just("'x'".to_owned()),
            1 => Just("3".to_owned()),
            1 => Just("has(input.a)".to_owned()),
        ];
        leaf.prop_recursive(4, 24, 3, |inner| {
            let operator = prop::sample::select(vec!["&&", "||", "==", "!=", "<", "in", "+"]);
            prop_oneof![
                inner.clone().prop_map(|a| format!("!({a})")),
                (inner.clone(), operator, inner.clone())
                    .prop_map(|(a, operator, b)| format!("({a}) {operator} ({b})")),
                (inner.clone(), inner.clone(), inner.clone())
                    .prop_map(|(a, b, c)| format!("({a}) ? ({b}) : ({c})")),
                (inner.clone(), inner).prop_map(|(a, b)| format!("({a}) in [{b}, 'x']")),
            ]
        })
    }

    fn value() -> impl Strategy<Value = Value> {
        prop::sample::select(vec![
            json!(true),
            json!(false),
            Value::Null,
            json!("x"),
            json!(3),
            json!(["x", true]),
        ])
    }

    proptest! {
        #[test]
        fn no_outcome_is_left_out(source in expression(), a in value(), b in value(), known in 0..4_u8) {
            let Ok(expression) = Expression::parse(&source, &Limits::default()) else {
                return Ok(());
            };
            let world = World([("a", a.clone()), ("b", b.clone())]);
            let all = [("a", a), ("b", b)];
            let told: Vec<(&str, Value)> = all
                .into_iter()
                .zip([1, 2])
                .filter(|(_, bit)| known & bit != 0)
                .map(|(pair, _)| pair)
                .collect();
            let (holds, fails) = outcomes(&source, &told);
            match expression.evaluate(&world) {
                Ok(true) => prop_assert!(holds, "{}", source),
                Ok(false) => prop_assert!(fails, "{}", source),
                Err(_) => {}
            }
        }
    }
}
