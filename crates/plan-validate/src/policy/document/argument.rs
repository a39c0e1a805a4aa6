//! `arguments` of a policy file: what arguments of tools may be.

use std::collections::BTreeMap;

use plan_model::{Pointer, Schema, ToolName};
use serde_json::Value;

use crate::catalog::CompiledSchema;
use crate::decode::Decoder;
use crate::grant::ArgRule;
use crate::text;

/// The rules of every tool.
pub(super) fn tools(
    decoder: &mut Decoder,
    value: Value,
    at: &Pointer,
) -> BTreeMap<ToolName, BTreeMap<String, ArgRule>> {
    let mut tools = BTreeMap::new();
    let Some(mut table) = decoder.object(value, at) else {
        return tools;
    };
    for (name, at, value) in table.rest() {
        let name = decoder.name::<ToolName>(name.into(), &at, "tool name");
        let mut rules = BTreeMap::new();
        if let Some(mut arguments) = decoder.object(value, &at) {
            for (argument, at, value) in arguments.rest() {
                if let Some(rule) = rule(decoder, value, &at) {
                    rules.insert(argument, rule);
                }
            }
        }
        if let Some(name) = name {
            tools.insert(name, rules);
        }
    }
    tools
}

/// `any`, or an object with exactly one of `exact`, `one_of`, `range`, `subpath`, `url`, `schema`.
fn rule(decoder: &mut Decoder, value: Value, at: &Pointer) -> Option<ArgRule> {
    const KINDS: &str =
        "`any` or an object with one of `exact`, `one_of`, `range`, `subpath`, `url`, `schema`";
    if value.as_str() == Some("any") {
        return Some(ArgRule::Any);
    }
    if value.as_object().is_none_or(|members| members.len() != 1) {
        decoder.wrong(at, KINDS, &value);
        return None;
    }
    let mut fields = decoder.object(value, at)?;
    // `exact: null` is a rule, and `take` would not see it
    if let Some(exact) = fields.take_any("exact") {
        fields.finish(decoder);
        return Some(ArgRule::Exact(exact));
    }
    let mut rule = None;
    if let Some((at, value)) = fields.take("one_of") {
        let is_list = value.is_array();
        let values = decoder.array(value, &at).into_iter();
        let values: Vec<Value> = values.map(|(_, value)| value).collect();
        if is_list && values.is_empty() {
            let finding = decoder
                .at(&at, "the list takes no value at all")
                .help("leave the tool out of `tools` where no call of it is allowed");
            decoder.say(finding);
        }
        rule = Some(ArgRule::OneOf(values));
    }
    if let Some((at, value)) = fields.take("range") {
        rule = range(decoder, value, &at);
    }
    if let Some((at, value)) = fields.take("subpath") {
        rule = subpath(decoder, value, &at);
    }
    if let Some((at, value)) = fields.take("url") {
        rule = url(decoder, value, &at);
    }
    if let Some((at, value)) = fields.take("schema") {
        match CompiledSchema::compile(&value, &plan_model::Limits::default()) {
            Ok(_) => rule = Some(ArgRule::Schema(Schema(value))),
            Err(fault) => {
                let finding = decoder.at(&at, fault.to_string());
                decoder.say(finding);
            }
        }
    }
    fields.finish(decoder);
    rule
}

fn range(decoder: &mut Decoder, value: Value, at: &Pointer) -> Option<ArgRule> {
    let mut fields = decoder.object(value, at)?;
    let mut number = |name: &'static str| {
        fields.read(name, |value, at| match value {
            Value::Number(number) => Some(number),
            other => {
                decoder.wrong(at, "a number", &other);
                None
            }
        })
    };
    let (min, max) = (number("min"), number("max"));
    let pointer = fields.pointer.clone();
    fields.finish(decoder);
    if let (Some(least), Some(most)) = (&min, &max)
        && crate::grant::is_less(most, least)
    {
        let message = format!("the range from {least} to {most} takes no number at all");
        let finding = decoder.at(&pointer, message);
        decoder.say(finding);
    }
    Some(ArgRule::Range { min, max })
}

fn subpath(decoder: &mut Decoder, value: Value, at: &Pointer) -> Option<ArgRule> {
    let root = decoder.string(value, at)?;
    if crate::path::is_plain_absolute(&root) {
        return Some(ArgRule::Subpath(root));
    }
    let finding = decoder.at(at, "the folder is not an absolute path without `..`");
    decoder.say(finding);
    None
}

fn url(decoder: &mut Decoder, value: Value, at: &Pointer) -> Option<ArgRule> {
    let mut fields = decoder.object(value, at)?;
    let mut strings = |name: &'static str, fault: &dyn Fn(&str) -> Option<String>| {
        let Some((at, value)) = fields.require(decoder, name) else {
            return Vec::new();
        };
        let is_list = value.is_array();
        let strings = decoder.strings(value, &at);
        if is_list && strings.is_empty() {
            let finding = decoder.at(&at, format!("without {name} no URL is allowed"));
            decoder.say(finding);
        }
        for (index, text) in strings.iter().enumerate() {
            if let Some(fault) = fault(text) {
                let finding = decoder.at(&at.join(index), fault).actual(text);
                decoder.say(finding);
            }
        }
        strings
    };
    let schemes = strings("schemes", &scheme_fault);
    let hosts = strings("hosts", &host_fault);
    fields.finish(decoder);
    Some(ArgRule::Url { schemes, hosts })
}

/// What is wrong with a scheme: no URL would ever have it.
fn scheme_fault(scheme: &str) -> Option<String> {
    let mut bytes = scheme.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_alphabetic());
    let rest = bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    let shown = text::quoted(scheme);
    (!first || !rest).then(|| format!("{shown} is no scheme, such as `https`"))
}

/// What is wrong with a host: no URL would ever have it.
fn host_fault(host: &str) -> Option<String> {
    let name = host.strip_prefix("*.").unwrap_or(host);
    let plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let shown = text::quoted(host);
    (!name.split('.').all(plain)).then(|| {
        format!("{shown} is no host, such as `example.com`, or `*.example.com` for all below it")
    })
}
