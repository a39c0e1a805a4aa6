//! A JSON object that is shared, not copied: inputs, arguments and outputs of a run.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A JSON object that is shared, not copied.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JsonObject(Arc<Map<String, Value>>);

impl Deref for JsonObject {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl From<Map<String, Value>> for JsonObject {
    fn from(members: Map<String, Value>) -> Self {
        Self(Arc::new(members))
    }
}

impl Serialize for JsonObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self::from)
    }
}
