//! Reading `sandbox` of a policy, and the bounds that a catalog may set too.

use plan_model::Pointer;
use serde_json::Value;

use crate::decode::{Decoder, Fields};
use crate::finding::Expected;
use crate::policy::{SandboxLimits, SandboxMode, SandboxPolicy};
use crate::text;

const MODES: [(&str, SandboxMode); 3] = [
    ("required", SandboxMode::Required),
    ("best_effort", SandboxMode::BestEffort),
    ("off", SandboxMode::Off),
];

/// `sandbox: {mode, limits}`.
pub(super) fn read(decoder: &mut Decoder, value: Value, at: &Pointer) -> SandboxPolicy {
    let unsaid = SandboxPolicy::from(SandboxMode::Required);
    if let Some(mode) = value.as_str() {
        let finding = decoder
            .at(at, format!("{} is not an object", text::quoted(mode)))
            .expected(Expected::Type("an object".to_owned()))
            .help(format!("write `sandbox: {{mode: {}}}`", text::capped(mode)));
        decoder.say(finding);
        return unsaid;
    }
    let Some(mut fields) = decoder.object(value, at) else {
        return unsaid;
    };
    let mode = fields.read("mode", |value, at| decoder.word(value, at, &MODES));
    let limits = fields.read("limits", |value, at| Some(limits(decoder, value, at)));
    fields.finish(decoder);
    SandboxPolicy {
        mode: mode.unwrap_or(unsaid.mode),
        limits: limits.unwrap_or_default(),
    }
}

/// `limits` of the sandbox, of a language or of an agent.
pub(crate) fn limits(decoder: &mut Decoder, value: Value, at: &Pointer) -> SandboxLimits {
    let Some(mut fields) = decoder.object(value, at) else {
        return SandboxLimits::default();
    };
    let mut count = |fields: &mut Fields, name: &'static str| {
        fields.read(name, |value, at| positive(decoder, &value, at))
    };
    let limits = SandboxLimits {
        cpu_secs: count(&mut fields, "cpu_secs"),
        memory_mib: count(&mut fields, "memory_mib"),
        file_mib: count(&mut fields, "file_mib"),
        open_files: count(&mut fields, "open_files"),
        processes: count(&mut fields, "processes"),
    };
    fields.finish(decoder);
    limits
}

/// With nothing of any of these no program starts.
fn positive(decoder: &mut Decoder, value: &Value, at: &Pointer) -> Option<u64> {
    let count = value.as_u64().filter(|count| *count > 0);
    if count.is_none() {
        decoder.wrong(at, "a whole number from 1", value);
    }
    count
}
