//! Following a path into a shape.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Shape;
use super::types::Types;
use crate::Segment;

/// Names that an error lists at most.
const LISTED: usize = 10;

/// A path that no value of a shape has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{found}")]
pub struct MissingPath {
    /// How many segments exist.
    pub existing: usize,
    /// What is there, as a clause: "is string", "has only `a` and `b`".
    pub found: String,
    /// The names that exist there, sorted.
    pub names: Vec<String>,
}

impl Shape {
    /// The shape of a member; `None` when no value has it.
    pub fn property(&self, name: &str) -> Option<Self> {
        if !self.types.meets(Types::OBJECT) {
            return None;
        }
        if let Some(choices) = &self.choices {
            return known(choices.iter().filter_map(|choice| choice.get(name)));
        }
        match &self.members {
            None => Some(Self::any()),
            Some(members) => Some(members.get(name))
                .filter(|shape| !shape.is_nothing())
                .cloned(),
        }
    }

    /// The shape of any element; `None` when no value is an array with elements.
    pub fn item(&self) -> Option<Self> {
        if !self.types.meets(Types::ARRAY) {
            return None;
        }
        if let Some(choices) = &self.choices {
            return known(choices.iter().filter_map(Value::as_array).flatten());
        }
        if self.sizes().elements.most == 0 {
            return None;
        }
        match &self.items {
            None => Some(Self::any()),
            Some(items) => Some(items.any()).filter(|shape| !shape.is_nothing()),
        }
    }

    /// The shape of one element; `None` when no value is an array with so many.
    pub fn element(&self, index: usize) -> Option<Self> {
        if !self.types.meets(Types::ARRAY) {
            return None;
        }
        if let Some(choices) = &self.choices {
            return known(choices.iter().filter_map(|choice| choice.get(index)));
        }
        let last = self.most_elements();
        if !u64::try_from(index).is_ok_and(|index| index < last) {
            return None;
        }
        match &self.items {
            None => Some(Self::any()),
            Some(items) => Some(items.get(index))
                .filter(|shape| !shape.is_nothing())
                .cloned(),
        }
    }

    fn most_elements(&self) -> u64 {
        let sizes = self.sizes().elements.most;
        let items = self.items.as_ref();
        items.map_or(sizes, |items| items.count().most.min(sizes))
    }

    /// The shape at the end of a path; members that may be missing count as there.
    ///
    /// # Errors
    /// When no value of the shape has such a path.
    pub fn at(&self, path: &[Segment]) -> Result<Self, MissingPath> {
        let mut shape = self.clone();
        for (existing, segment) in path.iter().enumerate() {
            let inside = match segment {
                Segment::Name(name) => shape.property(name),
                Segment::Index(index) => shape.element(*index),
            };
            match inside {
                Some(inside) => shape = inside,
                None => return Err(shape.missing(existing, segment)),
            }
        }
        Ok(shape)
    }

    fn missing(&self, existing: usize, segment: &Segment) -> MissingPath {
        let is_object = self.types.meets(Types::OBJECT) && matches!(segment, Segment::Name(_));
        let names: Vec<String> = if is_object { self.names() } else { Vec::new() };
        let is_short = matches!(segment, Segment::Index(_)) && self.types == Types::ARRAY;
        let found = if is_short {
            let least = self.sizes().elements.least;
            match self.most_elements() {
                0 => "has no elements".to_owned(),
                most => {
                    let at_most = if least == most { "" } else { "at most " };
                    let s = if most == 1 { "" } else { "s" };
                    format!("has {at_most}{most} element{s}")
                }
            }
        } else if !is_object {
            format!("is {}", self.describe_types())
        } else if names.is_empty() {
            "has no members".to_owned()
        } else {
            let mut listed: Vec<String> = names
                .iter()
                .take(LISTED)
                .map(|name| format!("`{name}`"))
                .collect();
            if names.len() > LISTED {
                listed.push(format!("{} others", names.len() - LISTED));
            }
            let last = listed.pop().unwrap_or_default();
            if listed.is_empty() {
                format!("has only {last}")
            } else {
                format!("has only {} and {last}", listed.join(", "))
            }
        };
        MissingPath {
            existing,
            found,
            names,
        }
    }
}

impl Shape {
    fn names(&self) -> Vec<String> {
        let Some(choices) = &self.choices else {
            return self.member_names().map(str::to_owned).collect();
        };
        let members = choices.iter().filter_map(Value::as_object);
        let names: BTreeSet<&String> = members.flat_map(|object| object.keys()).collect();
        names.into_iter().cloned().collect()
    }
}

/// The shape of values that are known; `None` when there is none.
fn known<'v>(values: impl Iterator<Item = &'v Value>) -> Option<Shape> {
    Some(Shape::join_all(values.map(Shape::of_value))).filter(|shape| !shape.is_nothing())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reference, Schema};
    use serde_json::json;

    fn at(path: &str) -> String {
        let shape = Shape::of_schema(&Schema(json!({
            "type": "object",
            "properties": {
                "rows": { "type": "array", "items": { "type": "object", "properties": { "id": { "type": "integer" } } } },
                "note": { "type": ["string", "null"] },
                "maybe": { "anyOf": [{ "type": "string" }, { "type": "object", "properties": { "text": { "type": "string" } } }] },
                "pair": { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false },
                "few": { "type": "array", "maxItems": 1 },
                "known": { "enum": [{ "a": 1, "b": ["x"] }, { "a": "y" }] },
                "empty": { "type": "object", "additionalProperties": false }
            },
            "additionalProperties": false
        })));
        let reference = Reference::parse(&format!("input.x{path}")).unwrap();
        match shape.at(&reference.first().segments) {
            Ok(shape) => shape.describe(),
            Err(missing) => format!("{} {missing}", missing.existing),
        }
    }

    #[test]
    fn paths_lead_to_shapes() {
        assert_eq!(at(".rows"), "array of object");
        assert_eq!(at(".rows[3].id"), "integer");
        assert_eq!(at(".rows[3].other.deep"), "any value");
        assert_eq!(at(".maybe.text"), "string");
        assert_eq!(at(".pair[1]"), "integer");
        assert_eq!(at(".few[0]"), "any value");
        assert_eq!(at(".known.a"), "`1` or `\"y\"`");
        assert_eq!(at(".known.b[0]"), "`\"x\"`");
    }

    #[test]
    fn a_path_that_cannot_be_says_what_is_there() {
        assert_eq!(
            at(".row"),
            "0 has only `empty`, `few`, `known`, `maybe`, `note`, `pair` and `rows`"
        );
        assert_eq!(at(".rows.first"), "1 is array of object");
        assert_eq!(at(".note.length"), "1 is string or null");
        assert_eq!(at(".rows[0].id.x"), "3 is integer");
        assert_eq!(at(".empty.x"), "1 has no members");
        assert_eq!(at("[0]"), "0 is object");
        assert_eq!(at(".pair[2]"), "1 has at most 2 elements");
        assert_eq!(at(".few[1].x"), "1 has at most 1 element");
        assert_eq!(at(".known.b[1]"), "2 has 1 element");
        assert_eq!(at(".known.c"), "1 has only `a` and `b`");
    }
}
