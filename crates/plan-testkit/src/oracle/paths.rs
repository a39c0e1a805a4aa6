//! Where a path leads in a value of which a schema is known.

use serde_json::{Value, json};

use super::outputs;
use super::reads;
use super::syntax::{Part, Path};
use super::view::{StepView, View};
use crate::within::{list, text};

/// What is known of the value that a path reads.
#[derive(Debug)]
pub(super) enum Leads {
    /// To a value of this schema.
    To(Value),
    /// To a value of which nothing is known.
    Anywhere,
    /// Nowhere, in every run: so many parts of the path are still good.
    Nowhere(usize),
}

/// What a path reads; the caller has seen that its name exists.
pub(super) fn of(view: &View<'_>, reader: &StepView<'_>, path: &Path) -> Leads {
    match path.kind.as_str() {
        "input" => {
            let inputs = list(view.plan, "/inputs");
            let Some(input) = inputs
                .iter()
                .find(|input| text(input, "/name") == path.name)
            else {
                return Leads::Anywhere;
            };
            walk(outputs::declaration(input), &path.rest, 0)
        }
        "conf" => match view
            .plan
            .pointer("/config")
            .and_then(|config| config.get(&path.name))
        {
            Some(value) => constant(value, &path.rest),
            None => Leads::Anywhere,
        },
        "step" => {
            let (Some(step), Some((Part::Name(name), rest))) =
                (view.step(&path.name), path.rest.split_first())
            else {
                return Leads::Anywhere;
            };
            match outputs::of(view, step)
                .known
                .into_iter()
                .find(|(known, _)| known == name)
            {
                Some((_, schema)) => walk(schema, rest, 1),
                None => Leads::Anywhere,
            }
        }
        "item" => {
            let mut owners = vec![reader];
            owners.extend(view.around(reader));
            let owner = owners
                .into_iter()
                .find(|owner| owner.config("item_var") == path.name);
            let Some((owner, over)) = owner.and_then(|owner| Some((owner, reads::over(owner)?)))
            else {
                return Leads::Anywhere;
            };
            match of(view, owner, &over) {
                Leads::To(list) => walk(
                    list.get("items").cloned().unwrap_or_else(|| json!({})),
                    &path.rest,
                    0,
                ),
                _ => Leads::Anywhere,
            }
        }
        _ => Leads::Anywhere,
    }
}

fn walk(schema: Value, parts: &[Part], gone: usize) -> Leads {
    let Some((part, rest)) = parts.split_first() else {
        return Leads::To(schema);
    };
    let is = schema.get("type").and_then(Value::as_str);
    let next = match part {
        Part::Name(name) => {
            if is.is_some_and(|is| is != "object") {
                return Leads::Nowhere(gone);
            }
            match schema
                .get("properties")
                .and_then(|properties| properties.get(name))
            {
                Some(property) => property.clone(),
                None if schema.get("additionalProperties") == Some(&json!(false)) => {
                    return Leads::Nowhere(gone);
                }
                None => return Leads::Anywhere,
            }
        }
        Part::Index(_) => {
            if is.is_some_and(|is| is != "array") {
                return Leads::Nowhere(gone);
            }
            match schema.get("items") {
                Some(items) => items.clone(),
                None => return Leads::Anywhere,
            }
        }
    };
    walk(next, rest, gone + 1)
}

/// A config value is known in full.
fn constant(value: &Value, parts: &[Part]) -> Leads {
    let mut value = value;
    for (gone, part) in parts.iter().enumerate() {
        let next = match part {
            Part::Name(name) => value.get(name),
            Part::Index(index) => value.get(index),
        };
        match next {
            Some(next) => value = next,
            None => return Leads::Nowhere(gone),
        }
    }
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    Leads::To(json!({"type": is}))
}
