//! How a tool of a catalog file is run: shapes alone, since other crates run it.

use plan_model::{Declared, Effects, Pointer, Seconds};
use serde_json::Value;

use crate::decode::{self, Decoder, Fields};

mod http;

/// The kinds of `config`.
pub(crate) const KINDS: [(&str, Kind); 3] = [
    ("subprocess", Kind::Subprocess),
    ("http", Kind::Http),
    ("mcp", Kind::Mcp),
];

/// A kind of `config`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Subprocess,
    Http,
    Mcp,
    /// One that a host added.
    Own,
}

/// What the way of running says about effects: the HTTP methods mean something.
pub(super) fn effects(config: &Value) -> Effects {
    let mut effects = Effects::default();
    if config.get("kind").and_then(Value::as_str) != Some("http") {
        return effects;
    }
    match config.get("method").and_then(Value::as_str) {
        // GET where nothing is said
        None | Some("GET" | "HEAD" | "OPTIONS") => {
            effects.read_only = Declared::said(true);
            effects.idempotent = Declared::said(true);
            effects.destructive = Declared::said(false);
        }
        Some("PUT" | "DELETE") => effects.idempotent = Declared::said(true),
        _ => {}
    }
    effects
}

/// Reports what is wrong with a `config`, which may be of one of the host's own kinds.
pub(super) fn check(decoder: &mut Decoder, config: &Value, at: &Pointer, own: &[&str]) {
    let Some(mut fields) = decoder.object(config.clone(), at) else {
        return;
    };
    let kind = fields
        .require(decoder, "kind")
        .and_then(|(at, value)| kind(decoder, value, &at, own));
    match kind {
        Some(Kind::Subprocess) => subprocess(decoder, &mut fields),
        Some(Kind::Http) => http::check(decoder, &mut fields),
        // the adapter knows its own fields
        Some(Kind::Mcp | Kind::Own) | None => {
            fields.rest();
        }
    }
    fields.finish(decoder);
}

fn subprocess(decoder: &mut Decoder, fields: &mut Fields) {
    let command = fields.require(decoder, "command");
    if let Some((at, value)) = command
        && let Some(command) = decoder.string(value, &at)
        && command.trim().is_empty()
    {
        let finding = decoder.at(&at, "the command is blank");
        decoder.say(finding);
    }
    if let Some((at, value)) = fields.take("args") {
        decoder.strings(value, &at);
    }
    text_map(decoder, fields.take("env"));
    fields.read("working_dir", |value, at| decoder.string(value, at));
    fields.read("pass_arguments", |value, at| {
        let words = [("env", ()), ("stdin", ()), ("none", ())];
        decoder.word(value, at, &words)
    });
    fields.read("capture_status", |value, at| decoder.boolean(value, at));
}

fn kind(decoder: &mut Decoder, value: Value, at: &Pointer, own: &[&str]) -> Option<Kind> {
    let word = decoder.string(value, at)?;
    let known = KINDS.iter().find(|(known, _)| *known == word);
    let known = known.map(|(_, kind)| *kind);
    let known = known.or_else(|| own.contains(&word.as_str()).then_some(Kind::Own));
    if known.is_none() {
        let ours = KINDS.iter().map(|(known, _)| *known);
        let further = own
            .iter()
            .copied()
            .filter(|own| ours.clone().all(|known| known != *own));
        decoder.none_of(&word, at, ours.clone().chain(further));
    }
    known
}

/// The most that one call may take, where the way of running says so.
pub(super) fn timeout(config: &Value) -> Option<Seconds> {
    decode::seconds(config.get("timeout_secs")?)
}

fn text_map(decoder: &mut Decoder, taken: Option<(Pointer, Value)>) {
    if let Some((at, value)) = taken
        && let Some(mut table) = decoder.object(value, &at)
    {
        for (_, at, value) in table.rest() {
            decoder.string(value, &at);
        }
    }
}
