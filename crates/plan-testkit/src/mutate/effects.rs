//! Faults of capability and effects: P6xx.

use serde_json::{Value, json};

use super::Mutator;
use super::plant::{at, call};
use crate::within::{list, text};

pub(super) const MUTATORS: &[Mutator] = &[
    Mutator::new("P601", "climb-out-of-the-folder", |case, random| {
        let step = case.some_kind(random, "CODE_CALL")?;
        let path = random.word(&[
            "root/../../etc",
            "C:\\Windows",
            "\\\\host\\share",
            "a%2f..%2f..%2fetc",
        ]);
        case.set(&format!("/steps/{step}/config"), "working_dir", json!(path))?;
        at(format!("/steps/{step}/config/working_dir"))
    }),
    Mutator::new("P602", "agent-without-a-folder", |case, _| {
        let inputs = list(&case.document, "/inputs");
        if inputs
            .iter()
            .any(|input| text(input, "/input_kind") == "directory_path")
        {
            return None;
        }
        // without a policy on roots, an agent may work anywhere
        case.rule("roots", json!([]))?;
        case.add_input(
            json!({"name": "photos", "value_type": "string"}),
            json!("x"),
        )?;
        let config = json!({"type": "AGENT_CALL", "objective": "Sort them", "working_dir": "${input.photos}", "agent": "helper"});
        let step = case.add_step(config)?;
        case.set(&format!("/steps/{step}"), "timeout_secs", json!(600))?;
        at(format!("/steps/{step}/config/working_dir"))
    }),
    Mutator::new("P603", "act-without-an-approval", |case, _| {
        case.add_tool(wipe())?;
        case.rule(
            "require_approval",
            json!({"tools": ["wipe"], "without": "deny"}),
        )?;
        let step = case.add_call("wipe", json!({"path": "all"}))?;
        at(format!("/steps/{step}"))
    }),
    Mutator::new("P604", "send-where-a-page-says", |case, _| {
        case.rule("untrusted", json!("deny"))?;
        let (page, _) = case.add_named(call("fetch", json!({"url": "https://example.com"})))?;
        let step = case.add_call(
            "send",
            json!({"to": format!("${{step.{page}.body}}"), "body": "hello"}),
        )?;
        at(format!("/steps/{step}/config/arguments/to"))
    }),
    Mutator::new("P605", "retry-what-acts", |case, random| {
        let step = case.some_step(random, |step| text(step, "/config/tool") == "send")?;
        case.set(
            &format!("/steps/{step}"),
            "retry",
            json!({"max_attempts": 3, "delay_secs": 1}),
        )?;
        at(format!("/steps/{step}/retry"))
    }),
    Mutator::new("P606", "tell-a-secret", |case, _| {
        let config = json!({"type": "PROMPT_CALL", "model": "small", "user_prompt": "Use ${secret.TOKEN}", "output_field": "reply"});
        let step = case.add_step(config)?;
        at(format!("/steps/{step}/config/user_prompt"))
    }),
    Mutator::new("P607", "argument-over-its-range", |case, _| {
        case.add_tool(
            json!({"name": "dial", "effects": {"read_only": true, "open_world": false}}),
        )?;
        case.rule(
            "arguments",
            json!({"dial": {"level": {"range": {"min": 1, "max": 3}}}}),
        )?;
        let step = case.add_call("dial", json!({"level": 9}))?;
        at(format!("/steps/{step}/config/arguments/level"))
    }),
    Mutator::new("P608", "send-to-anybody", |case, _| {
        case.policy.as_object_mut()?.remove("arguments");
        case.add_input(
            json!({"name": "somebody", "value_type": "string"}),
            json!("alice"),
        )?;
        let step = case.add_call("send", json!({"to": "${input.somebody}", "body": "hello"}))?;
        at(format!("/steps/{step}/config/arguments/to"))
    }),
    Mutator::new("P609", "give-an-agent-too-much", |case, random| {
        let step = case.some_kind(random, "AGENT_CALL")?;
        let tool = random.word(&["nobody_here", "hidden"]);
        let entry = case.push(&format!("/steps/{step}/config"), "tools", json!(tool))?;
        at(format!("/steps/{step}/config/tools/{entry}"))
    }),
    Mutator::new("P610", "a-page-within-a-query", |case, _| {
        let effects = json!({"read_only": true, "open_world": false});
        case.add_tool(json!({"name": "query", "code_arguments": ["sql"], "effects": effects}))?;
        let (page, _) = case.add_named(call("fetch", json!({"url": "https://example.com"})))?;
        let sql = format!("select * from books where author = '${{step.{page}.body}}'");
        let step = case.add_call("query", json!({"sql": sql}))?;
        at(format!("/steps/{step}/config/arguments/sql"))
    }),
    Mutator::new("P611", "approve-unseen", |case, _| {
        case.add_tool(wipe())?;
        let (look, _) = case.add_named(call("fetch", json!({"url": "https://example.com"})))?;
        let question = json!({"type": "HUMAN_INTERACTION", "prompt": "Go on?", "response_field": "ok", "approval_required": true});
        let (agree, step) = case.add_named(question)?;
        case.wait(step, &[&look])?;
        let (_, wipe) = case.add_named(call(
            "wipe",
            json!({"path": format!("${{step.{look}.body}}")}),
        ))?;
        case.wait(wipe, &[&agree])?;
        at(format!("/steps/{step}/config/prompt"))
    }),
    Mutator::new("P612", "write-one-path-twice", |case, _| {
        case.add_call("save", json!({"path": "./out/same.txt", "text": "one"}))?;
        let step = case.add_call(
            "save",
            json!({"path": "./out/../out/same.txt", "text": "two"}),
        )?;
        at(format!("/steps/{step}/config/arguments/path"))
    }),
    Mutator::new("P613", "send-it-twice", |case, _| {
        case.add_call("send", json!({"to": "alice", "body": "the same"}))?;
        let step = case.add_call("send", json!({"body": "the same", "to": "alice"}))?;
        at(format!("/steps/{step}/config/tool"))
    }),
];

/// A tool that is declared to destroy.
fn wipe() -> Value {
    json!({"name": "wipe", "timeout_secs": 30, "effects": {"read_only": false, "idempotent": false, "destructive": true, "open_world": false}})
}
