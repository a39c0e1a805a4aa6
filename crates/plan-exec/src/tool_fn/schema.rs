//! JSON Schemas of Rust types, in the form that catalogs like: one piece, closed.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// The schema of an arguments struct. `()` takes no arguments.
pub(super) fn arguments<A: JsonSchema>() -> Value {
    let mut schema = of::<A>();
    if schema.get("type").and_then(Value::as_str) == Some("null") {
        return json!({"type": "object", "properties": {}, "additionalProperties": false});
    }
    close(&mut schema);
    schema
}

/// The schema of a result. Left open where its type is: a result may say more than a plan reads.
pub(super) fn result<T: JsonSchema>() -> Value {
    of::<T>()
}

fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// Says of every object with named members, and no say about others, that it has no others.
///
/// Left alone where a neighbouring keyword brings members of its own.
fn close(schema: &mut Value) {
    const BRINGS_MEMBERS: [&str; 7] = [
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
        "additionalProperties",
        "patternProperties",
        "if",
    ];
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        match schema {
            Value::Object(members) => {
                let named = members.get("properties").is_some_and(Value::is_object)
                    && members.get("type").and_then(Value::as_str) == Some("object");
                if named && !BRINGS_MEMBERS.iter().any(|key| members.contains_key(*key)) {
                    members.insert("additionalProperties".to_owned(), Value::Bool(false));
                }
                open.extend(members.iter_mut().map(|(_, member)| member));
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Outer {
        /// Where.
        place: Inner,
        #[serde(default)]
        times: Option<u8>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Inner {
        path: String,
    }

    #[test]
    fn arguments_are_in_one_piece_and_closed_at_every_level() {
        let schema = arguments::<Outer>();
        assert_eq!(schema.pointer("/additionalProperties"), Some(&json!(false)));
        assert_eq!(
            schema.pointer("/properties/place/additionalProperties"),
            Some(&json!(false))
        );
        assert_eq!(schema.pointer("/required"), Some(&json!(["place"])));
        assert_eq!(schema.pointer("/$defs"), None);
    }

    #[test]
    fn a_tool_without_arguments_takes_an_empty_object() {
        assert_eq!(
            arguments::<()>(),
            json!({"type": "object", "properties": {}, "additionalProperties": false})
        );
    }

    #[test]
    fn a_map_stays_open() {
        let schema = arguments::<serde_json::Map<String, Value>>();
        assert_eq!(schema.get("type"), Some(&json!("object")));
        assert_ne!(schema.get("additionalProperties"), Some(&json!(false)));
    }
}
