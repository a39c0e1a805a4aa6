//! JSON Schemas of the files that a host writes.

mod catalog;
mod policy;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

/// The JSON Schema of a catalog file.
#[must_use]
pub fn catalog() -> Value {
    of::<catalog::Catalog>()
}

/// The JSON Schema of a policy file.
#[must_use]
pub fn policy() -> Value {
    of::<policy::Policy>()
}

fn of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}
