//! Following a path into a shape.

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
        match &self.members {
            None => Some(Self::any()),
            Some(members) => Some(members.get(name))
                .filter(|shape| !shape.is_nothing())
                .cloned(),
        }
    }

    /// The shape of an element; `None` when no value is an array with elements.
    pub fn item(&self) -> Option<Self> {
        if !self.types.meets(Types::ARRAY) {
            return None;
        }
        match &self.item {
            None => Some(Self::any()),
            Some(item) => Some(Self::clone(item)).filter(|shape| !shape.is_nothing()),
        }
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
                Segment::Index(_) => shape.item(),
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
        let names: Vec<String> = if is_object {
            self.member_names().map(str::to_owned).collect()
        } else {
            Vec::new()
        };
        let found = if !is_object {
            format!("is {}", self.describe())
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
                "empty": { "type": "object", "additionalProperties": false }
            },
            "additionalProperties": false
        })));
        let reference = Reference::parse(&format!("input.x{path}")).unwrap();
        match shape.at(&reference.first.segments) {
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
    }

    #[test]
    fn a_path_that_cannot_be_says_what_is_there() {
        assert_eq!(at(".row"), "0 has only `empty`, `maybe`, `note` and `rows`");
        assert_eq!(at(".rows.first"), "1 is array of object");
        assert_eq!(at(".note.length"), "1 is string or null");
        assert_eq!(at(".rows[0].id.x"), "3 is integer");
        assert_eq!(at(".empty.x"), "1 has no members");
        assert_eq!(at("[0]"), "0 is object");
    }
}
