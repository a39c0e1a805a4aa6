//! Faults of references: P401 to P408, P410 and P412.

use serde_json::{Value, json};

use super::plant::at;
use super::{Mutator, Place};
use crate::case::Case;
use crate::generate::Random;
use crate::within::{list, names, text};

pub(super) const MUTATORS: &[Mutator] = &[
    Mutator::new("P401", "unclosed-reference", |case, random| {
        read(case, random, &json!("about ${input.topic"))
    }),
    Mutator::new("P401", "unknown-root", |case, random| {
        read(case, random, &json!("about ${inputs.topic}"))
    }),
    Mutator::new("P401", "shell-variable", |case, random| {
        let step = case.some_kind(random, "CODE_CALL")?;
        case.set(
            &format!("/steps/{step}/config"),
            "stdin",
            json!("$conf.base"),
        )?;
        at(format!("/steps/{step}/config/stdin"))
    }),
    Mutator::new("P402", "unknown-input", |case, random| {
        read(case, random, &json!("${input.nobody_here}"))
    }),
    Mutator::new("P402", "unknown-config", |case, random| {
        read(case, random, &json!({"deep": ["x ${conf.nobody_here} y"]}))
    }),
    Mutator::new("P402", "unknown-step", |case, random| {
        read(case, random, &json!("${step.nobody_here.text}"))
    }),
    Mutator::new("P402", "unknown-item", |case, random| {
        read(case, random, &json!("${item.nobody_here}"))
    }),
    Mutator::new("P402", "unknown-output", |case, random| {
        let source = case.add_call("fetch", json!({"url": "https://example.com"}))?;
        let source = text(case.steps().get(source)?, "/id").to_owned();
        read(case, random, &json!(format!("${{step.{source}.text}}")))
    }),
    Mutator::new("P403", "read-itself", |case, _| {
        let step = case.add_call("anything", json!({}))?;
        let id = text(case.steps().get(step)?, "/id").to_owned();
        let pointer = format!("/steps/{step}/config/arguments");
        case.set(&pointer, "value", json!(format!("${{step.{id}}}")))?;
        at(format!("{pointer}/value"))
    }),
    Mutator::new("P403", "read-a-body-from-outside", |case, random| {
        let body = some_body_step(case, random)?;
        let step = case.add_call("anything", json!({"value": format!("${{step.{body}}}")}))?;
        at(format!("/steps/{step}/config/arguments/value"))
    }),
    Mutator::new("P403", "read-the-fan-out-from-its-body", |case, random| {
        let body = some_body_step(case, random)?;
        let owner = text(case.steps().get(case.owner(&body)?)?, "/id").to_owned();
        let step = case
            .steps()
            .iter()
            .position(|step| text(step, "/id") == body)?;
        if text(case.steps().get(step)?, "/config/tool") != "anything" {
            return None;
        }
        let pointer = format!("/steps/{step}/config/arguments");
        case.set(
            &pointer,
            "value",
            json!(format!("${{step.{owner}.results}}")),
        )?;
        at(format!("{pointer}/value"))
    }),
    Mutator::new("P405", "unknown-member", |case, random| {
        let source = case.add_call("fetch", json!({"url": "https://example.com"}))?;
        let source = text(case.steps().get(source)?, "/id").to_owned();
        read(
            case,
            random,
            &json!(format!("${{step.{source}.meta.author.mail}}")),
        )
    }),
    Mutator::new("P405", "member-of-a-text", |case, random| {
        read(case, random, &json!("${conf.base.length}"))
    }),
    Mutator::new("P405", "element-out-of-bounds", |case, random| {
        read(case, random, &json!("${conf.sizes[2]}"))
    }),
    Mutator::new("P406", "mustaches", |case, random| {
        read(case, random, &json!("Dear {{guest}}"))
    }),
    Mutator::new("P406", "numbered-group", |case, random| {
        read(case, random, &json!("it costs $100-$200"))
    }),
    Mutator::new("P407", "reference-in-code", |case, random| {
        let step = case.some_kind(random, "CODE_CALL")?;
        case.set(
            &format!("/steps/{step}/config"),
            "inline",
            json!("echo ${conf.base} ${HOME}"),
        )?;
        at(format!("/steps/{step}/config/inline"))
    }),
    Mutator::new("P408", "reference-in-key", |case, random| {
        let step = call_of_anything(case, random)?;
        let pointer = format!("/steps/{step}/config/arguments");
        case.set(&pointer, "value", json!({"${conf.base}": 1}))?;
        at(format!("{pointer}/value/${{conf.base}}"))
    }),
    Mutator::new("P408", "reference-in-tool-name", |case, _| {
        let step = case.add_call("${conf.base}", json!({}))?;
        at(format!("/steps/{step}/config/tool"))
    }),
    Mutator::new("P410", "publish-text", |case, random| {
        let output = random.below(list(&case.document, "/outputs").len());
        let pointer = format!("/outputs/{output}");
        let source = text(case.document.pointer(&pointer)?, "/source").to_owned();
        case.set(&pointer, "source", json!(format!("it is {source}")))?;
        at(format!("{pointer}/source"))
    }),
    Mutator::new("P410", "publish-a-body-step", |case, random| {
        let body = some_body_step(case, random)?;
        let output = case.push(
            "",
            "outputs",
            json!({"name": "wrong", "source": format!("${{step.{body}}}")}),
        )?;
        at(format!("/outputs/{output}/source"))
    }),
    Mutator::new("P412", "foreign-reference", |case, random| {
        let step = case.some_step(random, |_| true)?;
        let id = text(case.steps().get(step)?, "/id").to_owned();
        let foreign = match random.below(2) {
            0 => format!("{{{{{id}.out}}}}"),
            _ => format!("${id}.out"),
        };
        let step = case.add_call("anything", json!({"value": foreign}))?;
        at(format!("/steps/{step}/config/arguments/value"))
    }),
];

/// A call of the tool that takes anything: one that is there, or a new one.
fn call_of_anything(case: &mut Case, random: &mut Random) -> Option<usize> {
    let there = case.some_step(random, |step| {
        text(step, "/config/tool") == "anything" && list(step, "/depends_on").len() < 2
    });
    match there {
        Some(step) => Some(step),
        None => case.add_call("anything", json!({})),
    }
}

/// Has a call read this.
fn read(case: &mut Case, random: &mut Random, value: &Value) -> Option<Place> {
    let step = call_of_anything(case, random)?;
    let pointer = format!("/steps/{step}/config/arguments");
    case.set(&pointer, "value", value.clone())?;
    let within = if value.is_object() { "/deep/0" } else { "" };
    at(format!("{pointer}/value{within}"))
}

fn some_body_step(case: &Case, random: &mut Random) -> Option<String> {
    let owner = case.some_kind(random, "FAN_OUT")?;
    let body = names(case.steps().get(owner)?, "/config/spawn_steps");
    random.pick(&body).map(|id| (*id).to_owned())
}
