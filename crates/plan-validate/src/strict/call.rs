//! Calls of tools: one form for each tool, with its name and its arguments.

use std::collections::BTreeSet;

use plan_model::Shape;
use plan_model::shape::Fit;
use serde_json::{Map, Value, json};

use super::narrow::{Mode, Narrow, SILENT, any_of, anything, closed, members, required, types};
use super::sources::{KINDS, Sources};
use crate::catalog::CatalogTool;
use crate::check::Context;
use crate::rules::is_misleading;

/// The most characters of a tool's name that the ids of its steps begin with.
const MOST_SLUG: usize = 40;

/// A tool that plans may call.
#[derive(Debug)]
pub(super) struct Offered<'c> {
    pub(super) tool: &'c CatalogTool,
    /// What the ids of its steps begin with: no two tools or kinds have the same.
    pub(super) slug: String,
}

/// The tools that a host lets plans call, in the order of their names.
pub(super) fn offered<'c>(cx: &Context<'c>) -> Vec<Offered<'c>> {
    let mut taken: BTreeSet<String> = KINDS.iter().map(|(kind, ..)| (*kind).to_owned()).collect();
    let allowed = |tool: &&CatalogTool| {
        let name = &tool.spec.name;
        let listed = cx.policy.tools.as_ref();
        tool.spec.allowlisted
            && tool.quarantine.is_none()
            && listed.is_none_or(|listed| listed.contains(name))
            && !name.as_str().contains("${")
            && !is_misleading(name.as_str())
    };
    let mut all = Vec::new();
    for tool in cx.catalog.tools().filter(allowed) {
        let plain = slug(tool.spec.name.as_str());
        let mut free = plain.clone();
        for number in 2.. {
            if taken.insert(free.clone()) {
                break;
            }
            free = format!("{plain}_{number}");
        }
        all.push(Offered { tool, slug: free });
    }
    all
}

fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    slug.truncate(MOST_SLUG);
    let slug = slug.trim_end_matches('_');
    match slug.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => slug.to_owned(),
        _ => format!("tool_{slug}").trim_end_matches('_').to_owned(),
    }
}

/// The arguments of a tool; what they refer to is put among the definitions. `None` where the strict form
/// has none.
pub(super) fn arguments(
    offered: &Offered<'_>,
    sources: &Sources,
    definitions: &mut Map<String, Value>,
) -> Option<Value> {
    let takes_any = |schema| offered.tool.takes_other_arguments() && is_free(schema);
    let input = offered.tool.input.as_ref();
    let named = input.filter(|input| !takes_any(input.schema()));
    let Some(input) = named else {
        // of a tool of which only the name is known any argument is taken
        let value = any_of(
            anything(Mode::Open)
                .into_iter()
                .chain(sources.fitting(&Shape::any()))
                .collect(),
        )?;
        return Some(json!({ "type": "object", "additionalProperties": value }));
    };
    let own = format!("tool_{}", offered.slug);
    let mut narrow = Narrow::new(input.schema(), sources, &own);
    let arguments = match input.schema() {
        Value::Object(keywords) if is_plain(keywords) => {
            of_members(offered, keywords, &mut narrow)?
        }
        schema => narrow
            .schema(schema, &Shape::any(), Mode::Exact)
            .filter(|form| is_object(form) && !sends_null(form))?,
    };
    if let Some(definition) = narrow.own() {
        definitions.insert(own, definition);
    } else if narrow.refers_to_own {
        return None;
    }
    Some(arguments)
}

/// Whether a schema says nothing of the arguments but that they are an object.
fn is_free(schema: &Value) -> bool {
    let Value::Object(keywords) = schema else {
        return *schema == Value::Bool(true);
    };
    let is_open = keywords
        .get("additionalProperties")
        .is_none_or(|rest| *rest == Value::Bool(true));
    is_plain(keywords) && is_open && members(keywords).is_empty() && required(keywords).is_empty()
}

/// Whether all that a schema says of the arguments is what each of them is.
fn is_plain(keywords: &Map<String, Value>) -> bool {
    const PLAIN: &[&str] = &["type", "properties", "required", "additionalProperties"];
    let is_object = keywords
        .get("type")
        .is_none_or(|name| *name == json!("object"));
    let known = |name: &String| {
        PLAIN.contains(&name.as_str()) || SILENT.contains(&name.as_str()) || name.starts_with("x-")
    };
    is_object && keywords.keys().all(known)
}

/// Whether an argument of some form may be null: where it is optional it would not be sent, and the
/// form that asked for it would no longer hold.
fn sends_null(form: &Value) -> bool {
    let parts = |name: &str| form.get(name).and_then(Value::as_array);
    let members = form.get("properties").and_then(Value::as_object);
    members.into_iter().flatten().any(|(_, it)| may_be_null(it))
        || parts("anyOf").into_iter().flatten().any(sends_null)
        || parts("allOf").into_iter().flatten().any(sends_null)
}

/// Whether null may fit a schema: unless it says that null does not.
fn may_be_null(schema: &Value) -> bool {
    let Value::Object(keywords) = schema else {
        return *schema != Value::Bool(false);
    };
    let part = |name: &str| keywords.get(name).and_then(Value::as_array);
    let takes = |names: &Value| match names {
        Value::Array(names) => names.contains(&"null".into()),
        name => *name == "null",
    };
    keywords.get("type").is_none_or(takes)
        && part("enum").is_none_or(|choices| choices.contains(&Value::Null))
        && keywords.get("const").is_none_or(Value::is_null)
        && part("anyOf").is_none_or(|parts| parts.iter().any(may_be_null))
        && part("allOf").is_none_or(|parts| parts.iter().all(may_be_null))
}

/// Whether values of a strict schema are objects.
fn is_object(schema: &Value) -> bool {
    let of = |schema: &Value| schema.get("type") == Some(&json!("object"));
    let all = |name: &str| schema.get(name).and_then(Value::as_array);
    match (all("anyOf"), all("allOf")) {
        (Some(parts), _) => parts.iter().all(of),
        (None, Some(parts)) => parts.first().is_some_and(|part| {
            let inner = part.get("anyOf").and_then(Value::as_array);
            inner.map_or_else(|| of(part), |parts| parts.iter().all(of))
        }),
        (None, None) => of(schema),
    }
}

fn of_members<'s>(
    offered: &Offered<'_>,
    keywords: &'s Map<String, Value>,
    narrow: &mut Narrow<'s>,
) -> Option<Value> {
    let required = required(keywords);
    let mut given = Map::new();
    for (name, schema) in members(keywords) {
        let Some(argument) = offered.tool.argument(name) else {
            continue;
        };
        let Some(value) = narrow.schema(schema, &argument.shape, Mode::Open) else {
            continue;
        };
        // null for an optional argument is not sent, unless it could be a value of it
        let is_dropped = matches!(Shape::null().fits(&argument.shape), Fit::Never(_));
        let value = if !argument.required && is_dropped {
            any_of(vec![value, json!({ "type": "null" })])?
        } else {
            value
        };
        given.insert(name.to_owned(), value);
    }
    let all_there = required.iter().all(|name| given.contains_key(*name));
    (all_there && types(keywords).iter().all(|name| *name == "object")).then(|| closed(&given))
}
