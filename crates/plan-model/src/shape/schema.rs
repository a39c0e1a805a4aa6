//! From JSON Schema to shapes. Keywords that are not read here widen the shape.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::types::Types;
use super::{Members, Shape};
use crate::Limits;

/// Nesting past which a schema is taken to accept anything.
const DEPTH: usize = 64;

/// The shape of values that a schema accepts.
pub(super) fn shape(schema: &Value) -> Shape {
    let mut reader = Reader {
        root: schema,
        lone_refs: ignores_beside_ref(schema),
        fuel: Limits::default().schema_nodes,
        open: Vec::new(),
    };
    reader.shape(schema, 0)
}

struct Reader<'s> {
    root: &'s Value,
    /// Whether keywords beside `$ref` say nothing, as up to draft 7.
    lone_refs: bool,
    /// Nodes that may still be read.
    fuel: usize,
    /// References that are being followed.
    open: Vec<&'s str>,
}

impl<'s> Reader<'s> {
    // recursion is bounded by DEPTH
    fn shape(&mut self, schema: &'s Value, depth: usize) -> Shape {
        if self.fuel == 0 || depth > DEPTH {
            return Shape::any();
        }
        self.fuel -= 1;
        match schema {
            Value::Bool(false) => Shape::nothing(),
            // a schema with an identity of its own changes what references in it mean
            Value::Object(keywords) if depth == 0 || !keywords.contains_key("$id") => {
                self.keywords(keywords, depth)
            }
            _ => Shape::any(),
        }
    }

    fn keywords(&mut self, keywords: &'s Map<String, Value>, depth: usize) -> Shape {
        let referenced = match keywords.get("$ref") {
            Some(Value::String(reference)) => Some(self.reference(reference, depth)),
            _ => None,
        };
        let mut shape = match (referenced, self.lone_refs) {
            (Some(referenced), true) => return referenced,
            (Some(referenced), false) => referenced,
            (None, _) => Shape::any(),
        };
        if let Some(types) = keywords.get("type").and_then(types) {
            shape.types = shape.types & types;
        }
        let own = Shape {
            members: self.members(keywords, depth).map(Arc::new),
            item: self.item(keywords, depth).map(Arc::new),
            kind: keywords
                .get("x-kind")
                .and_then(Value::as_str)
                .map(Arc::from),
            ..Shape::any()
        };
        // what the schema itself calls its values wins over what it refers to
        shape = own.meet(&shape);
        for part in list(keywords, "allOf") {
            shape = shape.meet(&self.shape(part, depth + 1));
        }
        for choice in ["anyOf", "oneOf"] {
            if keywords.get(choice).is_some_and(Value::is_array) {
                let parts: Vec<Shape> = list(keywords, choice)
                    .iter()
                    .map(|part| self.shape(part, depth + 1))
                    .collect();
                shape = shape.meet(&Shape::join_all(parts));
            }
        }
        if let Some(only) = keywords.get("const") {
            shape = shape.meet(&Shape::any().of_choices(vec![only.clone()]));
        }
        if let Some(Value::Array(choices)) = keywords.get("enum") {
            shape = shape.meet(&Shape::any().of_choices(choices.clone()));
        }
        shape
    }

    fn reference(&mut self, reference: &'s str, depth: usize) -> Shape {
        let Some(target) = self.target(reference) else {
            return Shape::any();
        };
        if self.open.contains(&reference) {
            return Shape::any();
        }
        self.open.push(reference);
        let shape = self.shape(target, depth + 1);
        self.open.pop();
        shape
    }

    fn target(&self, reference: &str) -> Option<&'s Value> {
        let fragment = reference.strip_prefix('#')?;
        // an escaped character is rare enough to be left unknown
        (!fragment.contains('%')).then(|| self.root.pointer(fragment))?
    }

    fn members(&mut self, keywords: &'s Map<String, Value>, depth: usize) -> Option<Members> {
        let properties = keywords.get("properties").and_then(Value::as_object);
        let additional = keywords.get("additionalProperties");
        let required = list(keywords, "required");
        if properties.is_none() && additional.is_none() && required.is_empty() {
            return None;
        }
        let mut named = BTreeMap::new();
        for (name, property) in properties.into_iter().flatten() {
            named.insert(name.clone(), self.shape(property, depth + 1));
        }
        let patterns = keywords.contains_key("patternProperties");
        let rest = match additional {
            Some(additional) if !patterns => self.shape(additional, depth + 1),
            _ => Shape::any(),
        };
        let required = required.iter().filter_map(Value::as_str);
        Some(Members {
            named,
            required: required.map(str::to_owned).collect(),
            rest,
        })
    }

    fn item(&mut self, keywords: &'s Map<String, Value>, depth: usize) -> Option<Shape> {
        match keywords.get("items") {
            Some(items @ (Value::Object(_) | Value::Bool(_)))
                if !keywords.contains_key("prefixItems") =>
            {
                Some(self.shape(items, depth + 1))
            }
            _ => None,
        }
    }
}

