//! What a step delivers under which name, by its kind and its tool.

use std::cell::OnceCell;

use plan_model::{HumanInteraction, OnItemError, PromptCall, Shape, Step, StepConfig, ValueType};

use crate::facts::Facts;
use crate::text::listed;

/// What a step delivers.
#[derive(Debug)]
pub(super) struct Deliveries<'a> {
    /// The output that the kind always has, where its declaration may not leave it out.
    pub(super) own: Option<&'a str>,
    /// What is known, by name.
    known: Vec<(&'a str, Shape)>,
    /// What is known of every other name.
    others: Others,
    /// The names that are known, for messages.
    listed: OnceCell<String>,
}

#[derive(Debug)]
enum Others {
    /// There is none.
    None,
    /// There may be any.
    Any,
    /// They are members of this object.
    Members(Shape),
    /// There is one value, which a single declared output takes, whatever its name.
    Whole(Shape),
}

/// What a step delivers under one name.
#[derive(Debug)]
pub(super) enum Delivery {
    /// A value of this shape.
    Shape(Shape),
    /// Perhaps something, perhaps not.
    Unknown,
    /// Nothing.
    Never,
}

impl<'a> Deliveries<'a> {
    pub(super) fn of(facts: &Facts<'a>, index: usize, step: &'a Step) -> Self {
        match &step.config {
            StepConfig::ToolCall(_) => Self {
                own: None,
                known: Vec::new(),
                others: of_tool(facts, index),
                listed: OnceCell::new(),
            },
            StepConfig::CodeCall(_) | StepConfig::AgentCall(_) => Self {
                own: None,
                known: Vec::new(),
                others: Others::Any,
                listed: OnceCell::new(),
            },
            StepConfig::PromptCall(call) => of_prompt(call),
            StepConfig::HumanInteraction(ask) => of_person(ask),
            StepConfig::Condition(_) => Self::only("result", of_type(ValueType::Boolean)),
            StepConfig::FanOut(fan) => {
                let mut results = Self::only("results", of_type(ValueType::Array));
                if fan.on_item_error == OnItemError::Collect {
                    results.known.push(("errors", of_type(ValueType::Array)));
                }
                results
            }
            StepConfig::FanIn(fan) => {
                Self::only(fan.collect_field.as_str(), of_type(ValueType::Array))
            }
        }
    }

    fn only(own: &'a str, shape: Shape) -> Self {
        Self {
            own: Some(own),
            known: vec![(own, shape)],
            others: Others::None,
            listed: OnceCell::new(),
        }
    }

    /// What is delivered under a name; `alone`: whether it is the only declared output.
    pub(super) fn get(&self, name: &str, alone: bool) -> Delivery {
        if let Some((_, shape)) = self.known.iter().find(|(known, _)| *known == name) {
            return Delivery::Shape(shape.clone());
        }
        match &self.others {
            Others::None => Delivery::Never,
            Others::Any => Delivery::Unknown,
            Others::Whole(shape) if alone || name == "result" => Delivery::Shape(shape.clone()),
            Others::Whole(_) => Delivery::Never,
            Others::Members(object) => match object.property(name) {
                Some(shape) => Delivery::Shape(shape),
                // the text of a tool that delivers text is read as the one output's type
                None if alone && object.requires("stdout") => Delivery::Unknown,
                None if alone => Delivery::Shape(object.clone()),
                None => Delivery::Never,
            },
        }
    }

    /// What is delivered, in words.
    pub(super) fn listed(&self) -> &str {
        self.listed.get_or_init(|| match self.names().next() {
            Some(_) => listed(self.names()),
            None => "one value".to_owned(),
        })
    }

    /// The names that are known.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let members = match &self.others {
            Others::Members(object) => Some(object.member_names()),
            Others::None | Others::Any | Others::Whole(_) => None,
        };
        let known = self.known.iter().map(|(name, _)| *name);
        known.chain(members.into_iter().flatten())
    }
}

fn of_tool(facts: &Facts<'_>, index: usize) -> Others {
    let Some(tool) = facts.tool(index).filter(|tool| tool.quarantine.is_none()) else {
        return Others::Any;
    };
    let result = tool.result_shape();
    if result.is_nothing() || result.is_any() {
        Others::Any
    } else if result.is_only(ValueType::Object) {
        Others::Members(result.clone())
    } else if result.may_be(ValueType::Object) {
        Others::Any
    } else {
        Others::Whole(result.clone())
    }
}

/// The answer; members of an answer that has a schema may be declared beside it.
fn of_prompt(call: &PromptCall) -> Deliveries<'_> {
    let field = call.output_field.as_str();
    let answer = call.output_schema.as_ref().map(Shape::of_schema);
    Deliveries {
        own: Some(field),
        known: vec![(field, answer.clone().unwrap_or_default())],
        others: match answer {
            Some(answer) if answer.is_only(ValueType::Object) => Others::Members(answer),
            _ => Others::None,
        },
        listed: OnceCell::new(),
    }
}

/// The answer as text; of an approval whether it was given.
fn of_person(ask: &HumanInteraction) -> Deliveries<'_> {
    let answer = if ask.approval_required {
        of_type(ValueType::Boolean).join(&of_type(ValueType::String))
    } else {
        of_type(ValueType::String)
    };
    Deliveries::only(ask.response_field.as_str(), answer)
}

fn of_type(value_type: ValueType) -> Shape {
    Shape::declared(value_type, None)
}
