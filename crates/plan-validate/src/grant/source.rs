//! Where the values of a plan's calls come from: config, inputs, and the steps that pass values on.

use std::collections::{BTreeMap, BTreeSet};

use plan_model::{
    ConfigKey, Digest, Input, InputKind, InputName, OnReject, Reference, Root, StepConfig, StepId,
    ValueType,
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
    /// Gives each element of a list to its body: `{list, item, until}`.
    Items(Value),
    /// Collects outputs: `{from, as}`.
    Collects(Value),
    /// Asks a person: `{prompt, approval, on_reject}`.
    Asks(Value),
}

impl Sources {
    /// The sources of a plan that passed every rule.
    pub(super) fn of(facts: &Facts<'_>, gates: &Gates<'_, '_>) -> Self {
        let mut sources = Self::default();
        for each in &facts.uses {
            // what a condition compares and what the plan publishes reaches no call
            let sent = !matches!(
                each.site,
                Site::Expression | Site::Until | Site::PlanOutput(_)
            );
            if sent {
                sources.read(facts, each.reference);
            }
        }
        for input in &facts.plan.inputs {
            // the folder of such an input is a root, whether a call reads it or not
            if input.input_kind == InputKind::DirectoryPath {
                sources.declare(input);
            }
        }
        for (index, step) in facts.steps() {
            if let Some(kind) = RelayKind::of(&step.config) {
                let relay = Relay {
                    kind,
                    within: gates.owner(index),
                };
                sources.relays.insert(step.id.clone(), relay);
            }
        }
        sources
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
                "until": fan_out.until.as_ref().map(plan_model::Expression::source),
            })),
            StepConfig::FanIn(fan_in) => Self::Collects(json!({
                "from": fan_in.from_steps.iter().map(StepId::as_str).collect::<Vec<_>>(),
                "as": fan_in.collect_field.as_str(),
            })),
            StepConfig::HumanInteraction(question) => Self::Asks(json!({
                "prompt": question.prompt.to_value(),
                "approval": question.approval_required,
                "on_reject": match question.on_reject {
                    OnReject::Cancel => "cancel",
                    OnReject::Continue => "continue",
                },
            })),
            StepConfig::ToolCall(_)
            | StepConfig::CodeCall(_)
            | StepConfig::PromptCall(_)
            | StepConfig::AgentCall(_)
            | StepConfig::Condition(_) => return None,
        })
    }
}

/// What an input takes, in the words of the format.
fn takes(input: &Input) -> Value {
    let value_type = match input.value_type {
        ValueType::String => "string",
        ValueType::Number => "number",
        ValueType::Integer => "integer",
        ValueType::Boolean => "boolean",
        ValueType::Object => "object",
        ValueType::Array => "array",
        ValueType::Any => "any",
    };
    let kind = match input.input_kind {
        InputKind::Value => "value",
        InputKind::FilePath => "file_path",
        InputKind::OutputFilePath => "output_file_path",
        InputKind::DirectoryPath => "directory_path",
    };
    let schema = input.schema.as_ref().map(|schema| &schema.0);
    let optional = !input.required && input.default.is_none();
    json!({"value_type": value_type, "input_kind": kind, "schema": schema, "optional": optional})
}
