//! From JSON Schema to shapes. Keywords that are not read here widen the shape.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Shape;
use super::combine::Work;
use super::parts::{Items, Members};
use super::sizes::Sizes;
use super::types::Types;
use crate::document::words::Word;
use crate::{InputKind, Limits};

/// Nesting past which a schema is taken to accept anything.
const DEPTH: usize = 64;

/// The shape of values that a schema accepts.
pub(super) fn shape(schema: &Value) -> Shape {
    let mut reader = Reader {
        root: schema,
        lone_refs: is_of(schema, &["draft-03", "draft-04", "draft-06", "draft-07"]),
        lists: is_of(
            schema,
            &["draft-03", "draft-04", "draft-06", "draft-07", "2019-09"],
        ),
        fuel: Limits::default().schema_nodes,
        work: Work::default(),
        open: Vec::new(),
    };
    reader.shape(schema, 0)
}

struct Reader<'s> {
    root: &'s Value,
    /// Whether keywords beside `$ref` say nothing, as up to draft 7.
    lone_refs: bool,
    /// Whether a list in `items` is what `prefixItems` is now, as up to 2019-09.
    lists: bool,
    /// Nodes that may still be read.
    fuel: usize,
    /// Pairs that may still be combined.
    work: Work,
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
        let sizes = Sizes::of_keywords(keywords);
        let own = Shape {
            members: self.members(keywords, depth).map(Arc::new),
            items: self.items(keywords, depth).map(Arc::new),
            sizes: (!sizes.is_any()).then(|| Arc::new(sizes)),
            kinds: kinds(keywords),
            path: path_kind(keywords),
            ..Shape::any()
        };
        // what the schema itself calls its values wins over what it refers to
        shape = own.meet_within(&shape, &mut self.work);
        for part in list(keywords, "allOf") {
            let part = self.shape(part, depth + 1);
            shape = shape.meet_within(&part, &mut self.work);
        }
        for choice in ["anyOf", "oneOf"] {
            if keywords.get(choice).is_some_and(Value::is_array) {
                let parts: Vec<Shape> = list(keywords, choice)
                    .iter()
                    .map(|part| self.shape(part, depth + 1))
                    .collect();
                let parts = Shape::join_all_within(parts, &mut self.work);
                shape = shape.meet_within(&parts, &mut self.work);
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

    /// What `items` says, after what `prefixItems` says of the first; a dialect that knows the one keyword alone takes
    /// less than both say, which is no harm.
    fn items(&mut self, keywords: &'s Map<String, Value>, depth: usize) -> Option<Items> {
        let (first, rest) = match keywords.get("items") {
            Some(Value::Array(first)) if self.lists => {
                (first.as_slice(), keywords.get("additionalItems"))
            }
            Some(Value::Array(_)) => return None,
            items => (list(keywords, "prefixItems"), items),
        };
        if first.is_empty() && rest.is_none() {
            return None;
        }
        let mut read = |schema: &'s Value| self.shape(schema, depth + 1);
        Some(Items {
            first: first.iter().map(&mut read).collect(),
            rest: rest.map_or_else(Shape::any, read),
        })
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

/// What `x-kind` calls the values: a name, or a list of names.
fn kinds(keywords: &Map<String, Value>) -> Option<Arc<[Box<str>]>> {
    let mut kinds: Vec<Box<str>> = match keywords.get("x-kind")? {
        Value::String(kind) => vec![kind.as_str().into()],
        Value::Array(kinds) => kinds
            .iter()
            .map(|kind| kind.as_str().map(Box::from))
            .collect::<Option<_>>()?,
        _ => return None,
    };
    kinds.sort_unstable();
    kinds.dedup();
    (!kinds.is_empty()).then(|| kinds.into())
}

/// What the values are paths of, in the words of `input_kind`.
fn path_kind(keywords: &Map<String, Value>) -> Option<InputKind> {
    let named = ["x-path-kind", "x-inxm-input-kind"];
    let word = named.iter().find_map(|keyword| keywords.get(*keyword))?;
    let word = word.as_str()?;
    let (_, kind) = InputKind::WORDS.iter().find(|(known, _)| *known == word)?;
    (*kind != InputKind::Value).then_some(*kind)
}

/// Whether a schema says that it is of one of these dialects.
fn is_of(schema: &Value, dialects: &[&str]) -> bool {
    let named = schema.get("$schema").and_then(Value::as_str);
    named.is_some_and(|named| dialects.iter().any(|dialect| named.contains(dialect)))
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
        let kinds = |schema: Value| {
            let shape = Shape::of_schema(&Schema(schema));
            shape.kinds().unwrap_or_default().join(" or ")
        };
        assert_eq!(
            kinds(json!({ "type": "string", "x-kind": "image" })),
            "image"
        );
        assert_eq!(
            kinds(json!({ "anyOf": [{ "x-kind": "image" }, { "type": "null" }] })),
            "image"
        );
        assert_eq!(
            kinds(json!({ "anyOf": [{ "x-kind": "text" }, { "x-kind": ["image", "text"] }] })),
            "image or text"
        );
        assert_eq!(
            kinds(json!({ "anyOf": [{ "x-kind": "image" }, { "type": "string" }] })),
            ""
        );
        assert_eq!(
            kinds(
                json!({ "$ref": "#/$defs/file", "x-kind": "image", "$defs": { "file": { "x-kind": "file" } } })
            ),
            "image"
        );
        assert_eq!(kinds(json!({ "x-kind": 3 })), "");
    }

    #[test]
    fn the_kind_of_a_path_is_kept() {
        let path = |schema: Value| Shape::of_schema(&Schema(schema)).path_kind();
        assert_eq!(
            path(json!({ "type": "string", "x-path-kind": "file_path" })),
            Some(InputKind::FilePath)
        );
        assert_eq!(
            path(json!({ "x-inxm-input-kind": "output_file_path" })),
            Some(InputKind::OutputFilePath)
        );
        assert_eq!(path(json!({ "x-path-kind": "value" })), None);
        assert_eq!(path(json!({ "x-path-kind": "socket" })), None);
    }

    #[test]
    fn lists_of_schemas_are_told_apart_element_by_element() {
        let elements = |schema: Value| {
            let shape = Shape::of_schema(&Schema(schema));
            [0, 1, 2].map(|index| {
                shape
                    .element(index)
                    .map_or("nothing".to_owned(), |shape| shape.describe())
            })
        };
        let (text, whole) = (json!({ "type": "string" }), json!({ "type": "integer" }));
        assert_eq!(
            elements(json!({ "prefixItems": [text], "items": whole })),
            ["string", "integer", "integer"]
        );
        assert_eq!(
            elements(json!({ "prefixItems": [text, whole], "items": false })),
            ["string", "integer", "nothing"]
        );
        let old = "http://json-schema.org/draft-07/schema#";
        assert_eq!(
            elements(json!({ "$schema": old, "items": [text], "additionalItems": whole })),
            ["string", "integer", "integer"]
        );
        assert_eq!(
            elements(json!({ "items": [text] })),
            ["any value", "any value", "any value"]
        );
    }

    #[test]
    fn a_schema_that_multiplies_is_left_wider() {
        // each part names a member at every level and closes none: all paths together would be 24 to the power of 12
        let part = |name: usize| {
            let mut schema = json!({});
            for _ in 0..12 {
                schema = json!({ "properties": { format!("p{name}"): {} }, "additionalProperties": schema });
            }
            schema
        };
        let parts: Vec<Value> = (0..24).map(part).collect();
        let shape = Shape::of_schema(&Schema(json!({ "allOf": parts })));
        assert!(shape.property("p0").is_some());
    }
}
