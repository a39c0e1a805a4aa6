//! Where the values of a plan's calls come from: config, inputs, and the steps that pass values on.

use std::collections::{BTreeMap, BTreeSet};

use plan_model::{
    ConfigKey, Digest, Expression, Input, InputKind, InputName, Path, Reference, Root, StepConfig,
    StepId, StepKind,
};
use serde_json::{Map, Value, json};

use super::gates::Gates;
use crate::facts::{Facts, Site};

/// What stands behind the references of a plan's calls. Part of the grant: a plan that sends `${conf.to}`
/// may do something else once `to` is another address.
#[derive(Debug, Clone, Default)]
pub(super) struct Sources {
    /// The config values that calls read.
    pub(super) config: BTreeMap<ConfigKey, Value>,
    /// What each input that calls read takes: type, kind and schema.
    pub(super) inputs: BTreeMap<InputName, Value>,
    /// What these inputs are where the caller says nothing. Of a sensitive one the digest.
    pub(super) defaults: BTreeMap<InputName, Value>,
    /// The steps that have no effect and pass values on, or ask a person.
    pub(super) relays: BTreeMap<StepId, Relay>,
}

/// A step that passes values on, or asks a person.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Relay {
    pub(super) kind: RelayKind,
    /// The fan-out that it is in.
    pub(super) within: Option<StepId>,
}

/// What such a step does, as its JSON form.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RelayKind {
    /// Gives each element of a list to its body: `{list, item, until, gives, on_error}`.
    Items(Value),
    /// Collects outputs: `{from, as}`.
    Collects(Value),
    /// Asks a person: `{prompt, approval, on_reject}`.
    Asks(Value),
    /// Decides, where its result is passed on: its expression.
    Decides(Value),
}

impl Sources {
    /// The sources of a plan that passed every rule.
    pub(super) fn of(facts: &Facts<'_>, gates: &Gates<'_, '_>) -> Self {
        let mut sources = Self::default();
        let mut deciding = BTreeSet::new();
        for each in &facts.uses {
            // what the plan publishes reaches no call, nor what a condition compares unless its result does
            if !matches!(each.site, Site::Expression | Site::PlanOutput(_)) {
                if each.glance.input() || each.glance.config() {
                    sources.read(facts, each.reference);
                }
                let mut read = each.steps();
                if read.any(|step| facts.kind(step) == Some(StepKind::Condition)) {
                    deciding.extend(decided(facts, each.reference));
                }
            }
        }
        for input in &facts.plan.inputs {
            // the folder of such an input is a root, whether a call reads it or not
            if input.input_kind == InputKind::DirectoryPath {
                sources.declare(input);
            }
        }
        let kinds = [
            StepKind::FanOut,
            StepKind::FanIn,
            StepKind::HumanInteraction,
        ];
        for (index, step) in facts.of_kinds(&kinds) {
            let collected = match &step.config {
                StepConfig::FanIn(fan_in) => &fan_in.from_steps[..],
                StepConfig::FanOut(fan_out) => fan_out.spawn_steps.as_slice(),
                _ => &[],
            };
            let collected = collected.iter().filter_map(|id| facts.index_of(id));
            deciding.extend(collected.filter(|index| expression(facts, *index).is_some()));
            if let Some(kind) = RelayKind::of(&step.config) {
                sources.relay(facts, gates, index, kind);
            }
        }
        sources.decide(facts, gates, deciding);
        sources
    }

    fn relay(&mut self, facts: &Facts<'_>, gates: &Gates<'_, '_>, index: usize, kind: RelayKind) {
        if let Some(step) = facts.step(index) {
            let within = gates.owner(index);
            self.relays.insert(step.id.clone(), Relay { kind, within });
        }
    }

    /// Conditions whose results are passed on, and what stands behind these.
    fn decide(&mut self, facts: &Facts<'_>, gates: &Gates<'_, '_>, deciding: BTreeSet<usize>) {
        let mut seen = deciding.clone();
        let mut left: Vec<usize> = deciding.into_iter().collect();
        while let Some(index) = left.pop() {
            let Some(expression) = expression(facts, index) else {
                continue;
            };
            for reference in expression.references() {
                self.read(facts, reference);
                left.extend(decided(facts, reference).filter(|index| seen.insert(*index)));
            }
            let decides = RelayKind::Decides(expression.source().into());
            self.relay(facts, gates, index, decides);
        }
    }

    fn read(&mut self, facts: &Facts<'_>, reference: &Reference) {
        for path in reference.paths() {
            match &path.root {
                Root::Config(key) if !self.config.contains_key(key) => {
                    if let Some(value) = facts.plan.config.get(key) {
                        self.config.insert(key.clone(), value.clone());
                    }
                }
                Root::Input(name) if !self.inputs.contains_key(name) => {
                    if let Some((_, input)) = facts.input(name.as_str()) {
                        self.declare(input);
                    }
                }
                _ => {}
            }
        }
    }

