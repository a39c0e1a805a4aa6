//! The digest of a tool: what a plan was checked against.

use plan_model::{Declared, Digest, IdempotencyKeySupport, ToolSpec, Trust};
use serde_json::{Map, Value, json};

/// The digest of a tool's name, schemas, effects and the way it is run.
///
/// A description is for people and is not in it.
pub(super) fn of(spec: &ToolSpec) -> Digest {
    Digest::of_json(&to_value(spec))
}

fn to_value(spec: &ToolSpec) -> Value {
    let schema = |schema: &Option<plan_model::Schema>| {
        schema
            .as_ref()
            .map_or(Value::Null, |schema| schema.0.clone())
    };
    let declared = |fact: Declared| json!({"holds": fact.holds, "declared": fact.declared});
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| {
        members.insert(name.to_owned(), value);
    };
    put("name", spec.name.as_str().into());
    put("input_schema", schema(&spec.input_schema));
    put("output_schema", schema(&spec.output_schema));
    put(
        "effects",
        json!({
            "read_only": declared(spec.effects.read_only),
            "idempotent": declared(spec.effects.idempotent),
            "destructive": declared(spec.effects.destructive),
            "open_world": declared(spec.effects.open_world),
        }),
    );
    let key = match &spec.idempotency_key {
        IdempotencyKeySupport::None => Value::Null,
        IdempotencyKeySupport::Env => "env".into(),
        IdempotencyKeySupport::Header(name) => json!({"header": name}),
    };
    put("idempotency_key", key);
    put("trusted", (spec.output_trust == Trust::Trusted).into());
    put("sensitive_arguments", json!(spec.sensitive_arguments));
    put("code_arguments", json!(spec.code_arguments));
    put("secret_arguments", json!(spec.secret_arguments));
    put("config", spec.config.clone().unwrap_or(Value::Null));
    Value::Object(members)
}
