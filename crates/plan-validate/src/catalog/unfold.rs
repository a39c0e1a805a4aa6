//! Bounds a schema before it is compiled: what it refers to, and how far it unfolds.
//!
//! A validator may visit, for one value, every node of the schema unfolded
//! through `$ref`. A recursive schema is fine as long as it goes into the value
//! with each turn and does so once for each part of it; one that applies itself
//! twice to the same part takes time exponential in the depth of the value.

use plan_model::Limits;
use serde_json::{Map, Value};

use super::schema::SchemaFault;
use crate::text;

/// How deep a schema may unfold. Compiling recurses as deep.
const MOST_LEVELS: usize = 96;

/// Checks a schema against the bounds.
pub(super) fn check(schema: &Value, limits: &Limits) -> Result<(), SchemaFault> {
    let mut walk = Walk {
        root: schema,
        limit: limits.schema_nodes,
        nodes: 0,
        open: Vec::new(),
        turns: Vec::new(),
    };
    walk.open.push(Open {
        reference: "#",
        place: 0,
    });
    walk.visit(schema, 0, &mut Vec::new())
}

/// A step from a value into a part of it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Into<'s> {
    Member(&'s str),
    AnyMember,
    Element,
}

/// A reference whose target is being unfolded, and how deep in the value that began.
struct Open<'s> {
    reference: &'s str,
    place: usize,
}

struct Walk<'s> {
    root: &'s Value,
    limit: usize,
    nodes: usize,
    open: Vec<Open<'s>>,
    /// Recursive references that were met: the target, and the way into the value since it began.
    turns: Vec<(&'s str, Vec<Into<'s>>)>,
}

impl<'s> Walk<'s> {
    fn too_large(&self) -> SchemaFault {
        SchemaFault::TooLarge { limit: self.limit }
    }

    /// Recurses at most [`MOST_LEVELS`] deep.
    fn visit(
        &mut self,
        schema: &'s Value,
        level: usize,
        way: &mut Vec<Into<'s>>,
    ) -> Result<(), SchemaFault> {
        self.nodes += 1;
        if self.nodes > self.limit || level > MOST_LEVELS {
            return Err(self.too_large());
        }
        let Value::Object(keywords) = schema else {
            return Ok(());
        };
        for keyword in ["$dynamicRef", "$recursiveRef"] {
            if let Some(reference) = keywords.get(keyword) {
                return Err(unsupported(reference));
            }
        }
        if level > 0 && keywords.get("$id").is_some_and(Value::is_string) {
            // it would change what `#/…` below it means
            return Err(unsupported(keywords.get("$id").unwrap_or(&Value::Null)));
        }
        if let Some(reference) = keywords.get("$ref") {
            self.follow(reference, level, way)?;
        }
        self.apply(keywords, level, way)
    }

