//! The steps of a plan: one form for each tool, and one for each other kind.

use serde_json::{Map, Value, json};

use super::call::Offered;
use super::narrow::closed;
use super::pattern::{NUMBER, matching, shown_literal, text};
use super::sources::{ITEM, Sources};
use crate::check::Context;

/// An id that some step may have.
const ID: &str = "^[A-Za-z_][A-Za-z0-9_]{0,62}$";

/// The definitions that the forms of steps share.
pub(super) fn definitions() -> Map<String, Value> {
    let word = |words: &[&str]| {
        let mut all: Vec<Value> = words.iter().map(|word| (*word).into()).collect();
        all.push(Value::Null);
        json!({ "enum": all })
    };
    let or_null = |schema: Value| json!({ "anyOf": [schema, { "type": "null" }] });
    let seconds = json!({ "type": "integer", "minimum": 1, "maximum": 86_400 });
    let ids = json!({ "type": "array", "items": { "$ref": "#/$defs/id" } });
    let retry = object([
        (
            "max_attempts",
            json!({ "type": "integer", "minimum": 1, "maximum": 10 }),
        ),
        (
            "delay_secs",
            json!({ "type": "integer", "minimum": 0, "maximum": 3_600 }),
        ),
        ("backoff", json!({ "type": ["boolean", "null"] })),
    ]);
    let all = [
        ("id", matching(ID)),
        ("ids", ids),
        ("words", matching(&shown_literal())),
        ("words_or_null", or_null(json!({ "$ref": "#/$defs/words" }))),
        ("prompt", matching(&text(true))),
        ("text", matching(&text(false))),
        ("seconds_or_null", or_null(seconds)),
        ("ids_or_null", or_null(json!({ "$ref": "#/$defs/ids" }))),
        ("retry_or_null", or_null(retry)),
        ("join", word(&["all", "any", "settled"])),
        ("on_error", word(&["fail", "continue"])),
    ];
    all.into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect()
}

/// An object of exactly these members.
pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let members = members.map(|(name, schema)| (name.to_owned(), schema));
    closed(&members.into_iter().collect())
}

pub(super) fn defined(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

pub(super) fn only(word: &str) -> Value {
    json!({ "type": "string", "enum": [word] })
}

fn step(id: &str, config: Value) -> Value {
    object([
        ("id", matching(&format!("^{id}_{NUMBER}$"))),
        ("name", defined("words")),
        ("description", defined("words_or_null")),
        ("config", config),
        ("depends_on", defined("ids_or_null")),
        ("timeout_secs", defined("seconds_or_null")),
        ("retry", defined("retry_or_null")),
        ("join", defined("join")),
        ("on_error", defined("on_error")),
    ])
}

/// A step that calls a tool.
pub(super) fn call(offered: &Offered<'_>, arguments: Value) -> Value {
    let config = object([
        ("type", only("TOOL_CALL")),
        ("tool", only(offered.tool.spec.name.as_str())),
        ("arguments", arguments),
    ]);
    let mut step = step(&offered.slug, config);
    if let (Value::Object(step), Some(words)) = (&mut step, &offered.tool.spec.description) {
        let words: String = words.chars().take(400).collect();
        step.insert("description".to_owned(), words.into());
    }
    step
}

/// Steps of the other kinds, as far as the host has what they need.
pub(super) fn others(cx: &Context<'_>, offered: &[Offered<'_>], sources: &Sources) -> Vec<Value> {
    let mut all = Vec::new();
    let allowed: Vec<&str> = names(cx.catalog.languages().keys(), cx.policy.languages.as_ref());
    if !allowed.is_empty() {
        let config = object([
            ("type", only("CODE_CALL")),
            ("language", one_of(&allowed)),
            ("inline", json!({ "type": "string" })),
            ("args", json!({ "type": "array", "items": defined("text") })),
            (
                "stdin",
                json!({ "anyOf": [defined("text"), { "type": "null" }] }),
            ),
        ]);
        all.push(step("code_call", config));
    }
    let models = match (cx.catalog.models(), cx.policy.models.as_ref()) {
        (Some(models), listed) => Some(one_of(&names(models.keys(), listed))),
        (None, Some(listed)) => Some(one_of(&names(listed.iter(), None))),
        (None, None) => Some(matching("^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$")),
    };
    if let Some(model) = models.filter(|model| *model != one_of(&[])) {
        let config = object([
            ("type", only("PROMPT_CALL")),
            ("model", model),
            (
                "system_prompt",
                json!({ "anyOf": [defined("prompt"), { "type": "null" }] }),
            ),
            ("user_prompt", defined("prompt")),
            ("output_field", only("answer")),
        ]);
        all.push(step("prompt_call", config));
    }
    let agents: Vec<&str> = names(cx.catalog.agents().keys(), cx.policy.agents.as_ref());
    if !agents.is_empty() {
        let tools: Vec<&str> = offered
            .iter()
            .map(|it| it.tool.spec.name.as_str())
            .collect();
        let items = if tools.is_empty() {
            json!({ "type": "null" })
        } else {
            one_of(&tools)
        };
        let most = if tools.is_empty() { 0 } else { tools.len() };
        let config = object([
            ("type", only("AGENT_CALL")),
            ("objective", defined("prompt")),
            ("working_dir", defined("text")),
            ("agent", one_of(&agents)),
            (
                "tools",
                json!({ "type": "array", "items": items, "maxItems": most }),
            ),
        ]);
        all.push(step("agent_call", config));
    }
    for (id, field, approval) in [
        ("approval", "approved", true),
        ("question", "answer", false),
    ] {
        let config = object([
            ("type", only("HUMAN_INTERACTION")),
            ("prompt", defined("prompt")),
            ("response_field", only(field)),
            (
                "approval_required",
                json!({ "type": "boolean", "enum": [approval] }),
            ),
        ]);
        all.push(step(id, config));
    }
    let config = object([
        ("type", only("CONDITION")),
        ("expression", json!({ "type": "string" })),
        ("true_steps", defined("ids")),
        ("false_steps", defined("ids")),
    ]);
    all.push(step("condition", config));
    if let Some(list) = sources.list() {
        let config = object([
            ("type", only("FAN_OUT")),
            ("over", list),
            ("item_var", only(ITEM)),
            ("spawn_steps", defined("ids")),
            (
                "max_parallel",
                json!({ "type": ["integer", "null"], "minimum": 1, "maximum": 64 }),
            ),
            (
                "on_item_error",
                json!({ "enum": ["fail", "collect", null] }),
            ),
        ]);
        all.push(step("fan_out", config));
    }
    let config = object([
        ("type", only("FAN_IN")),
        ("from_steps", defined("ids")),
        ("collect_field", only("collected")),
    ]);
    all.push(step("fan_in", config));
    all
}

fn one_of(names: &[&str]) -> Value {
    json!({ "type": "string", "enum": names })
}

/// The names that are listed, where there is a list; those with a reference in them are none.
fn names<'n, T: AsRef<str> + Ord + 'n>(
    all: impl Iterator<Item = &'n T>,
    listed: Option<&std::collections::BTreeSet<T>>,
) -> Vec<&'n str> {
    all.filter(|name| listed.is_none_or(|listed| listed.contains(name)))
        .map(AsRef::as_ref)
        .filter(|name| !name.contains("${"))
        .collect()
}
