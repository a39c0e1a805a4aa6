//! Reading a catalog file.

mod config;
mod tool;

use plan_model::document::Document;
use plan_model::{AgentName, LanguageName, ModelName, Pointer};
use serde_json::Value;

use super::{
    AgentKind, AgentSpec, CatalogBuilder, CatalogRejected, LanguageSpec, ModelSpec, ToolCatalog,
};
use crate::decode::Decoder;
use crate::policy::document::sandbox::limits;
use crate::rules::INVALID_CATALOG;

/// Whether a tool that does not say so is allowlisted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unsaid {
    Allowlisted,
    NotAllowlisted,
}

/// How the tools of a file are read.
#[derive(Debug, Clone, Copy)]
struct Reading<'a> {
    unsaid: Unsaid,
    /// Kinds of `config` beside those of the format.
    kinds: &'a [&'a str],
}

pub(super) fn read(document: &Document, kinds: &[&str]) -> Result<ToolCatalog, CatalogRejected> {
    let mut decoder = Decoder::new(&INVALID_CATALOG);
    let mut builder = ToolCatalog::builder();
    if let Some(mut file) = decoder.object(document.to_value(), &Pointer::root()) {
        let version = file.take("planwright");
        if let Some((at, value)) = &version
            && value.as_u64() != Some(1)
        {
            decoder.wrong(at, "`1`, the version of this format", value);
        }
        let unsaid = if version.is_some() {
            Unsaid::Allowlisted
        } else {
            Unsaid::NotAllowlisted
        };
        if let Some((at, value)) = file.take("tools") {
            let reading = Reading { unsaid, kinds };
            tools(&mut decoder, &mut builder, (value, &at), reading);
        }
        if let Some((at, value)) = file.take("models") {
            builder = builder.only_named_models();
            for (at, model) in decoder.array(value, &at) {
                if let Some(model) = self::model(&mut decoder, model, &at) {
                    builder = builder.model(model);
                }
            }
        }
        if let Some((at, value)) = file.take("languages")
            && let Some(mut table) = decoder.object(value, &at)
        {
            for (name, at, value) in table.rest() {
                let name = decoder.name::<LanguageName>(name.into(), &at, "language name");
                let spec = language(&mut decoder, value, &at);
                if let (Some(name), Some(spec)) = (name, spec) {
                    builder = builder.language(name, spec);
                }
            }
        }
        if let Some((at, value)) = file.take("agents")
            && let Some(mut table) = decoder.object(value, &at)
        {
            for (name, at, value) in table.rest() {
                let name = decoder.name::<AgentName>(name.into(), &at, "agent name");
                if let Some(name) = name
                    && let Some(spec) = agent(&mut decoder, name, value, &at)
                {
                    builder = builder.agent(spec);
                }
            }
        }
        file.finish(&mut decoder);
    }
    finish(document, decoder, builder)
}

pub(super) fn read_bundle(document: &Document) -> Result<ToolCatalog, CatalogRejected> {
    let mut decoder = Decoder::new(&INVALID_CATALOG);
    let mut builder = ToolCatalog::builder();
    let at = Pointer::root().join("tools");
    match document.value_at(&at) {
        None | Some(Value::Null) => {}
        Some(value) => tools(
            &mut decoder,
            &mut builder,
            (value, &at),
            Reading {
                unsaid: Unsaid::NotAllowlisted,
                kinds: &[],
            },
        ),
    }
    finish(document, decoder, builder)
}

fn finish(
    document: &Document,
    decoder: Decoder,
    builder: CatalogBuilder,
) -> Result<ToolCatalog, CatalogRejected> {
    let (catalog, twins) = builder.build_lenient();
    let mut findings = decoder.findings;
    findings.extend(twins);
    if findings.is_empty() {
        return Ok(catalog);
    }
    findings.sort_by(|a, b| (&a.pointer, &a.message).cmp(&(&b.pointer, &b.message)));
    for finding in &mut findings {
        finding.place(document, None);
    }
    Err(CatalogRejected::new(findings))
}