fn list<'s>(keywords: &'s Map<String, Value>, keyword: &str) -> &'s [Value] {
    keywords
        .get(keyword)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// The types that `type` names; `None` when it names one that there is not.
fn types(named: &Value) -> Option<Types> {
    match named {
        Value::String(name) => type_of(name),
        Value::Array(list) => list.iter().try_fold(Types::NONE, |all, name| {
            Some(all | type_of(name.as_str()?)?)
        }),
        _ => None,
    }
}

fn type_of(name: &str) -> Option<Types> {
    Some(match name {
        "null" => Types::NULL,
        "boolean" => Types::BOOLEAN,
        "integer" => Types::INTEGER,
        "number" => Types::NUMBER,
        "string" => Types::STRING,
        "array" => Types::ARRAY,
        "object" => Types::OBJECT,
        _ => return None,
    })
}

fn ignores_beside_ref(schema: &Value) -> bool {
    let dialect = schema.get("$schema").and_then(Value::as_str);
    dialect.is_some_and(|dialect| {
        ["draft-03", "draft-04", "draft-06", "draft-07"]
            .iter()
            .any(|old| dialect.contains(old))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schema;
    use serde_json::json;

    fn described(schema: Value) -> String {
        Shape::of_schema(&Schema(schema)).describe()
    }

    #[test]
    fn applicators_are_followed() {
        assert_eq!(
            described(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] })),
            "string or null"
        );
        assert_eq!(
            described(
                json!({ "allOf": [{ "type": ["string", "null"] }, { "type": ["string", "integer"] }] })
            ),
            "string"
        );
        assert_eq!(
            described(
                json!({ "type": "integer", "oneOf": [{ "const": 1 }, { "const": 2 }, { "const": "3" }] })
            ),
            "`1` or `2`"
        );
        assert_eq!(
            described(json!({ "enum": ["a", 1], "type": "string" })),
            "`\"a\"`"
        );
        assert_eq!(
            described(json!({ "not": { "type": "string" } })),
            "any value"
        );
        assert_eq!(described(json!({ "type": "widget" })), "any value");
        assert_eq!(described(json!({ "anyOf": [] })), "nothing");
    }

    #[test]
    fn references_within_the_document_are_followed() {
        let schema = json!({
            "$defs": { "id": { "type": "integer" } },
            "type": "object",
            "properties": { "a": { "$ref": "#/$defs/id" }, "b": { "$ref": "https://example.com/x" }, "c": { "$ref": "#/nowhere" } }
        });
        let shape = Shape::of_schema(&Schema(schema));
        let described: Vec<_> = ["a", "b", "c"]
            .map(|name| shape.property(name).unwrap().describe())
            .into();
        assert_eq!(described, ["integer", "any value", "any value"]);
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({
            "type": "object",
            "properties": { "next": { "$ref": "#" }, "id": { "type": "string" } },
            "additionalProperties": false
        });
        let shape = Shape::of_schema(&Schema(schema));
        let next = shape.property("next").unwrap();
        assert_eq!(next.property("id").unwrap().describe(), "string");
        assert!(next.property("next").unwrap().is_any());
        assert!(Shape::of_schema(&Schema(json!({ "$ref": "#" }))).is_any());
    }

    #[test]
    fn a_schema_that_unfolds_without_end_is_cut() {
        let mut definitions = Map::new();
        for level in 0..40 {
            let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
            definitions.insert(
                format!("d{level}"),
                json!({ "properties": { "a": next, "b": next } }),
            );
        }
        let shape = Shape::of_schema(&Schema(
            json!({ "$defs": definitions, "$ref": "#/$defs/d0" }),
        ));
        assert!(shape.property("a").is_some());
    }

    #[test]
    fn old_dialects_ignore_what_stands_beside_a_reference() {
        let with = |dialect: &str| {
            described(json!({
                "$schema": dialect,
                "definitions": { "x": { "type": ["string", "null"] } },
                "$ref": "#/definitions/x",
                "type": "string"
            }))
        };
        assert_eq!(
            with("http://json-schema.org/draft-07/schema#"),
            "string or null"
        );
        assert_eq!(
            with("https://json-schema.org/draft/2020-12/schema"),
            "string"
        );
    }

    #[test]
    fn the_kind_of_a_value_is_kept() {
        let kind = |schema: Value| {
            Shape::of_schema(&Schema(schema))
                .x_kind()
                .map(str::to_owned)
        };
        assert_eq!(
            kind(json!({ "type": "string", "x-kind": "image" })).as_deref(),
            Some("image")
        );
        assert_eq!(
            kind(json!({ "anyOf": [{ "x-kind": "image" }, { "type": "null" }] })).as_deref(),
            Some("image")
        );
        assert_eq!(
            kind(json!({ "anyOf": [{ "x-kind": "image" }, { "x-kind": "text" }] })),
            None
        );
    }
}