    fn declare(&mut self, input: &Input) {
        self.inputs.insert(input.name.clone(), takes(input));
        if let Some(default) = &input.default {
            let shown = if input.sensitive {
                json!({"sha256": Digest::of_json(default).to_string()})
            } else {
                json!({"is": default})
            };
            self.defaults.insert(input.name.clone(), shown);
        }
    }

    /// As JSON, for the grant's own form.
    pub(super) fn to_value(&self) -> Value {
        let text = |key: &dyn std::fmt::Display| key.to_string();
        let config: Map<String, Value> = self
            .config
            .iter()
            .map(|(key, value)| (text(key), value.clone()))
            .collect();
        let inputs: Map<String, Value> = self
            .inputs
            .iter()
            .map(|(name, takes)| {
                let default = self.defaults.get(name);
                (text(name), json!({"takes": takes, "default": default}))
            })
            .collect();
        let relays: Map<String, Value> = self
            .relays
            .iter()
            .map(|(step, relay)| (text(step), relay.to_value()))
            .collect();
        json!({"config": config, "inputs": inputs, "steps": relays})
    }
}

impl Relay {
    fn to_value(&self) -> Value {
        let (name, value) = match &self.kind {
            RelayKind::Items(value) => ("items", value),
            RelayKind::Collects(value) => ("collects", value),
            RelayKind::Asks(value) => ("asks", value),
            RelayKind::Decides(value) => ("decides", value),
        };
        let mut members = Map::new();
        members.insert(name.to_owned(), value.clone());
        place(&mut members, self.within.as_ref(), &BTreeSet::new());
        Value::Object(members)
    }
}

/// Adds `within` and `behind`, where there is something to say.
pub(super) fn place(
    members: &mut Map<String, Value>,
    within: Option<&StepId>,
    behind: &BTreeSet<StepId>,
) {
    if let Some(owner) = within {
        members.insert("within".to_owned(), owner.as_str().into());
    }
    if !behind.is_empty() {
        let gates: Vec<&str> = behind.iter().map(StepId::as_str).collect();
        members.insert("behind".to_owned(), json!(gates));
    }
}

impl RelayKind {
    fn of(config: &StepConfig) -> Option<Self> {
        Some(match config {
            StepConfig::FanOut(fan_out) => Self::Items(json!({
                "list": fan_out.over.to_string(),
                "item": fan_out.item_var.as_str(),
                "until": fan_out.until.as_ref().map(Expression::source),
                // the outputs of the last one are the results
                "gives": fan_out.spawn_steps.last().map(StepId::as_str),
                "on_error": fan_out.on_item_error.as_str(),
            })),
            StepConfig::FanIn(fan_in) => Self::Collects(json!({
                "from": fan_in.from_steps.iter().map(StepId::as_str).collect::<Vec<_>>(),
                "as": fan_in.collect_field.as_str(),
            })),
            StepConfig::HumanInteraction(question) => Self::Asks(json!({
                "prompt": question.prompt.to_value(),
                "approval": question.approval_required,
                "on_reject": question.on_reject.as_str(),
            })),
            StepConfig::ToolCall(_)
            | StepConfig::CodeCall(_)
            | StepConfig::PromptCall(_)
            | StepConfig::AgentCall(_)
            | StepConfig::Condition(_) => return None,
        })
    }
}

/// The conditions whose results a reference reads.
fn decided<'a>(facts: &'a Facts<'_>, reference: &'a Reference) -> impl Iterator<Item = usize> + 'a {
    // no other output is looked up: most references read none of a condition
    let results = reference
        .paths()
        .filter(|path| path.output().is_none_or(|output| output == "result"));
    let read = results.filter_map(Path::step);
    read.filter_map(|id| facts.index_of(id))
        .filter(|index| expression(facts, *index).is_some())
}

fn expression<'a>(facts: &Facts<'a>, step: usize) -> Option<&'a Expression> {
    match &facts.step(step)?.config {
        StepConfig::Condition(condition) => Some(&condition.expression),
        _ => None,
    }
}

/// What an input takes, in the words of the format.
fn takes(input: &Input) -> Value {
    let (value_type, kind) = (input.value_type.as_str(), input.input_kind.as_str());
    let schema = input.schema.as_ref().map(|schema| &schema.0);
    let optional = !input.required && input.default.is_none();
    let mut takes = json!({"value_type": value_type, "input_kind": kind, "schema": schema, "optional": optional});
    if let (true, Some(members)) = (input.sensitive, takes.as_object_mut()) {
        members.insert("sensitive".to_owned(), true.into());
    }
    takes
}
