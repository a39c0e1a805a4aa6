//! Reading a policy file.

mod argument;

use std::collections::BTreeSet;
use std::str::FromStr;

use plan_model::document::Document;
use plan_model::{
    AgentName, IdError, LanguageName, ModelName, PlanLimits, Pointer, SecretName, ToolName,
};
use serde_json::Value;

use super::{
    EffectKind, Policy, PolicyRejected, RequireApproval, Roots, SandboxMode, Unapproved, Untrusted,
    UntrustedSource,
};
use crate::candidates;
use crate::decode::{Decoder, Fields};
use crate::finding::Severity;
use crate::rules::{INVALID_POLICY, rules};
use crate::text;

const EFFECTS: [(&str, EffectKind); 4] = [
    ("write", EffectKind::Write),
    ("destructive", EffectKind::Destructive),
    ("open_world", EffectKind::OpenWorld),
    ("code", EffectKind::Code),
];
const UNTRUSTED: [(&str, Untrusted); 3] = [
    ("ask", Untrusted::Ask),
    ("deny", Untrusted::Deny),
    ("allow", Untrusted::Allow),
];
const UNTRUSTED_SOURCES: [(&str, UntrustedSource); 2] = [
    ("inputs", UntrustedSource::Inputs),
    ("answers", UntrustedSource::Answers),
];
const UNAPPROVED: [(&str, Unapproved); 2] = [("ask", Unapproved::Ask), ("deny", Unapproved::Deny)];
const SANDBOX: [(&str, SandboxMode); 3] = [
    ("required", SandboxMode::Required),
    ("best_effort", SandboxMode::BestEffort),
    ("off", SandboxMode::Off),
];
const SEVERITIES: [(&str, Option<Severity>); 4] = [
    ("error", Some(Severity::Error)),
    ("warning", Some(Severity::Warning)),
    ("note", Some(Severity::Note)),
    ("off", None),
];

pub(super) fn read(document: &Document) -> Result<Policy, PolicyRejected> {
    let mut decoder = Decoder::new(&INVALID_POLICY);
    let policy = file(&mut decoder, document.to_value());
    let mut findings = decoder.findings;
    if findings.is_empty() {
        return Ok(policy);
    }
    findings.sort_by(|a, b| (&a.pointer, &a.message).cmp(&(&b.pointer, &b.message)));
    for finding in &mut findings {
        finding.place(document, None);
    }
    Err(PolicyRejected::new(findings))
}

fn file(decoder: &mut Decoder, value: Value) -> Policy {
    let mut policy = Policy {
        secrets: None,
        roots: Roots::Unrestricted,
        ..Policy::default()
    };
    if value.is_null() {
        return policy;
    }
    let Some(mut file) = decoder.object(value, &Pointer::root()) else {
        return policy;
    };
    if let Some((at, version)) = file.take("planwright")
        && version.as_u64() != Some(1)
    {
        decoder.wrong(&at, "`1`, the version of this format", &version);
    }
    policy.tools = names::<ToolName>(decoder, file.take("tools"), "tool name");
    policy.models = names::<ModelName>(decoder, file.take("models"), "model name");
    policy.languages = names::<LanguageName>(decoder, file.take("languages"), "language name");
    policy.agents = names::<AgentName>(decoder, file.take("agents"), "agent name");
    policy.secrets = names::<SecretName>(decoder, file.take("secrets"), "secret name");
    if let Some((at, value)) = file.take("roots") {
        policy.roots = Roots::Listed(roots(decoder, value, &at));
    }
    if let Some((at, value)) = file.take("arguments") {
        policy.arguments = argument::tools(decoder, value, &at);
    }
    if let Some((at, value)) = file.take("limits") {
        budgets(decoder, value, &at, &mut policy);
    }
    if let Some((at, value)) = file.take("severities") {
        severities(decoder, value, &at, &mut policy);
    }
    if let Some((at, value)) = file.take("require_approval") {
        policy.require_approval = require_approval(decoder, value, &at);
    }
    if let Some(untrusted) = file.read("untrusted", |value, at| decoder.word(value, at, &UNTRUSTED))
    {
        policy.untrusted = untrusted;
    }
    if let Some((at, value)) = file.take("untrusted_sources") {
        for (at, item) in decoder.array(value, &at) {
            let source = decoder.word(item, &at, &UNTRUSTED_SOURCES);
            policy.untrusted_sources.extend(source);
        }
    }
    if let Some((at, value)) = file.take("sandbox")
        && let Some(mut fields) = decoder.object(value, &at)
    {
        let mode = fields.read("mode", |value, at| decoder.word(value, at, &SANDBOX));
        policy.sandbox = mode.unwrap_or(SandboxMode::Required);
        fields.finish(decoder);
    }
    file.finish(decoder);
    policy
}

