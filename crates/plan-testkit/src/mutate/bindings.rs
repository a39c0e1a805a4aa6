//! Faults of what is bound to an argument or built into a text: P306, P308, P310, P311, P404 and P411.

use serde_json::json;

use super::Mutator;
use super::plant::{at, call};
use crate::within::{names, text};

pub(super) const MUTATORS: &[Mutator] = &[
    Mutator::new("P306", "bind-what-may-be-left-out", |case, _| {
        let declaration = json!({"name": "maybe", "value_type": "string", "required": false});
        case.add_input(declaration, json!("https://example.com"))?;
        let step = case.add_call("fetch", json!({"url": "${input.maybe}"}))?;
        at(format!("/steps/{step}/config/arguments/url"))
    }),
    Mutator::new("P308", "unknown-model", |case, random| {
        let step = case.some_kind(random, "PROMPT_CALL")?;
        // what the policy does not list is its matter
        case.policy.as_object_mut()?.remove("models");
        case.set(
            &format!("/steps/{step}/config"),
            "model",
            json!("nobody_here"),
        )?;
        at(format!("/steps/{step}/config/model"))
    }),
    Mutator::new("P310", "read-what-is-yet-to-be-written", |case, _| {
        let source = json!({"type": "string", "x-path-kind": "file_path"});
        let schema =
            json!({"type": "object", "properties": {"source": source}, "required": ["source"]});
        let effects = json!({"read_only": true, "open_world": false});
        case.add_tool(json!({"name": "convert", "input_schema": schema, "effects": effects}))?;
        let declaration =
            json!({"name": "report", "value_type": "string", "input_kind": "output_file_path"});
        case.add_input(declaration, json!("/srv/reports/report.txt"))?;
        let step = case.add_call("convert", json!({"source": "${input.report}"}))?;
        at(format!("/steps/{step}/config/arguments/source"))
    }),
    Mutator::new("P311", "an-image-for-a-text", |case, _| {
        let image = json!({"type": "object", "properties": {"result": {"type": "string", "x-kind": "image"}}, "required": ["result"]});
        let words =
            json!({"type": "object", "properties": {"what": {"type": "string", "x-kind": "text"}}});
        case.add_tool(json!({"name": "draw", "output_schema": image}))?;
        case.add_tool(json!({"name": "translate", "input_schema": words}))?;
        let (source, _) = case.add_named(call("draw", json!({})))?;
        let step = case.add_call(
            "translate",
            json!({"what": format!("${{step.{source}.result}}")}),
        )?;
        at(format!("/steps/{step}/config/arguments/what"))
    }),
    Mutator::new("P404", "read-one-branch-after-both", |case, random| {
        let step = case.some_step(random, |step| {
            text(step, "/config/arguments/value").contains("??")
        })?;
        let branch = names(case.steps().get(step)?, "/depends_on");
        let value = format!("${{step.{}.body}}", branch.last()?);
        case.set(
            &format!("/steps/{step}/config/arguments"),
            "value",
            json!(value),
        )?;
        at(format!("/steps/{step}/config/arguments/value"))
    }),
    Mutator::new("P411", "list-within-a-text", |case, _| {
        let (source, _) = case.add_named(call("fetch", json!({"url": "https://example.com"})))?;
        let text = format!("links: ${{step.{source}.links}}");
        let step = case.add_call("anything", json!({"value": text}))?;
        at(format!("/steps/{step}/config/arguments/value"))
    }),
];
