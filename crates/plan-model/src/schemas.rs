//! JSON Schemas of the documents that the reader takes.
//!
//! They describe shape alone, for editors and for structured output of models:
//! what the reader accepts is valid, and what is valid the reader finds no
//! fault of shape in. Repeated members, bounds in bytes, and what references
//! and expressions say are beyond a schema.

#[expect(
    dead_code,
    clippy::struct_field_names,
    reason = "these types describe documents, whose words they take, and are never made"
)]
mod native;
#[expect(
    dead_code,
    reason = "these types describe documents and are never made"
)]
mod planner;

use schemars::schema_for;
use serde_json::Value;

/// The JSON Schema (draft 2020-12) of a native plan.
pub fn plan() -> Value {
    schema_for!(native::Plan).to_value()
}

/// The JSON Schema (draft 2020-12) of a planner's list.
pub fn planner_list() -> Value {
    let mut schema = schema_for!(planner::PlannerList).to_value();
    // `after` may be left out, but it is not null
    if let Some(after) = schema.pointer_mut("/$defs/Step/properties/after") {
        *after = serde_json::json!({ "$ref": "#/$defs/After" });
    }
    schema
}