/// A set of names; `None` where the file is silent.
fn names<T: Ord + FromStr<Err = IdError>>(
    decoder: &mut Decoder,
    taken: Option<(Pointer, Value)>,
    what: &str,
) -> Option<BTreeSet<T>> {
    let (at, value) = taken?;
    let items = decoder.array(value, &at);
    Some(
        items
            .into_iter()
            .filter_map(|(at, item)| decoder.name(item, &at, what))
            .collect(),
    )
}

fn roots(decoder: &mut Decoder, value: Value, at: &Pointer) -> Vec<String> {
    let mut roots = Vec::new();
    for (at, item) in decoder.array(value, at) {
        let Some(root) = decoder.string(item, &at) else {
            continue;
        };
        if crate::path::is_plain_absolute(&root) {
            roots.push(root);
        } else {
            let finding = decoder.at(
                &at,
                format!(
                    "the root {} is not an absolute path without `..`",
                    text::quoted(&root)
                ),
            );
            decoder.say(finding);
        }
    }
    roots
}

fn budgets(decoder: &mut Decoder, value: Value, at: &Pointer, policy: &mut Policy) {
    let Some(mut fields) = decoder.object(value, at) else {
        return;
    };
    let mut count = |fields: &mut Fields, name: &'static str| {
        fields.read(name, |value, at| decoder.count(&value, at))
    };
    let mut limits = PlanLimits::default();
    limits.max_tool_calls = count(&mut fields, "max_tool_calls");
    limits.max_model_tokens = count(&mut fields, "max_model_tokens");
    limits.max_concurrency = count(&mut fields, "max_concurrency");
    limits.max_fan_out_items = count(&mut fields, "max_fan_out_items");
    limits.max_steps = count(&mut fields, "max_steps");
    limits.max_wall_secs = fields.read("max_wall_secs", |value, at| decoder.seconds(&value, at));
    if let Some(steps) = limits
        .max_steps
        .and_then(|steps| usize::try_from(steps).ok())
    {
        policy.limits.steps = steps;
    }
    if let Some(items) = limits.max_fan_out_items {
        policy.limits.fan_out_items = items;
    }
    policy.budgets = limits;
    fields.finish(decoder);
}

fn severities(decoder: &mut Decoder, value: Value, at: &Pointer, policy: &mut Policy) {
    let Some(mut fields) = decoder.object(value, at) else {
        return;
    };
    for (name, at, value) in fields.rest() {
        let severity = decoder.word(value, &at, &SEVERITIES);
        let Some(rule) = crate::rules::rule(&name) else {
            let codes = rules().iter().map(|rule| rule.code.as_str());
            let finding = decoder
                .at(&at, format!("there is no rule {}", text::quoted(&name)))
                .candidates(candidates::closest(&name, codes));
            decoder.say(finding);
            continue;
        };
        match severity {
            Some(severity)
                if rule.severity == Severity::Error && severity != Some(Severity::Error) =>
            {
                let finding = decoder.at(
                    &at,
                    format!(
                        "the rule {} guards a promise, and its errors stay errors",
                        rule.code
                    ),
                );
                decoder.say(finding);
            }
            Some(severity) => {
                policy.severities.insert(rule.code, severity);
            }
            None => {}
        }
    }
}

fn require_approval(decoder: &mut Decoder, value: Value, at: &Pointer) -> RequireApproval {
    let mut required = RequireApproval::default();
    let Some(mut fields) = decoder.object(value, at) else {
        return required;
    };
    if let Some((at, value)) = fields.take("effects") {
        for (at, item) in decoder.array(value, &at) {
            required.effects.extend(decoder.word(item, &at, &EFFECTS));
        }
    }
    let tools = names::<ToolName>(decoder, fields.take("tools"), "tool name");
    required.tools = tools.unwrap_or_default();
    let without = fields.read("without", |value, at| decoder.word(value, at, &UNAPPROVED));
    required.without = without.unwrap_or_default();
    fields.finish(decoder);
    required
}
