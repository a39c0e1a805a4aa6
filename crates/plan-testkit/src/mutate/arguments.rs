//! Faults of tools and arguments: P3xx.

use serde_json::{Value, json};

use super::plant::at;
use super::{Mutator, Place};
use crate::case::Case;
use crate::generate::Random;
use crate::within::text;

pub(super) const MUTATORS: &[Mutator] = &[
    Mutator::new("P301", "rename-tool", |case, random| {
        let step = case.some_kind(random, "TOOL_CALL")?;
        let tool = text(case.steps().get(step)?, "/config/tool");
        let tool = match random.below(3) {
            0 => format!("{tool}s"),
            1 => tool.to_uppercase(),
            _ => "quite_another".to_owned(),
        };
        case.set(&format!("/steps/{step}/config"), "tool", json!(tool))?;
        at(format!("/steps/{step}/config/tool"))
    }),
    Mutator::new("P302", "hidden-tool", |case, _| {
        let step = case.add_call("hidden", json!({}))?;
        at(format!("/steps/{step}/config/tool"))
    }),
    Mutator::new("P302", "narrow-the-policy", |case, _| {
        let step = case.add_call("anything", json!({}))?;
        for other in 0..step {
            if text(case.steps().get(other)?, "/config/tool") == "anything" {
                return None;
            }
        }
        let tools = json!(["search", "fetch", "score", "merge", "save", "send", "login"]);
        case.policy
            .as_object_mut()?
            .insert("tools".to_owned(), tools);
        at(format!("/steps/{step}/config/tool"))
    }),
    Mutator::new("P303", "drop-argument", |case, random| {
        let step = case.some_step(random, |step| required(step).is_some())?;
        let argument = required(case.steps().get(step)?)?;
        let pointer = format!("/steps/{step}/config/arguments");
        case.object(&pointer)?.remove(argument)?;
        at(pointer)
    }),
    Mutator::new("P304", "unknown-argument", |case, random| {
        let step = case.some_step(random, |step| required(step).is_some())?;
        let pointer = format!("/steps/{step}/config/arguments");
        case.set(&pointer, "colour", json!("red"))?;
        at(format!("{pointer}/colour"))
    }),
    Mutator::new("P304", "misspelt-argument", |case, random| {
        let step = case.some_step(random, |step| text(step, "/config/tool") == "search")?;
        let pointer = format!("/steps/{step}/config/arguments");
        let arguments = case.object(&pointer)?;
        let query = arguments.remove("query")?;
        arguments.insert("qeury".to_owned(), query);
        at(format!("{pointer}/qeury"))
    }),
    Mutator::new("P305", "literal-out-of-range", |case, random| {
        literal(case, random, &json!(0))
    }),
    Mutator::new("P305", "text-for-a-number", |case, random| {
        literal(case, random, &json!("ten"))
    }),
    Mutator::new("P305", "text-read-for-a-number", |case, random| {
        let source = case.add_call("fetch", json!({"url": "https://example.com"}))?;
        let source = text(case.steps().get(source)?, "/id").to_owned();
        let step = case.some_step(random, |step| text(step, "/config/tool") == "search")?;
        let pointer = format!("/steps/{step}/config/arguments");
        case.set(&pointer, "limit", json!(format!("${{step.{source}.body}}")))?;
        at(format!("{pointer}/limit"))
    }),
    Mutator::new("P305", "member-missing-in-a-literal", |case, _| {
        let step = case.add_call("merge", json!({"rows": [{"title": "no address"}]}))?;
        at(format!("/steps/{step}/config/arguments/rows/0"))
    }),
    Mutator::new("P307", "quarantined-tool", |case, _| {
        // a tool that the policy does not list either has two faults
        case.policy.as_object_mut()?.remove("tools");
        let step = case.add_call("remote", json!({}))?;
        at(format!("/steps/{step}/config/tool"))
    }),
    Mutator::new("P309", "unknown-language", |case, random| {
        let step = case.some_kind(random, "CODE_CALL")?;
        case.set(
            &format!("/steps/{step}/config"),
            "language",
            json!("phyton"),
        )?;
        at(format!("/steps/{step}/config/language"))
    }),
    Mutator::new("P309", "unknown-agent", |case, random| {
        let step = case.some_kind(random, "AGENT_CALL")?;
        case.set(
            &format!("/steps/{step}/config"),
            "agent",
            json!("nobody_here"),
        )?;
        at(format!("/steps/{step}/config/agent"))
    }),
];

/// A required argument of the tool that a step calls, where there is one.
fn required(step: &Value) -> Option<&'static str> {
    match text(step, "/config/tool") {
        "search" => Some("query"),
        "fetch" => Some("url"),
        "score" => Some("text"),
        "merge" => Some("rows"),
        "save" => Some("path"),
        "send" => Some("body"),
        "login" => Some("token"),
        _ => None,
    }
}

/// Puts a value where a number from 1 to 100 is due.
fn literal(case: &mut Case, random: &mut Random, value: &Value) -> Option<Place> {
    let (tool, argument) = *random.pick(&[("search", "limit"), ("fetch", "depth")])?;
    let step = case.some_step(random, |step| text(step, "/config/tool") == tool)?;
    let pointer = format!("/steps/{step}/config/arguments");
    case.set(&pointer, argument, value.clone())?;
    at(format!("{pointer}/{argument}"))
}
