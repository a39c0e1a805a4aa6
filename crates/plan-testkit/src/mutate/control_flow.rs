//! Faults of conditions, fan-outs, fan-ins and people: P5xx.

use serde_json::json;

use super::plant::{at, call};
use super::{Mutator, Place};
use crate::case::Case;
use crate::generate::Random;
use crate::within::{list, names, text};

pub(super) const MUTATORS: &[Mutator] = &[
    Mutator::new("P501", "unfinished-expression", |case, random| {
        expression(case, random, "1 + ")
    }),
    Mutator::new("P501", "number-for-a-boolean", |case, random| {
        expression(case, random, "1 + 2")
    }),
    Mutator::new("P501", "unknown-function", |case, random| {
        expression(case, random, "shout('x')")
    }),
    Mutator::new("P501", "order-across-types", |case, random| {
        expression(case, random, "'x' < 3")
    }),
    Mutator::new("P502", "compare-a-text-with-a-number", |case, random| {
        expression(case, random, "conf.base == 5")
    }),
    Mutator::new("P503", "unknown-target", |case, random| {
        let step = case.some_kind(random, "CONDITION")?;
        let entry = case.push(
            &format!("/steps/{step}/config"),
            "true_steps",
            json!("nobody_here"),
        )?;
        at(format!("/steps/{step}/config/true_steps/{entry}"))
    }),
    Mutator::new("P503", "cross-a-branch", |case, random| {
        let step = case.some_kind(random, "CONDITION")?;
        let target = text(case.steps().get(step)?, "/config/true_steps/0").to_owned();
        let entry = case.push(
            &format!("/steps/{step}/config"),
            "false_steps",
            json!(target),
        )?;
        at(format!("/steps/{step}/config/false_steps/{entry}"))
    }),
    Mutator::new("P503", "choose-what-does-not-wait", |case, random| {
        let step = case.some_step(random, |step| text(step, "/config/type") == "CONDITION")?;
        if case.owner(text(case.steps().get(step)?, "/id")).is_some() {
            return None;
        }
        let free = case.add_call("anything", json!({}))?;
        let id = text(case.steps().get(free)?, "/id").to_owned();
        let entry = case.push(&format!("/steps/{step}/config"), "true_steps", json!(id))?;
        at(format!("/steps/{step}/config/true_steps/{entry}"))
    }),
    Mutator::new("P503", "choose-a-body-step", |case, random| {
        let step = case.some_step(random, |step| text(step, "/config/type") == "CONDITION")?;
        let id = text(case.steps().get(step)?, "/id").to_owned();
        let owner = case.some_kind(random, "FAN_OUT")?;
        let body = names(case.steps().get(owner)?, "/config/spawn_steps");
        let body = (*random.pick(&body)?).to_owned();
        if case.owner(&id).is_some() || id == body {
            return None;
        }
        let entry = case.push(&format!("/steps/{step}/config"), "true_steps", json!(body))?;
        at(format!("/steps/{step}/config/true_steps/{entry}"))
    }),
    Mutator::new("P504", "repeat-a-body-step", |case, random| {
        let step = case.some_kind(random, "FAN_OUT")?;
        let body = text(case.steps().get(step)?, "/config/spawn_steps/0").to_owned();
        let entry = case.push(&format!("/steps/{step}/config"), "spawn_steps", json!(body))?;
        at(format!("/steps/{step}/config/spawn_steps/{entry}"))
    }),
    Mutator::new("P504", "unknown-body-step", |case, random| {
        spawn(case, random, "nobody_here")
    }),
    Mutator::new("P504", "spawn-itself", |case, random| {
        let step = case.some_kind(random, "FAN_OUT")?;
        let id = text(case.steps().get(step)?, "/id").to_owned();
        let entry = case.push(&format!("/steps/{step}/config"), "spawn_steps", json!(id))?;
        at(format!("/steps/{step}/config/spawn_steps/{entry}"))
    }),
    Mutator::new("P504", "empty-body", |case, _| {
        let config = json!({"type": "FAN_OUT", "over": "${conf.sizes}", "item_var": "size", "spawn_steps": []});
        let step = case.add_step(config)?;
        at(format!("/steps/{step}/config/spawn_steps"))
    }),
    Mutator::new("P504", "own-twice", |case, random| {
        let owner = case.some_kind(random, "FAN_OUT")?;
        let body = text(case.steps().get(owner)?, "/config/spawn_steps/0").to_owned();
        let config = json!({"type": "FAN_OUT", "over": "${conf.sizes}", "item_var": "size", "spawn_steps": [body]});
        let step = case.add_step(config)?;
        at(format!("/steps/{step}/config/spawn_steps/0"))
    }),
    Mutator::new("P504", "fan-out-over-text", |case, random| {
        let step = case.some_step(random, |step| text(step, "/config/type") == "FAN_OUT")?;
        case.set(
            &format!("/steps/{step}/config"),
            "over",
            json!("${conf.base}"),
        )?;
        at(format!("/steps/{step}/config/over"))
    }),
    Mutator::new("P504", "wait-for-the-owner", |case, random| {
        let owner = case.some_kind(random, "FAN_OUT")?;
        let id = text(case.steps().get(owner)?, "/id").to_owned();
        let body = text(case.steps().get(owner)?, "/config/spawn_steps/0").to_owned();
        let body = case
            .steps()
            .iter()
            .position(|step| text(step, "/id") == body)?;
        let entry = case.push(&format!("/steps/{body}"), "depends_on", json!(id))?;
        at(format!("/steps/{body}/depends_on/{entry}"))
    }),
    Mutator::new("P504", "body-against-its-edges", |case, random| {
        let step = case.some_kind(random, "FAN_OUT")?;
        let pointer = format!("/steps/{step}/config");
        let body = names(case.steps().get(step)?, "/config/spawn_steps");
        let (first, second) = (*body.first()?, *body.get(1)?);
        let waits = case
            .steps()
            .iter()
            .any(|step| text(step, "/id") == second && names(step, "/depends_on").contains(&first));
        if !waits {
            return None;
        }
        let mut body: Vec<String> = body.into_iter().map(str::to_owned).collect();
        body.swap(0, 1);
        case.set(&pointer, "spawn_steps", json!(body))?;
        at(format!("{pointer}/spawn_steps"))
    }),
    Mutator::new("P504", "no-item-at-any-time", |case, random| {
        let step = case.some_kind(random, "FAN_OUT")?;
        case.set(&format!("/steps/{step}/config"), "max_parallel", json!(0))?;
        at(format!("/steps/{step}/config/max_parallel"))
    }),
    Mutator::new("P504", "until-with-several-at-once", |case, random| {
        let step = case.some_step(random, |step| step.pointer("/config/until").is_some())?;
        case.set(&format!("/steps/{step}/config"), "max_parallel", json!(4))?;
        at(format!("/steps/{step}/config/max_parallel"))
    }),
    Mutator::new("P505", "collect-from-nothing", |case, _| {
        let step =
            case.add_step(json!({"type": "FAN_IN", "from_steps": [], "collect_field": "list"}))?;
        at(format!("/steps/{step}/config/from_steps"))
    }),
    Mutator::new("P505", "collect-twice", |case, random| {
        let step = case.some_kind(random, "FAN_IN")?;
        let first = text(case.steps().get(step)?, "/config/from_steps/0").to_owned();
        collect(case, step, &first)
    }),
    Mutator::new("P505", "collect-from-itself", |case, random| {
        let step = case.some_kind(random, "FAN_IN")?;
        let id = text(case.steps().get(step)?, "/id").to_owned();
        collect(case, step, &id)
    }),
    Mutator::new("P505", "collect-from-nobody", |case, random| {
        let step = case.some_kind(random, "FAN_IN")?;
        collect(case, step, "nobody_here")
    }),
    Mutator::new("P506", "ask-for-every-item", |case, random| {
        let owner = case.some_kind(random, "FAN_OUT")?;
        let step = case.add_step(
            json!({"type": "HUMAN_INTERACTION", "prompt": "Go on?", "response_field": "words"}),
        )?;
        let id = text(case.steps().get(step)?, "/id").to_owned();
        case.push(&format!("/steps/{owner}/config"), "spawn_steps", json!(id))?;
        at(format!("/steps/{step}/config/type"))
    }),
    Mutator::new("P507", "blank-prompt", |case, random| {
        let step = case.some_kind(random, "HUMAN_INTERACTION")?;
        case.set(&format!("/steps/{step}/config"), "prompt", json!(" \n"))?;
        at(format!("/steps/{step}/config/prompt"))
    }),
    Mutator::new("P509", "code-from-two-places", |case, random| {
        let step = case.some_kind(random, "CODE_CALL")?;
        case.set(&format!("/steps/{step}/config"), "file", json!("script.sh"))?;
        at(format!("/steps/{step}/config"))
    }),
    Mutator::new("P509", "no-time", |case, random| {
        let step = case.some_step(random, |_| true)?;
        case.set(&format!("/steps/{step}"), "timeout_secs", json!(0))?;
        at(format!("/steps/{step}/timeout_secs"))
    }),
    Mutator::new("P509", "no-tokens", |case, random| {
        let step = case.some_kind(random, "PROMPT_CALL")?;
        case.set(&format!("/steps/{step}/config"), "max_tokens", json!(0))?;
        at(format!("/steps/{step}/config/max_tokens"))
    }),
    Mutator::new("P510", "no-attempt", |case, random| {
        retry(case, random, "TOOL_CALL", 0)
    }),
    Mutator::new("P510", "a-million-attempts", |case, random| {
        retry(case, random, "PROMPT_CALL", 1_000_000)
    }),
    Mutator::new("P510", "ask-again", |case, random| {
        retry(case, random, "HUMAN_INTERACTION", 2)
    }),
    Mutator::new("P511", "join-what-is-not-chosen", |case, _| {
        case.add_input(
            json!({"name": "quantity", "value_type": "integer"}),
            json!(7),
        )?;
        let condition = json!({"type": "CONDITION", "expression": "input.quantity > 2"});
        let (condition, at_condition) = case.add_named(condition)?;
        let (other, at_other) = case.add_named(call("anything", json!({})))?;
        case.wait(at_other, &[&condition])?;
        let (joins, step) = case.add_named(call("anything", json!({})))?;
        case.wait(step, &[&other])?;
        case.set(&format!("/steps/{step}"), "join", json!("any"))?;
        let pointer = format!("/steps/{at_condition}/config");
        case.set(&pointer, "true_steps", json!([joins]))?;
        case.set(&pointer, "false_steps", json!([other]))?;
        at(format!("/steps/{step}/join"))
    }),
    Mutator::new("P512", "wait-for-both-branches", |case, random| {
        let step = case.some_step(random, |step| {
            text(step, "/join") == "any" && !list(step, "/depends_on").is_empty()
        })?;
        case.object(&format!("/steps/{step}"))?.remove("join")?;
        at(format!("/steps/{step}/depends_on"))
    }),
];

