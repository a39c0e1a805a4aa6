//! The catalog and the policies under which generated plans stand.

use serde_json::{Value, json};

use super::random::Random;
use super::values::Type;

/// An argument of a tool: its name, its type, whether it is required.
pub(super) type Argument = (&'static str, Type, bool);

/// A value in a tool's result: its path and its type.
pub(super) type Part = (&'static str, Type);

/// A tool as the generator sees it; [`catalog`] says the same as a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolFacts {
    pub(super) name: &'static str,
    pub(super) arguments: &'static [Argument],
    pub(super) results: &'static [Part],
    /// Whether a retry cannot act twice.
    pub(super) is_repeatable: bool,
}

pub(super) const TOOLS: &[ToolFacts] = &[
    ToolFacts {
        name: "search",
        arguments: &[("query", Type::Text, true), ("limit", Type::Count, false)],
        results: &[
            ("hits", Type::Rows),
            ("hits[0].title", Type::Text),
            ("total", Type::Count),
        ],
        is_repeatable: true,
    },
    ToolFacts {
        name: "fetch",
        arguments: &[("url", Type::Text, true), ("depth", Type::Count, false)],
        results: &[
            ("body", Type::Text),
            ("status", Type::Count),
            ("links", Type::Texts),
            ("meta.author.name", Type::Text),
        ],
        is_repeatable: true,
    },
    ToolFacts {
        name: "score",
        arguments: &[
            ("text", Type::Text, true),
            ("weight", Type::Number, false),
            ("strict", Type::Flag, false),
        ],
        results: &[("score", Type::Number), ("is_good", Type::Flag)],
        is_repeatable: true,
    },
    ToolFacts {
        name: "merge",
        arguments: &[("rows", Type::Rows, true), ("labels", Type::Texts, false)],
        results: &[("rows", Type::Rows)],
        is_repeatable: true,
    },
    ToolFacts {
        name: "save",
        arguments: &[("path", Type::Path, true), ("text", Type::Text, true)],
        results: &[("is_saved", Type::Flag)],
        is_repeatable: true,
    },
    ToolFacts {
        name: "send",
        arguments: &[
            ("to", Type::Person, true),
            ("body", Type::Text, true),
            ("urgent", Type::Flag, false),
        ],
        results: &[],
        is_repeatable: false,
    },
    ToolFacts {
        name: "login",
        arguments: &[("token", Type::Secret, true), ("note", Type::Text, false)],
        results: &[("session", Type::Text)],
        is_repeatable: true,
    },
    ToolFacts {
        name: "anything",
        arguments: &[("value", Type::Any, false), ("list", Type::Any, false)],
        results: &[],
        is_repeatable: true,
    },
];

/// The catalog file of every generated plan.
pub(super) fn catalog() -> Value {
    let rows = json!({"type": "array", "items": {
        "type": "object",
        "properties": {"title": {"type": "string"}, "url": {"type": "string"}},
        "required": ["title", "url"],
        "additionalProperties": false
    }});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let closed = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let reading =
        json!({"read_only": true, "idempotent": true, "destructive": false, "open_world": false});
    let author = closed(json!({"name": {"type": "string"}}), json!(["name"]));
    let count = json!({"type": "integer", "minimum": 1, "maximum": 100});
    json!({
        "planwright": 1,
        "tools": [
            {"name": "search", "effects": reading, "timeout_secs": 30,
             "input_schema": closed(json!({"query": {"type": "string"}, "limit": count}), json!(["query"])),
             "output_schema": closed(json!({"hits": rows, "total": {"type": "integer"}}), json!(["hits", "total"]))},
            {"name": "fetch", "effects": {"read_only": true, "idempotent": true, "destructive": false, "open_world": true}, "timeout_secs": 30,
             "input_schema": closed(json!({"url": {"type": "string"}, "depth": count}), json!(["url"])),
             "output_schema": closed(json!({
                 "body": {"type": "string"}, "status": {"type": "integer"}, "links": texts,
                 "meta": closed(json!({"author": author}), json!(["author"]))
             }), json!(["body", "status", "links", "meta"]))},
            {"name": "score", "effects": reading, "timeout_secs": 30,
             "input_schema": closed(json!({"text": {"type": "string"}, "weight": {"type": "number"}, "strict": {"type": "boolean"}}), json!(["text"])),
             "output_schema": closed(json!({"score": {"type": "number"}, "is_good": {"type": "boolean"}}), json!(["score", "is_good"]))},
            {"name": "merge", "effects": reading, "timeout_secs": 30,
             "input_schema": closed(json!({"rows": rows, "labels": texts}), json!(["rows"])),
             "output_schema": closed(json!({"rows": rows}), json!(["rows"]))},
            {"name": "save", "effects": {"read_only": false, "idempotent": true, "destructive": false, "open_world": false}, "timeout_secs": 30,
             "input_schema": closed(json!({"path": {"type": "string"}, "text": {"type": "string"}}), json!(["path", "text"])),
             "output_schema": closed(json!({"is_saved": {"type": "boolean"}}), json!(["is_saved"]))},
            {"name": "send", "effects": {"read_only": false, "idempotent": false, "destructive": true, "open_world": true}, "timeout_secs": 30,
             "sensitive_arguments": ["to"],
             "input_schema": closed(json!({"to": {"type": "string"}, "body": {"type": "string"}, "urgent": {"type": "boolean"}}), json!(["to", "body"]))},
            {"name": "login", "effects": reading, "timeout_secs": 30, "secret_arguments": ["token"],
             "input_schema": closed(json!({"token": {"type": "string"}, "note": {"type": "string"}}), json!(["token"])),
             "output_schema": closed(json!({"session": {"type": "string"}}), json!(["session"]))},
            {"name": "anything", "effects": reading, "timeout_secs": 30},
            {"name": "hidden", "allowlisted": false},
            {"name": "remote", "input_schema": {"$ref": "https://example.com/schema.json"}}
        ],
        "models": [{"name": "small"}, {"name": "large"}],
        "agents": {"helper": {"kind": "subprocess", "command": "helper"}}
    })
}

/// One of several policies, all of which allow every generated plan.
pub(super) fn policy(random: &mut Random) -> Value {
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    let mut policy = json!({"secrets": ["TOKEN"]});
    let mut set = |name: &str, value: Value| {
        if let Some(members) = policy.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
    };
    if random.chance(30) {
        set("tools", json!(names));
        set("models", json!(["small", "large"]));
        set("languages", json!(["python", "bash"]));
    }
    if random.chance(30) {
        set(
            "arguments",
            json!({"send": {"to": {"one_of": ["alice", "bob"]}}}),
        );
    }
    if random.chance(30) {
        set("require_approval", json!({"effects": ["destructive"]}));
    }
    if random.chance(30) {
        set(
            "limits",
            json!({"max_tool_calls": 100_000, "max_steps": 1_000}),
        );
    }
    policy
}
