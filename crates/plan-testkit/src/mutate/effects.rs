//! Faults of effects and of bounds: P6xx and P7xx.

use serde_json::json;

use super::Mutator;
use super::plant::{at, text};

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
    Mutator::new("P605", "retry-what-acts", |case, random| {
        let step = case.some_step(random, |step| text(step, "/config/tool") == "send")?;
        case.set(
            &format!("/steps/{step}"),
            "retry",
            json!({"max_attempts": 3, "delay_secs": 1}),
        )?;
        at(format!("/steps/{step}/retry"))
    }),
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
];
