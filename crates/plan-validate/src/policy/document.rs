//! Reading a policy file.

mod argument;
pub(crate) mod sandbox;

use std::collections::BTreeSet;
use std::str::FromStr;

use plan_model::document::Document;
use plan_model::{
    AgentName, IdError, LanguageName, ModelName, PlanLimits, Pointer, SecretName, ToolName,
};
use serde_json::Value;

use super::{
    EffectKind, Policy, PolicyRejected, RequireApproval, Roots, Unapproved, Untrusted,
    UntrustedSource,
};
use crate::candidates;
use crate::decode::{Decoder, Fields};
use crate::finding::{Expected, Finding, Severity};
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
    policy.tools = list(decoder, &mut file, "tools", &|decoder, list| {
        names::<ToolName>(decoder, list, "tool name")
    });
    policy.models = list(decoder, &mut file, "models", &|decoder, list| {
        names::<ModelName>(decoder, list, "model name")
    });
    policy.languages = list(decoder, &mut file, "languages", &|decoder, list| {
        names::<LanguageName>(decoder, list, "language name")
    });
    policy.agents = list(decoder, &mut file, "agents", &|decoder, list| {
        names::<AgentName>(decoder, list, "agent name")
    });
    policy.secrets = list(decoder, &mut file, "secrets", &|decoder, list| {
        names::<SecretName>(decoder, list, "secret name")
    });
    if let Some(folders) = list(decoder, &mut file, "roots", &roots) {
        policy.roots = Roots::Listed(folders);
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
    if let Some((at, value)) = file.take("sandbox") {
        let read = sandbox::read(decoder, value, &at);
        policy.sandbox = read.mode;
        policy.sandbox_limits = read.limits;
    }
    file.finish(decoder);
    policy
}

/// What a list of the file says; `None` where the file is silent, and anything goes.
///
/// A list without a value, as YAML has it after a colon alone, may mean that or nothing at all: it is refused.
fn list<T>(
    decoder: &mut Decoder,
    file: &mut Fields,
    name: &'static str,
    read: &dyn Fn(&mut Decoder, (Pointer, Value)) -> T,
) -> Option<T> {
    let at = file.pointer.join(name);
    let value = file.take_any(name)?;
    if value.is_null() {
        let finding = decoder
            .at(&at, format!("the list `{name}` has no value"))
            .expected(Expected::Type("an array".to_owned()))
            .help(format!(
                "write `[]` for nothing, or leave `{name}` out for no restriction"
            ));
        decoder.say(finding);
        return None;
    }
    Some(read(decoder, (at, value)))
}

/// A set of names.
fn names<T: Ord + FromStr<Err = IdError>>(
    decoder: &mut Decoder,
    (at, value): (Pointer, Value),
    what: &str,
) -> BTreeSet<T> {
    let items = decoder.array(value, &at);
    items
        .into_iter()
        .filter_map(|(at, item)| decoder.name(item, &at, what))
        .collect()
}

fn roots(decoder: &mut Decoder, (at, value): (Pointer, Value)) -> Vec<String> {
    let mut roots = Vec::new();
    for (at, item) in decoder.array(value, &at) {
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
        // who allows one fan-out so many allows them to the run
        policy.limits.run_items = policy.limits.run_items.max(items);
    }
    if limits.max_concurrency == Some(0) {
        // no effect would ever start
        let at = fields.pointer.join("max_concurrency");
        decoder.wrong(&at, "a whole number from 1", &0.into());
    }
    policy.budgets = limits;
    fields.finish(decoder);
}

fn severities(decoder: &mut Decoder, value: Value, at: &Pointer, policy: &mut Policy) {
    let Some(mut fields) = decoder.object(value, at) else {
        return;
    };
    let mut named = BTreeSet::new();
    for (name, at, value) in fields.rest() {
        let severity = decoder.word(value, &at, &SEVERITIES);
        let Some(rule) = crate::rules::rule(&name) else {
            let finding = unknown_rule(decoder, &name, &at);
            decoder.say(finding);
            continue;
        };
        if !named.insert(rule.code) {
            let message = format!("the rule {} has a severity already", rule.code);
            let finding = decoder
                .at(&at, message)
                .help("name each rule once, by its code or by its name");
            decoder.say(finding);
            continue;
        }
        match severity {
            Some(severity)
                if rule.severity == Severity::Error && severity != Some(Severity::Error) =>
            {
                let message = format!(
                    "the rule {} guards a promise, and its errors stay errors",
                    rule.code
                );
                let finding = decoder
                    .at(&at, message)
                    .expected(Expected::OneOf(vec!["error".to_owned()]))
                    .help("take the line out");
                decoder.say(finding);
            }
            Some(severity) => {
                policy.severities.insert(rule.code, severity);
            }
            None => {}
        }
    }
}

fn unknown_rule(decoder: &Decoder, name: &str, at: &Pointer) -> Finding {
    if let Some(reserved) = crate::rules::reserved(name) {
        let message = format!(
            "the code {} is kept for a rule that comes with repair",
            reserved.code
        );
        return decoder.at(at, message);
    }
    let codes = || rules().iter().map(|rule| rule.code.as_str());
    let names = rules().iter().map(|rule| rule.name);
    let mut close = candidates::closest(name, names);
    if close.is_empty() {
        close = candidates::closest(name, codes());
    }
    decoder
        .at(at, format!("there is no rule {}", text::quoted(name)))
        .candidates(close)
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
    if let Some(taken) = fields.take("tools") {
        required.tools = names::<ToolName>(decoder, taken, "tool name");
    }
    let without = fields.read("without", |value, at| decoder.word(value, at, &UNAPPROVED));
    required.without = without.unwrap_or_default();
    fields.finish(decoder);
    required
}
