//! Values that are known before the run, and why a rule takes none of them.

use plan_model::{ConfigKey, Input, Path, Reference, Root, Segment, Shape, ValueType};
use serde_json::Value;

use crate::facts::Facts;
use crate::grant::ArgRule;

/// A value that a reference can read, known before the run.
#[derive(Debug)]
pub(super) enum Known<'a> {
    /// The default of an input, or a part of it.
    Default {
        index: usize,
        input: &'a Input,
        value: &'a Value,
    },
    /// A constant of the plan, or a part of it.
    Constant {
        key: &'a ConfigKey,
        value: &'a Value,
    },
}

impl Known<'_> {
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Default { value, .. } | Self::Constant { value, .. } => (*value).clone(),
        }
    }
}

/// The values that a reference reads in some run: those of its first path, and of a
/// further one where everything before it can be null.
pub(super) fn of<'a>(facts: &Facts<'a>, reference: &Reference) -> Vec<Known<'a>> {
    let mut found = Vec::new();
    for path in reference.paths() {
        found.extend(at(facts, path));
        if !may_be_absent(facts, path) {
            break;
        }
    }
    found
}

/// The value at the end of a path, where it is known.
pub(super) fn at<'a>(facts: &Facts<'a>, path: &Path) -> Option<Known<'a>> {
    match &path.root {
        Root::Config(key) => {
            let (key, value) = facts.plan.config.get_key_value(key)?;
            let value = inside(value, &path.segments)?;
            Some(Known::Constant { key, value })
        }
        Root::Input(name) => {
            let (index, input) = facts.input(name.as_str())?;
            let value = inside(input.default.as_ref()?, &path.segments)?;
            Some(Known::Default {
                index,
                input,
                value,
            })
        }
        Root::Step(_) | Root::Item(_) | Root::Secret(_) => None,
    }
}

/// Whether some run goes on to what stands behind `??`.
fn may_be_absent(facts: &Facts<'_>, path: &Path) -> bool {
    match &path.root {
        Root::Input(name) => facts
            .input(name.as_str())
            .is_some_and(|(_, input)| !input.required && input.default.is_none()),
        _ => false,
    }
}

fn inside<'v>(value: &'v Value, path: &[Segment]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, segment| match segment {
        Segment::Name(name) => value.get(name.as_str()),
        Segment::Index(index) => value.get(*index),
    })
}

/// Why a rule does not take a value, as a clause.
pub(super) fn fault(rule: &ArgRule, value: &Value) -> Option<String> {
    if matches!(rule, ArgRule::Exact(exact) if exact != value) {
        return Some("is not the one value that is allowed".to_owned());
    }
    rule.permits(value, &|_| None).err()
}

/// Why a rule takes no value of a shape, as a clause after what has the shape.
pub(super) fn shape_fault(rule: &ArgRule, shape: &Shape) -> Option<String> {
    if shape.is_any() || shape.is_nothing() {
        return None;
    }
    if let Some(choices) = shape.choices() {
        let none = !choices.is_empty() && choices.iter().all(|value| fault(rule, value).is_some());
        return none.then(|| "has no value that is allowed".to_owned());
    }
    let may_be = |value_type| shape.may_be(value_type);
    match rule {
        // a number for an argument that takes text is sent as its text, which is no number and no path
        ArgRule::Range { .. } => (!may_be(ValueType::Number) && !may_be(ValueType::Integer))
            .then(|| "is never a number".to_owned()),
        ArgRule::Subpath(_) | ArgRule::Url { .. } => {
            (!may_be(ValueType::String)).then(|| "is never text".to_owned())
        }
        ArgRule::All(rules) => rules.iter().find_map(|rule| shape_fault(rule, shape)),
        _ => None,
    }
}

/// Why a rule takes nothing that is composed of this kind of value.
pub(super) fn kind_fault(rule: &ArgRule, is_kind: &dyn Fn(&Value) -> bool) -> Option<String> {
    match rule {
        ArgRule::Exact(value) => {
            (!is_kind(value)).then(|| "is not the one value that is allowed".to_owned())
        }
        ArgRule::OneOf(values) => {
            (!values.iter().any(is_kind)).then(|| "is none of the allowed values".to_owned())
        }
        ArgRule::Range { .. } => Some("is not a number".to_owned()),
        ArgRule::Subpath(_) => Some("is not a path".to_owned()),
        ArgRule::Url { .. } => Some("is not a URL".to_owned()),
        ArgRule::All(rules) => rules.iter().find_map(|rule| kind_fault(rule, is_kind)),
        _ => None,
    }
}
