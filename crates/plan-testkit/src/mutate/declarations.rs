//! Faults of what inputs and outputs are declared to be: P409 and P413.

use serde_json::json;

use super::Mutator;
use super::plant::at;
use crate::within::{list, text};

pub(super) const MUTATORS: &[Mutator] = &[
    Mutator::new("P409", "default-of-another-type", |case, _| {
        let inputs = list(&case.document, "/inputs");
        let input = inputs
            .iter()
            .position(|input| text(input, "/value_type") == "integer")?;
        case.set(&format!("/inputs/{input}"), "default", json!("five"))?;
        at(format!("/inputs/{input}/default"))
    }),
    Mutator::new("P409", "default-out-of-range", |case, _| {
        let inputs = list(&case.document, "/inputs");
        let input = inputs
            .iter()
            .position(|input| text(input, "/value_type") == "integer")?;
        case.set(&format!("/inputs/{input}"), "default", json!(500))?;
        at(format!("/inputs/{input}/default"))
    }),
    Mutator::new("P409", "path-that-is-no-text", |case, _| {
        let declaration =
            json!({"name": "target", "value_type": "integer", "input_kind": "file_path"});
        let input = case.add_input(declaration, json!(1))?;
        at(format!("/inputs/{input}/value_type"))
    }),
    Mutator::new("P409", "schema-that-is-none", |case, _| {
        let declaration = json!({"name": "odd", "schema": {"type": "nothing"}});
        let input = case.add_input(declaration, json!(1))?;
        at(format!("/inputs/{input}/schema"))
    }),
    Mutator::new("P413", "leave-out-the-own-output", |case, _| {
        let step = case.add_step(json!({"type": "PROMPT_CALL", "model": "small", "user_prompt": "Hello", "output_field": "reply"}))?;
        case.set(
            &format!("/steps/{step}"),
            "outputs",
            json!([{"name": "another"}]),
        )?;
        at(format!("/steps/{step}/outputs/0/name"))
    }),
    Mutator::new("P413", "contradict-the-tool", |case, _| {
        let step = case.add_call("fetch", json!({"url": "https://example.com"}))?;
        case.set(
            &format!("/steps/{step}"),
            "outputs",
            json!([{"name": "status", "value_type": "string"}]),
        )?;
        at(format!("/steps/{step}/outputs/0/value_type"))
    }),
];