fn expression(case: &mut Case, random: &mut Random, expression: &str) -> Option<Place> {
    let step = case.some_kind(random, "CONDITION")?;
    case.set(
        &format!("/steps/{step}/config"),
        "expression",
        json!(expression),
    )?;
    at(format!("/steps/{step}/config/expression"))
}

fn spawn(case: &mut Case, random: &mut Random, id: &str) -> Option<Place> {
    let step = case.some_kind(random, "FAN_OUT")?;
    let entry = case.push(&format!("/steps/{step}/config"), "spawn_steps", json!(id))?;
    at(format!("/steps/{step}/config/spawn_steps/{entry}"))
}

fn collect(case: &mut Case, step: usize, id: &str) -> Option<Place> {
    let entry = case.push(&format!("/steps/{step}/config"), "from_steps", json!(id))?;
    at(format!("/steps/{step}/config/from_steps/{entry}"))
}

fn retry(case: &mut Case, random: &mut Random, kind: &str, attempts: u64) -> Option<Place> {
    let step = case.some_step(random, |step| {
        text(step, "/config/type") == kind && text(step, "/config/tool") != "send"
    })?;
    case.set(
        &format!("/steps/{step}"),
        "retry",
        json!({"max_attempts": attempts, "delay_secs": 1}),
    )?;
    at(format!("/steps/{step}/retry/max_attempts"))
}
