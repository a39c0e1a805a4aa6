//! Faults of structure and of the graph: P2xx.

use serde_json::{Value, json};

use super::plant::{at, call};
use super::{Mutator, Place};
use crate::case::Case;
use crate::generate::Random;
use crate::within::{list, names, text};

pub(super) const MUTATORS: &[Mutator] = &[
    Mutator::new("P201", "remove-every-step", |case, _| {
        case.set("", "steps", json!([]))?;
        case.set("", "outputs", json!([]))?;
        at("/steps")
    }),
    Mutator::new("P202", "repeat-step-id", |case, random| {
        let id = some_id(case, random)?;
        let step = case.add_call("anything", json!({}))?;
        case.set(&format!("/steps/{step}"), "id", json!(id))?;
        at(format!("/steps/{step}/id"))
    }),
    Mutator::new("P202", "repeat-input", |case, random| {
        let inputs = list(&case.document, "/inputs");
        let input = random.pick(inputs)?.clone();
        let input = case.push("", "inputs", input)?;
        at(format!("/inputs/{input}/name"))
    }),
    Mutator::new("P202", "repeat-step-output", |case, random| {
        let step = case.some_kind(random, "CODE_CALL")?;
        let output = case.push(&format!("/steps/{step}"), "outputs", json!({"name": "n"}))?;
        at(format!("/steps/{step}/outputs/{output}/name"))
    }),
    Mutator::new("P202", "repeat-plan-output", |case, random| {
        let outputs = list(&case.document, "/outputs");
        let output = random.pick(outputs)?.clone();
        let output = case.push("", "outputs", output)?;
        at(format!("/outputs/{output}/name"))
    }),
    Mutator::new("P203", "close-a-cycle", |case, random| {
        let (from, to) = some_edge(case, random)?;
        let id = text(case.steps().get(from)?, "/id").to_owned();
        case.push(&format!("/steps/{to}"), "depends_on", json!(id))?;
        Some(Place::Somewhere)
    }),
    Mutator::new("P203", "close-a-cycle-by-reading", |case, random| {
        let (from, to) = some_edge(case, random)?;
        let reader = case.steps().get(to)?;
        if text(reader, "/config/tool") != "anything" {
            return None;
        }
        let id = text(case.steps().get(from)?, "/id").to_owned();
        case.set(
            &format!("/steps/{to}/config/arguments"),
            "value",
            json!(format!("${{step.{id}}}")),
        )?;
        Some(Place::Somewhere)
    }),
    Mutator::new("P204", "unknown-dependency", |case, random| {
        let step = case.some_step(random, |_| true)?;
        let entry = case.push(
            &format!("/steps/{step}"),
            "depends_on",
            json!("nobody_here"),
        )?;
        at(format!("/steps/{step}/depends_on/{entry}"))
    }),
    Mutator::new("P205", "wait-for-itself", |case, random| {
        let step = case.some_step(random, |_| true)?;
        let id = text(case.steps().get(step)?, "/id").to_owned();
        let entry = case.push(&format!("/steps/{step}"), "depends_on", json!(id))?;
        at(format!("/steps/{step}/depends_on/{entry}"))
    }),
    Mutator::new("P206", "repeat-dependency", |case, random| {
        let step = case.some_step(random, |step| !list(step, "/depends_on").is_empty())?;
        let first = case
            .document
            .pointer(&format!("/steps/{step}/depends_on/0"))?
            .clone();
        let entry = case.push(&format!("/steps/{step}"), "depends_on", first)?;
        at(format!("/steps/{step}/depends_on/{entry}"))
    }),
    Mutator::new("P207", "constant-condition", |case, random| {
        let step = case.some_step(random, |step| !list(step, "/config/true_steps").is_empty())?;
        let target = text(case.steps().get(step)?, "/config/true_steps/0").to_owned();
        case.set(
            &format!("/steps/{step}/config"),
            "expression",
            json!("1 > 2"),
        )?;
        let target = case
            .steps()
            .iter()
            .position(|step| text(step, "/id") == target)?;
        at(format!("/steps/{target}"))
    }),
    Mutator::new("P207", "fan-out-over-nothing", |case, _| {
        case.set("/config", "none", json!([]))?;
        let (body, step) = case.add_named(call("anything", json!({})))?;
        let config = json!({"type": "FAN_OUT", "over": "${conf.none}", "item_var": "one", "spawn_steps": [body]});
        case.add_step(config)?;
        at(format!("/steps/{step}"))
    }),
    Mutator::new("P208", "unused-output", |case, _| {
        let step = case.add_call("anything", json!({}))?;
        case.set(
            &format!("/steps/{step}"),
            "outputs",
            json!([{"name": "unused"}]),
        )?;
        case.policy
            .as_object_mut()?
            .insert("severities".to_owned(), json!({"P208": "note"}));
        at(format!("/steps/{step}/outputs/0/name"))
    }),
    Mutator::of_planner_lists("P209", "null-among-edges", |case, random| {
        edge_value(case, random, &Value::Null)
    }),
    Mutator::of_planner_lists("P209", "object-among-edges", |case, random| {
        edge_value(case, random, &json!({"step": "s0"}))
    }),
    Mutator::of_planner_lists("P209", "blank-among-edges", |case, random| {
        edge_value(case, random, &json!(" "))
    }),
    Mutator::new("P210", "unused-input", |case, _| {
        let input = case.add_input(
            json!({"name": "nobody_reads", "value_type": "string"}),
            json!("x"),
        )?;
        at(format!("/inputs/{input}/name"))
    }),
];

fn some_id(case: &Case, random: &mut Random) -> Option<String> {
    let step = case.some_step(random, |_| true)?;
    Some(text(case.steps().get(step)?, "/id").to_owned())
}

/// Some edge between two steps: the one that waits, and the one that it waits for.
fn some_edge(case: &Case, random: &mut Random) -> Option<(usize, usize)> {
    let from = case.some_step(random, |step| !list(step, "/depends_on").is_empty())?;
    let to = names(case.steps().get(from)?, "/depends_on");
    let to = *random.pick(&to)?;
    let to = case
        .steps()
        .iter()
        .position(|step| text(step, "/id") == to)?;
    Some((from, to))
}

fn edge_value(case: &mut Case, random: &mut Random, value: &Value) -> Option<Place> {
    let step = case.some_step(random, |_| true)?;
    case.set(&format!("/steps/{step}"), "after", json!([value]))?;
    at(format!("/steps/{step}/after/0"))
}
