//! P503, P505, P506, P507 and P510.

use serde_json::Value;

use super::Opinion;
use super::view::{StepView, View};
use crate::within::names;

/// Attempts of one step, by default.
const ATTEMPTS: u64 = 64;
/// Seconds of a week.
const WEEK: f64 = 604_800.0;

pub(super) fn look(view: &View<'_>, opinion: &mut Opinion) {
    for step in &view.steps {
        match step.kind {
            "CONDITION" => branches(view, step, opinion),
            "FAN_IN" => sources(step, opinion),
            "HUMAN_INTERACTION" => question(view, step, opinion),
            _ => {}
        }
        retry(step, opinion);
    }
}

fn branches(view: &View<'_>, step: &StepView<'_>, opinion: &mut Opinion) {
    let scope = |step: &StepView<'_>| view.owner(step).map(|owner| owner.at);
    let chosen = names(step.value, "/config/true_steps");
    for list in ["true_steps", "false_steps"] {
        let targets = names(step.value, &format!("/config/{list}"));
        for (at, id) in targets.iter().copied().enumerate() {
            let is_repeated = targets.iter().take(at).any(|other| *other == id);
            let is_wrong = match view.step(id) {
                None => false,
                Some(_) if is_repeated => false,
                Some(target) => {
                    let is_in_both = list == "false_steps" && chosen.contains(&id);
                    let waits = view.waits(target.at, step.at);
                    target.at == step.at || is_in_both || scope(target) != scope(step) || !waits
                }
            };
            if is_wrong {
                opinion.say("P503", step.place(&format!("/config/{list}/{at}")));
            }
        }
    }
}

fn sources(step: &StepView<'_>, opinion: &mut Opinion) {
    let sources = names(step.value, "/config/from_steps");
    if sources.is_empty() {
        opinion.say("P505", step.place("/config/from_steps"));
    }
    for (at, id) in sources.iter().enumerate() {
        let is_repeated = sources.iter().take(at).any(|other| other == id);
        if is_repeated || *id == step.id {
            opinion.say("P505", step.place(&format!("/config/from_steps/{at}")));
        }
    }
}

fn question(view: &View<'_>, step: &StepView<'_>, opinion: &mut Opinion) {
    if view.owner(step).is_some() {
        opinion.say("P506", step.place("/config/type"));
    }
    if step.config("prompt").trim().is_empty() {
        opinion.say("P507", step.place("/config/prompt"));
    }
}

fn retry(step: &StepView<'_>, opinion: &mut Opinion) {
    let attempts = step
        .value
        .pointer("/retry/max_attempts")
        .and_then(Value::as_u64);
    let delay = step
        .value
        .pointer("/retry/delay_secs")
        .and_then(Value::as_f64);
    let makes_none = ["FAN_OUT", "FAN_IN", "CONDITION", "HUMAN_INTERACTION"].contains(&step.kind);
    if attempts.is_some_and(|attempts| {
        attempts == 0 || attempts > ATTEMPTS || (attempts > 1 && makes_none)
    }) {
        opinion.say("P510", step.place("/retry/max_attempts"));
    }
    if delay.is_some_and(|delay| delay > WEEK) {
        opinion.say("P510", step.place("/retry/delay_secs"));
    }
}
