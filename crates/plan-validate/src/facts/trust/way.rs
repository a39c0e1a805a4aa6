//! The way of an untrusted value from its source, for people.

use plan_model::{Pointer, StepConfig};

use super::{Cause, Distrust};
use crate::facts::{Facts, Site, step_pointer};
use crate::text::quoted;

/// The most places of a way that are told: the source, and those nearest to the reader.
const MOST: usize = 50;

/// The way of an untrusted value from its source to the place that reads it.
#[derive(Debug)]
pub(crate) struct Way {
    /// What would make the source a trusted one, where something could.
    pub(crate) vouch: Option<String>,
    /// The places on the way, the source first.
    pub(crate) places: Vec<(Pointer, String)>,
}

impl Distrust<'_> {
    /// The source in words: "step `fetch`", "the input `query`".
    pub(crate) fn source(&self, facts: &Facts<'_>, cause: Cause) -> String {
        source(facts, self.source_of(cause)).0
    }

    /// The way back from `cause`.
    pub(crate) fn way(&self, facts: &Facts<'_>, cause: Cause) -> Way {
        let (_, vouch, pointer, note) = source(facts, self.source_of(cause));
        let (mut places, mut at) = (Vec::new(), cause);
        while let Some(next) = self.before(at)
            && places.len() + 1 < MOST
        {
            places.push(self.passing(facts, at, next));
            at = next;
        }
        places.push((pointer, note));
        places.reverse();
        Way { vouch, places }
    }

    fn passing(&self, facts: &Facts<'_>, cause: Cause, before: Cause) -> (Pointer, String) {
        match cause {
            Cause::Output(step) => {
                let place = self.place(facts, step, before);
                (place, format!("passes through {}", named(facts, step)))
            }
            Cause::Failures(step) => (
                step_pointer(step).join("config").join("on_item_error"),
                format!("is told by a failure that {} collects", named(facts, step)),
            ),
            Cause::Item(step) => (
                step_pointer(step).join("config").join("over"),
                format!("is in the list of {}", named(facts, step)),
            ),
            Cause::Input(input) => (Pointer::root().join("inputs").join(input), String::new()),
        }
    }

    /// Where a step takes in what it passes on.
    fn place(&self, facts: &Facts<'_>, step: usize, before: Cause) -> Pointer {
        let mut uses = facts.uses_of(step).iter();
        let read = uses.find(|read| {
            read.site != Site::Until && self.cause(facts, step, read.reference) == Some(before)
        });
        let config = step_pointer(step).join("config");
        match (facts.step(step).map(|step| &step.config), read) {
            (Some(StepConfig::FanOut(_)), _) => config.join("spawn_steps"),
            (Some(StepConfig::FanIn(_)), _) => config.join("from_steps"),
            (_, Some(read)) => read.pointer(),
            (_, None) => config,
        }
    }
}

/// The source in words, what would make it trusted, its place, and what to say there.
fn source(facts: &Facts<'_>, cause: Cause) -> (String, Option<String>, Pointer, String) {
    match cause {
        Cause::Input(input) => {
            let name = facts
                .plan
                .inputs
                .get(input)
                .map_or("", |it| it.name.as_str());
            let name = format!("the input {}", quoted(name));
            let note = format!("comes from {name}, and the policy does not trust callers");
            let vouch = "take `inputs` out of `untrusted_sources` of the policy".to_owned();
            let at = Pointer::root().join("inputs").join(input);
            (name, Some(vouch), at, note)
        }
        Cause::Output(step) | Cause::Failures(step) | Cause::Item(step) => {
            let id = facts.step(step).map_or("", |step| step.id.as_str());
            let (what, vouch) = match facts.step(step).map(|step| &step.config) {
                Some(StepConfig::ToolCall(call)) => (
                    "whose output is untrusted",
                    Some(format!(
                        "declare `output_trust: trusted` for the tool {}, if its results may steer calls",
                        quoted(&call.tool)
                    )),
                ),
                Some(StepConfig::CodeCall(call)) => (
                    "a script, which may read more than it is handed",
                    Some(format!(
                        "declare `output_trust: trusted` for the language {}, if its scripts read only what they are handed",
                        quoted(&call.language)
                    )),
                ),
                Some(StepConfig::HumanInteraction(_)) => (
                    "an answer, and the policy does not trust answers",
                    Some("take `answers` out of `untrusted_sources` of the policy".to_owned()),
                ),
                Some(StepConfig::AgentCall(_)) => ("an agent's answer", None),
                _ => ("which is untrusted", None),
            };
            let name = format!("step {}", quoted(id));
            let note = format!("comes from {name}, {what}");
            (name, vouch, step_pointer(step), note)
        }
    }
}

/// A step that passes something on, with the word for its kind.
fn named(facts: &Facts<'_>, step: usize) -> String {
    let Some(step) = facts.step(step) else {
        return String::new();
    };
    let kind = match &step.config {
        StepConfig::ToolCall(_) => "call",
        StepConfig::CodeCall(_) => "script",
        StepConfig::PromptCall(_) => "prompt",
        StepConfig::AgentCall(_) => "agent",
        StepConfig::HumanInteraction(_) => "question",
        StepConfig::Condition(_) => "condition",
        StepConfig::FanOut(_) => "fan-out",
        StepConfig::FanIn(_) => "fan-in",
    };
    format!("{kind} {}", quoted(&step.id))
}
