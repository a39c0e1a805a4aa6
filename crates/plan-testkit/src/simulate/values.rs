//! Values that fit what a plan and a catalog declare.

use plan_model::{Output, Schema, Step, ValueType};
use serde_json::{Map, Value, json};

use crate::generate::Random;

/// Schemas are followed so deep; below is null.
const DEPTH: usize = 12;
/// Lists are at most so much longer than they have to be: a hundred items show little that five do not.
const SPAN: u64 = 5;

/// What a tool returns: by its schema where it has one, with the outputs that the step declares.
pub(crate) fn of_tool(step: &Step, schema: Option<&Schema>, random: &mut Random) -> Value {
    match schema {
        Some(Schema(schema)) => of_schema(schema, random, 0),
        None => Value::Object(of_outputs(&step.outputs, random)),
    }
}

/// What a script prints: the outputs that the step declares.
pub(crate) fn printed(step: &Step, random: &mut Random) -> String {
    Value::Object(of_outputs(&step.outputs, random)).to_string()
}

/// A value for every declared output; something where none is declared.
pub(crate) fn of_outputs(outputs: &[Output], random: &mut Random) -> Map<String, Value> {
    if outputs.is_empty() {
        return Map::from_iter([("result".to_owned(), word(random))]);
    }
    let value = |output: &Output, random: &mut Random| {
        of_type(output.value_type, output.schema.as_ref(), random)
    };
    outputs
        .iter()
        .map(|output| (output.name.to_string(), value(output, random)))
        .collect()
}

/// A value of a type, refined by a schema.
pub(crate) fn of_type(is: ValueType, schema: Option<&Schema>, random: &mut Random) -> Value {
    let mut refined = match schema {
        Some(Schema(Value::Object(members))) => members.clone(),
        Some(_) | None => Map::new(),
    };
    if is != ValueType::Any && !refined.contains_key("type") {
        refined.insert("type".to_owned(), json!(is.as_str()));
    }
    of_schema(&Value::Object(refined), random, 0)
}

/// A value that a schema takes, of those that simple schemas describe.
pub(crate) fn of_schema(schema: &Value, random: &mut Random, depth: usize) -> Value {
    if depth > DEPTH {
        return Value::Null;
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return random.pick(values).cloned().unwrap_or_default();
    }
    for name in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema.get(name).and_then(|list| list.get(0)) {
            return of_schema(first, random, depth + 1);
        }
    }
    let is = match schema.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => names.first().and_then(Value::as_str).unwrap_or_default(),
        Some(_) | None if schema.get("properties").is_some() => "object",
        Some(_) | None => "string",
    };
    match is {
        "object" => object(schema, random, depth),
        "array" => {
            let least = bound(schema, "minItems").unwrap_or(0);
            let most = bound(schema, "maxItems").unwrap_or(least + 3);
            let most = most.min(least + SPAN).max(least);
            let count = least + below(random, most - least + 1);
            let items = schema.get("items").cloned().unwrap_or(json!({}));
            (0..count)
                .map(|_| of_schema(&items, random, depth + 1))
                .collect()
        }
        "integer" => json!(number(schema, random)),
        "number" if schema.get("minimum").is_some() => json!(number(schema, random)),
        "number" => json!(f64::from(u8::try_from(random.below(200)).unwrap_or(0)) / 4.0),
        "boolean" => json!(random.chance(50)),
        "null" => Value::Null,
        _ => text(schema, random),
    }
}

fn object(schema: &Value, random: &mut Random, depth: usize) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|list| list.iter().any(|it| it == name));
    let mut members = Map::new();
    for (name, schema) in properties.into_iter().flatten() {
        if is_required(name) || random.chance(70) {
            members.insert(name.clone(), of_schema(schema, random, depth + 1));
        }
    }
    Value::Object(members)
}

fn text(schema: &Value, random: &mut Random) -> Value {
    let Value::String(mut text) = word(random) else {
        return Value::Null;
    };
    let least = usize::try_from(bound(schema, "minLength").unwrap_or(0)).unwrap_or(0);
    while text.len() < least {
        text.push('x');
    }
    if let Some(most) = bound(schema, "maxLength") {
        text.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    }
    Value::from(text)
}

/// A text that could be an address too.
fn word(random: &mut Random) -> Value {
    json!(format!("https://example.com/{}", random.below(10_000)))
}

fn number(schema: &Value, random: &mut Random) -> i64 {
    let side = |name: &str| schema.get(name).and_then(Value::as_i64);
    let least = side("minimum").or(side("exclusiveMinimum").map(|it| it + 1));
    let most = side("maximum").or(side("exclusiveMaximum").map(|it| it - 1));
    let (least, most) = match (least, most) {
        (Some(least), Some(most)) => (least, most),
        (Some(least), None) => (least, least.saturating_add(20)),
        (None, Some(most)) => (most.saturating_sub(20), most),
        (None, None) => (1, 20),
    };
    let span = u64::try_from(most.saturating_sub(least)).unwrap_or(0);
    least.saturating_add(i64::try_from(below(random, span.saturating_add(1))).unwrap_or(0))
}

fn bound(schema: &Value, name: &str) -> Option<u64> {
    schema.get(name).and_then(Value::as_u64)
}

fn below(random: &mut Random, bound: u64) -> u64 {
    let number = random.below(usize::try_from(bound).unwrap_or(usize::MAX));
    u64::try_from(number).unwrap_or(0)
}
