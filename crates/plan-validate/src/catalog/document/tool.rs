//! One tool of a catalog file.

use plan_model::{
    Declared, Effects, IdempotencyKeySupport, Pointer, Schema, ToolName, ToolSpec, Trust,
};
use serde_json::Value;

use super::{Reading, Unsaid, config};
use crate::decode::Decoder;

/// The words of `output_trust`.
pub(super) const TRUST: [(&str, Trust); 2] =
    [("trusted", Trust::Trusted), ("untrusted", Trust::Untrusted)];

pub(super) fn read(
    decoder: &mut Decoder,
    value: Value,
    at: &Pointer,
    reading: Reading<'_>,
) -> Option<ToolSpec> {
    let mut fields = decoder.object(value, at)?;
    let name = fields
        .require(decoder, "name")
        .and_then(|(at, value)| decoder.name::<ToolName>(value, &at, "tool name"));
    // a nameless tool is read all the same, for its other problems
    let stand_in = ToolName::new("unnamed").ok()?;
    let mut spec = ToolSpec::named(name.clone().unwrap_or(stand_in));
    spec.description = fields.read("description", |value, at| decoder.string(value, at));
    spec.input_schema = fields.read("input_schema", |value, at| schema(decoder, value, at));
    spec.output_schema = fields.read("output_schema", |value, at| schema(decoder, value, at));
    if let Some((at, value)) = fields.take("config") {
        spec.effects = config::effects(&value);
        config::check(decoder, &value, &at, reading.kinds);
        spec.config = Some(value);
    }
    if let Some((at, value)) = fields.take("effects") {
        effects(decoder, &mut spec.effects, value, &at);
    }
    if let Some((at, value)) = fields.take("idempotency_key") {
        spec.idempotency_key = idempotency_key(decoder, value, &at).unwrap_or_default();
    }
    if let Some((at, value)) = fields.take("output_trust") {
        spec.output_trust = decoder.word(value, &at, &TRUST).unwrap_or_default();
    }
    let mut names = |name: &'static str, decoder: &mut Decoder| {
        fields
            .take(name)
            .map_or_else(Vec::new, |(at, value)| decoder.strings(value, &at))
    };
    spec.sensitive_arguments = names("sensitive_arguments", decoder);
    spec.code_arguments = names("code_arguments", decoder);
    spec.secret_arguments = names("secret_arguments", decoder);
    spec.max_concurrency = fields.read("max_concurrency", |value, at| {
        let count = decoder.count(&value, at)?;
        if count == 0 {
            decoder.wrong(at, "a whole number from 1", &count.into());
        }
        (count > 0).then_some(count)
    });
    spec.timeout = fields
        .read("timeout_secs", |value, at| decoder.seconds(&value, at))
        .or_else(|| config::timeout(spec.config.as_ref()?));
    spec.allowlisted = fields
        .read("allowlisted", |value, at| decoder.boolean(value, at))
        .unwrap_or(reading.unsaid == Unsaid::Allowlisted);
    fields.finish(decoder);
    name.map(|_| spec)
}

fn schema(decoder: &mut Decoder, value: Value, at: &Pointer) -> Option<Schema> {
    if value.is_object() || value.is_boolean() {
        return Some(Schema(value));
    }
    decoder.wrong(at, "a JSON Schema", &value);
    None
}

fn effects(decoder: &mut Decoder, effects: &mut Effects, value: Value, at: &Pointer) {
    let Some(mut fields) = decoder.object(value, at) else {
        return;
    };
    for (name, fact) in [
        ("read_only", &mut effects.read_only),
        ("idempotent", &mut effects.idempotent),
        ("destructive", &mut effects.destructive),
        ("open_world", &mut effects.open_world),
    ] {
        if let Some(holds) = fields.read(name, |value, at| decoder.boolean(value, at)) {
            *fact = Declared::said(holds);
        }
    }
    if effects.read_only.holds && !effects.destructive.declared {
        effects.destructive = Declared::assumed(false);
    }
    fields.finish(decoder);
}

fn idempotency_key(
    decoder: &mut Decoder,
    value: Value,
    at: &Pointer,
) -> Option<IdempotencyKeySupport> {
    if value.is_object() {
        let mut fields = decoder.object(value, at)?;
        let header = fields
            .require(decoder, "header")
            .and_then(|(at, value)| decoder.string(value, &at));
        fields.finish(decoder);
        return header.map(IdempotencyKeySupport::Header);
    }
    match value.as_str() {
        Some("none") => Some(IdempotencyKeySupport::None),
        Some("env") => Some(IdempotencyKeySupport::Env),
        _ => {
            decoder.wrong(at, "`none`, `env` or an object with `header`", &value);
            None
        }
    }
}
