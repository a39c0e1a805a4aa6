//! Faults of bounds: P7xx.

use serde_json::json;

use super::Mutator;
use super::plant::{at, call};

pub(super) const MUTATORS: &[Mutator] = &[
    Mutator::new("P701", "too-few-calls", |case, _| {
        case.add_call("anything", json!({}))?;
        case.add_call("anything", json!({}))?;
        case.set("", "limits", json!({"max_tool_calls": 1}))?;
        at("/limits/max_tool_calls")
    }),
    Mutator::new("P701", "too-few-steps", |case, _| {
        case.add_call("anything", json!({}))?;
        case.add_call("anything", json!({}))?;
        case.set("", "limits", json!({"max_steps": 1}))?;
        at("/limits/max_steps")
    }),
    Mutator::new("P702", "act-on-every-item", |case, _| {
        case.unbind()?;
        case.add_input(json!({"name": "crowd", "value_type": "array"}), json!([]))?;
        let (body, _) = case.add_named(call("send", json!({"to": "alice", "body": "hello"})))?;
        let config = json!({"type": "FAN_OUT", "over": "${input.crowd}", "item_var": "one", "spawn_steps": [body]});
        let step = case.add_step(config)?;
        at(format!("/steps/{step}/config/over"))
    }),
    Mutator::new("P703", "call-without-end", |case, _| {
        case.unbind()?;
        let effects = json!({"read_only": true, "open_world": true});
        case.add_tool(json!({"name": "call_out", "effects": effects}))?;
        let step = case.add_call("call_out", json!({}))?;
        at(format!("/steps/{step}/config/tool"))
    }),
];