fn tools(
    decoder: &mut Decoder,
    builder: &mut CatalogBuilder,
    (value, at): (Value, &Pointer),
    reading: Reading<'_>,
) {
    for (at, value) in decoder.array(value, at) {
        if let Some(spec) = tool::read(decoder, value, &at, reading) {
            builder.tool_at(at, spec);
        }
    }
}

fn model(decoder: &mut Decoder, value: Value, at: &Pointer) -> Option<ModelSpec> {
    let mut fields = decoder.object(value, at)?;
    let name = fields
        .require(decoder, "name")
        .and_then(|(at, value)| decoder.name::<ModelName>(value, &at, "model name"));
    let provider = fields.read("provider", |value, at| decoder.string(value, at));
    let base_url = fields.read("base_url", |value, at| decoder.string(value, at));
    fields.finish(decoder);
    let mut spec = ModelSpec::new(name?);
    spec.provider = provider;
    spec.base_url = base_url;
    Some(spec)
}

fn language(decoder: &mut Decoder, value: Value, at: &Pointer) -> Option<LanguageSpec> {
    let mut fields = decoder.object(value, at)?;
    let command = fields
        .require(decoder, "command")
        .and_then(|(at, value)| decoder.string(value, &at));
    let mut strings = |name: &'static str, decoder: &mut Decoder| {
        fields
            .take(name)
            .map_or_else(Vec::new, |(at, value)| decoder.strings(value, &at))
    };
    let args = strings("args", decoder);
    let env_pass = strings("env_pass", decoder);
    let read_roots = strings("read_roots", decoder);
    let network = fields.read("network", |value, at| decoder.boolean(value, at));
    let bounds = fields.read("limits", |value, at| Some(limits(decoder, value, at)));
    let trust = fields.read("output_trust", |value, at| {
        decoder.word(value, at, &tool::TRUST)
    });
    fields.finish(decoder);
    let mut spec = LanguageSpec::new(command?);
    spec.output_trust = trust.unwrap_or_default();
    spec.args = args;
    spec.env_pass = env_pass;
    spec.read_roots = read_roots;
    spec.network = network.unwrap_or(false);
    spec.limits = bounds.unwrap_or_default();
    Some(spec)
}

fn agent(decoder: &mut Decoder, name: AgentName, value: Value, at: &Pointer) -> Option<AgentSpec> {
    const KINDS: [(&str, AgentKind); 2] = [
        ("subprocess", AgentKind::Subprocess),
        ("loop", AgentKind::Loop),
    ];
    let mut fields = decoder.object(value, at)?;
    let kind = fields
        .require(decoder, "kind")
        .and_then(|(at, value)| decoder.word(value, &at, &KINDS));
    let command = if kind == Some(AgentKind::Subprocess) {
        fields.require(decoder, "command")
    } else {
        fields.take("command")
    };
    let command = command.and_then(|(at, value)| decoder.string(value, &at));
    let mut strings = |name: &'static str, decoder: &mut Decoder| {
        fields
            .take(name)
            .map_or_else(Vec::new, |(at, value)| decoder.strings(value, &at))
    };
    let args = strings("args", decoder);
    let env_pass = strings("env_pass", decoder);
    let read_roots = strings("read_roots", decoder);
    let write_roots = strings("write_roots", decoder);
    let model = fields.read("model", |value, at| {
        decoder.name::<ModelName>(value, at, "model name")
    });
    let network = fields.read("network", |value, at| decoder.boolean(value, at));
    let bounds = fields.read("limits", |value, at| Some(limits(decoder, value, at)));
    fields.finish(decoder);
    let mut spec = AgentSpec::new(name, kind?);
    spec.command = command;
    spec.args = args;
    spec.env_pass = env_pass;
    spec.read_roots = read_roots;
    spec.write_roots = write_roots;
    spec.model = model;
    spec.network = network.unwrap_or(false);
    spec.limits = bounds.unwrap_or_default();
    Some(spec)
}