    fn apply(
        &mut self,
        keywords: &'s Map<String, Value>,
        level: usize,
        way: &mut Vec<Into<'s>>,
    ) -> Result<(), SchemaFault> {
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(members)) => {
                    for (name, schema) in members {
                        self.inside(Into::Member(name), schema, level, way)?;
                    }
                }
                ("patternProperties", Value::Object(members)) => {
                    for schema in members.values() {
                        self.inside(Into::AnyMember, schema, level, way)?;
                    }
                }
                ("additionalProperties" | "unevaluatedProperties", schema) => {
                    self.inside(Into::AnyMember, schema, level, way)?;
                }
                ("items" | "prefixItems", Value::Array(schemas)) => {
                    for schema in schemas {
                        self.inside(Into::Element, schema, level, way)?;
                    }
                }
                ("items" | "additionalItems" | "contains" | "unevaluatedItems", schema) => {
                    self.inside(Into::Element, schema, level, way)?;
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                    for schema in schemas {
                        self.visit(schema, level + 1, way)?;
                    }
                }
                ("dependentSchemas" | "dependencies", Value::Object(members)) => {
                    for schema in members.values() {
                        self.visit(schema, level + 1, way)?;
                    }
                }
                ("not" | "if" | "then" | "else" | "propertyNames" | "contentSchema", schema) => {
                    self.visit(schema, level + 1, way)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn inside(
        &mut self,
        into: Into<'s>,
        schema: &'s Value,
        level: usize,
        way: &mut Vec<Into<'s>>,
    ) -> Result<(), SchemaFault> {
        way.push(into);
        let visited = self.visit(schema, level + 1, way);
        way.pop();
        visited
    }

    fn follow(
        &mut self,
        reference: &'s Value,
        level: usize,
        way: &mut Vec<Into<'s>>,
    ) -> Result<(), SchemaFault> {
        let Some(text) = reference.as_str() else {
            return Ok(()); // the meta-schema refuses it
        };
        if let Some(open) = self.open.iter().find(|open| open.reference == text) {
            let turn = way.get(open.place..).unwrap_or_default().to_vec();
            let again = self
                .turns
                .iter()
                .any(|(target, other)| *target == text && overlap(other, &turn));
            if turn.is_empty() || again {
                return Err(self.too_large());
            }
            self.turns.push((text, turn));
            return Ok(());
        }
        let target = match text.strip_prefix('#') {
            Some("") => Some(self.root),
            Some(pointer) if pointer.starts_with('/') && !pointer.contains('%') => {
                self.root.pointer(pointer)
            }
            _ => None,
        };
        let target = target.ok_or_else(|| unsupported(reference))?;
        self.open.push(Open {
            reference: text,
            place: way.len(),
        });
        // a turn is counted afresh for each place from which its target is entered
        let turns = std::mem::take(&mut self.turns);
        let visited = self.visit(target, level + 1, way);
        self.turns = turns;
        self.open.pop();
        visited
    }
}

/// Whether two ways can lead to the same part of a value, or one to a part of the other's.
fn overlap(a: &[Into<'_>], b: &[Into<'_>]) -> bool {
    a.iter().zip(b).all(|pair| match pair {
        (Into::Member(a), Into::Member(b)) => a == b,
        (Into::Element, Into::Element) => true,
        (Into::Element, _) | (_, Into::Element) => false,
        _ => true,
    })
}

fn unsupported(reference: &Value) -> SchemaFault {
    SchemaFault::Reference {
        reference: text::quoted(reference.as_str().unwrap_or("$ref")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(schema: &Value) -> Result<(), SchemaFault> {
        super::check(schema, &Limits::default())
    }

    #[test]
    fn a_recursive_tree_is_fine() {
        let tree = json!({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {
            "left": {"$ref": "#/$defs/node"}, "right": {"$ref": "#/$defs/node"},
        }}}});
        assert_eq!(check(&tree), Ok(()));
    }

    #[test]
    fn recursion_that_stays_at_its_value_is_refused() {
        let ring = json!({"anyOf": [{"$ref": "#"}, {"type": "string"}]});
        assert!(matches!(check(&ring), Err(SchemaFault::TooLarge { .. })));
    }

    #[test]
    fn recursion_twice_into_the_same_part_is_refused() {
        let twice = json!({"anyOf": [
            {"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}},
        ]});
        assert!(matches!(check(&twice), Err(SchemaFault::TooLarge { .. })));
    }

    #[test]
    fn references_that_double_at_each_level_are_refused() {
        let mut defs = Map::new();
        for level in 0..40 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            defs.insert(format!("d{level}"), json!({"allOf": [next.clone(), next]}));
        }
        defs.insert("d40".to_owned(), json!({"type": "string"}));
        let schema = json!({"$ref": "#/$defs/d0", "$defs": defs});
        assert!(matches!(check(&schema), Err(SchemaFault::TooLarge { .. })));
    }

    #[test]
    fn references_outside_the_schema_are_refused() {
        for reference in ["https://example.com/s.json", "other.json", "#anchor"] {
            let schema = json!({"properties": {"a": {"$ref": reference}}});
            assert!(
                matches!(check(&schema), Err(SchemaFault::Reference { .. })),
                "{reference}"
            );
        }
    }
}
