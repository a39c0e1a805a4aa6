//! Literals against the compiled schema: one look at the whole arguments object.

use plan_model::{Pointer, Template, ValueType};
use serde_json::{Map, Value};

use super::RULE;
use crate::catalog::{Quote, Violation, ViolationKind};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::normal::{self, Form};
use crate::rules::call::Call;
use crate::text;

/// A place whose value is not known before the run.
struct Hole {
    pointer: Pointer,
    /// Whether it will be text, whatever it holds.
    is_text: bool,
}

/// The arguments are those of the call before, whose object is used once more: plans call few tools often.
pub(super) fn check(call: &Call<'_>, arguments: &mut Value, findings: &mut Findings) {
    if let Value::Object(arguments) = arguments {
        fill_in(call, arguments, findings);
    }
    let Some(schema) = &call.tool.input else {
        return;
    };
    let violations = schema.violations(arguments, Quote::Shown);
    if violations.is_empty() {
        return;
    }
    let holes = holes(call);
    let (unknown, missing) = (call.unknown(), call.missing());
    // of one root cause there is one finding: missing and unknown arguments are told by P303 and P304
    let is_told = |violation: &Violation| match violation.pointer.segments().next() {
        Some(argument) => unknown.iter().any(|(name, _)| *name == argument),
        None => violation.kind == ViolationKind::Required && !missing.is_empty(),
    };
    for violation in violations {
        if is_certain(&violation, &holes) && !is_told(&violation) {
            report(call, violation, findings);
        }
    }
}

/// Makes an object the arguments of a call, with a stand-in for what is not known.
fn fill_in(call: &Call<'_>, arguments: &mut Map<String, Value>, findings: &mut Findings) {
    arguments.retain(|name, _| call.data.arguments.contains_key(name));
    for (name, template) in &call.data.arguments {
        let value = match template {
            Template::Literal(value) => match normal::argument(call.tool, name, value) {
                Form::AsIs => value.clone(),
                Form::Dropped => {
                    note(
                        call,
                        name,
                        "null is not sent: the argument takes no null",
                        findings,
                    );
                    arguments.remove(name);
                    continue;
                }
                Form::Text(text) => {
                    let message = format!("{} is sent as text", text::quoted(value.to_string()));
                    note(call, name, &message, findings);
                    text.into()
                }
            },
            Template::Reference(_) => stand_in(call, name),
            other => fill(other),
        };
        match arguments.get_mut(name) {
            Some(before) => *before = value,
            None => {
                arguments.insert(name.clone(), value);
            }
        }
    }
}

fn note(call: &Call<'_>, name: &str, message: &str, findings: &mut Findings) {
    let finding = RULE.at(call.pointer().join(name), message);
    findings.add(finding.severity(Severity::Note));
}

fn report(call: &Call<'_>, violation: Violation, findings: &mut Findings) {
    let mut pointer = call.pointer();
    violation.pointer.segments().for_each(|s| pointer.push(s));
    let message = match violation.pointer.segments().next() {
        Some(name) => format!("the argument {}: {}", text::quoted(name), violation.message),
        None => format!("the arguments together: {}", violation.message),
    };
    let finding = RULE.at(pointer, message);
    findings.add(match violation.expected {
        Some(expected) => finding.expected(expected),
        None => finding,
    });
}

/// A value of the argument's type, so that a call whose literals fit does so at the first look.
fn stand_in(call: &Call<'_>, name: &str) -> Value {
    let Some(argument) = call.tool.argument(name) else {
        return Value::Null;
    };
    let typical = [
        (ValueType::String, Value::from("")),
        (ValueType::Integer, Value::from(0)),
        (ValueType::Boolean, Value::from(false)),
        (ValueType::Array, Value::Array(Vec::new())),
        (ValueType::Object, Value::Object(Map::new())),
    ];
    let mut fitting = typical.into_iter();
    let fitting = fitting.find(|(value_type, _)| argument.shape.is_only(*value_type));
    fitting.map_or(Value::Null, |(_, value)| value)
}

/// The value with a stand-in at each hole. Recurses as deep as the plan is nested.
fn fill(template: &Template) -> Value {
    match template {
        Template::Literal(value) => value.clone(),
        Template::Reference(_) => Value::Null,
        Template::Text(_) => Value::from(""),
        Template::Array(items) => items.iter().map(fill).collect(),
        Template::Object(members) => {
            let filled = members.iter();
            let filled = filled.map(|(name, member)| (name.clone(), fill(member)));
            Value::Object(filled.collect())
        }
    }
}

/// Every place of a call whose value is not known: most calls fit, and nobody asks.
fn holes(call: &Call<'_>) -> Vec<Hole> {
    let mut holes = Vec::new();
    for (name, template) in &call.data.arguments {
        holes_of(template, &mut Pointer::root().join(name), &mut holes);
    }
    holes
}

/// Recurses as deep as the plan is nested.
fn holes_of(template: &Template, at: &mut Pointer, holes: &mut Vec<Hole>) {
    match template {
        Template::Literal(_) => {}
        Template::Reference(_) | Template::Text(_) => holes.push(Hole {
            pointer: at.clone(),
            is_text: matches!(template, Template::Text(_)),
        }),
        Template::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                at.push(index);
                holes_of(item, at, holes);
                at.pop();
            }
        }
        Template::Object(members) => {
            for (name, member) in members {
                at.push(name);
                holes_of(member, at, holes);
                at.pop();
            }
        }
    }
}

/// Whether a violation holds whatever the holes will be.
fn is_certain(violation: &Violation, holes: &[Hole]) -> bool {
    let at = &violation.pointer;
    holes.iter().all(|hole| {
        if at.is_within(&hole.pointer) {
            return hole.is_text && violation.kind == ViolationKind::Type;
        }
        // around a hole the type and the members are known, and nothing else is
        !hole.pointer.is_within(at) || violation.kind != ViolationKind::Other
    })
}
