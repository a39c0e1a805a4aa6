//! What a step delivers, as far as its plan and its tool say.

use std::collections::HashSet;

use plan_model::{Output, Shape, Step, StepConfig, ValueType};

use super::Facts;
use crate::catalog::CatalogTool;

/// What a step delivers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outputs<'a> {
    step: Option<&'a Step>,
    tool: Option<&'a CatalogTool>,
}

impl<'a> Outputs<'a> {
    pub(super) fn of(facts: &Facts<'a>, step: usize) -> Self {
        Self {
            step: facts.step(step),
            tool: facts.tool(step),
        }
    }

    /// The names that are known: declared ones in their order, then the kind's own, then the tool's.
    pub(crate) fn names(&self) -> Vec<&'a str> {
        let Some(step) = self.step else {
            return Vec::new();
        };
        let declared = step.outputs.iter().map(|output| output.name.as_str());
        let own = own(&step.config).iter().map(|(name, _)| *name);
        let field = field(&step.config);
        let mut seen = HashSet::new();
        let names = declared.chain(field).chain(own).chain(self.tool_names());
        names.filter(|name| seen.insert(*name)).collect()
    }

    /// Whether the step can deliver nothing but [`Outputs::names`].
    ///
    /// Where neither declared outputs nor a closed output schema name an output, any name is accepted.
    pub(crate) fn is_closed(&self) -> bool {
        let Some(step) = self.step else { return false };
        match &step.config {
            StepConfig::ToolCall(_) => {
                !step.outputs.is_empty() || self.tool.is_some_and(CatalogTool::has_closed_outputs)
            }
            _ => true,
        }
    }

    /// The shape of one output; `None` where the step can have no such output.
    pub(super) fn shape(&self, name: &str, declared: Option<&Output>) -> Option<Shape> {
        let step = self.step?;
        if let Some(output) = declared {
            let delivered = self.delivered(step, output);
            if output.value_type == ValueType::Any && output.schema.is_none() {
                return Some(
                    delivered
                        .or_else(|| kind_shape(step, name))
                        .unwrap_or_default(),
                );
            }
            let declared = Shape::declared(output.value_type, output.schema.as_ref());
            // a declaration that the tool contradicts is P413's
            let both = delivered.map(|delivered| declared.meet(&delivered));
            return Some(both.filter(|both| !both.is_nothing()).unwrap_or(declared));
        }
        if let Some(shape) = self.tool.and_then(|tool| tool.output_shape(name)) {
            return Some(shape.clone());
        }
        match kind_shape(step, name) {
            Some(shape) => Some(shape),
            None if self.is_closed() => None,
            None => Some(Shape::any()),
        }
    }

    /// What the tool is sure to deliver under a declared name; `None` where that is not known.
    ///
    /// The only declared output gets the whole result where the result has no such member.
    fn delivered(&self, step: &Step, output: &Output) -> Option<Shape> {
        let tool = self.tool.filter(|tool| tool.quarantine.is_none())?;
        let result = tool.result_shape();
        let name = output.name.as_str();
        let alone = step.outputs.len() == 1;
        if result.is_nothing() || result.is_any() {
            return None;
        }
        if result.is_only(ValueType::Object) {
            return match result.property(name) {
                Some(_) if alone && !result.requires(name) => None,
                Some(shape) => Some(shape),
                // what a program printed may be read as the output's type
                None if alone && !result.requires("stdout") => Some(result.clone()),
                None => None,
            };
        }
        // a text may be read as the output's type
        let is_plain = !result.may_be(ValueType::Object) && !result.may_be(ValueType::String);
        (is_plain && (alone || name == "result")).then(|| result.clone())
    }

    fn tool_names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.tool.into_iter().flat_map(CatalogTool::output_names)
    }
}

/// The outputs that a kind always has, with their types.
pub(crate) fn own(config: &StepConfig) -> &'static [(&'static str, ValueType)] {
    match config {
        StepConfig::CodeCall(_) => &[
            ("stdout", ValueType::String),
            ("stderr", ValueType::String),
            ("exit_code", ValueType::Integer),
        ],
        StepConfig::AgentCall(_) => &[("report", ValueType::String)],
        StepConfig::Condition(_) => &[("result", ValueType::Boolean)],
        StepConfig::FanOut(fan) => match fan.on_item_error {
            plan_model::OnItemError::Fail => &[("results", ValueType::Array)],
            plan_model::OnItemError::Collect => {
                &[("results", ValueType::Array), ("errors", ValueType::Array)]
            }
        },
        StepConfig::ToolCall(_)
        | StepConfig::PromptCall(_)
        | StepConfig::HumanInteraction(_)
        | StepConfig::FanIn(_) => &[],
    }
}

/// The output whose name the configuration chooses.
pub(crate) fn field(config: &StepConfig) -> Option<&str> {
    match config {
        StepConfig::PromptCall(call) => Some(call.output_field.as_str()),
        StepConfig::HumanInteraction(ask) => Some(ask.response_field.as_str()),
        StepConfig::FanIn(fan) => Some(fan.collect_field.as_str()),
        _ => None,
    }
}

fn kind_shape(step: &Step, name: &str) -> Option<Shape> {
    if let Some((_, value_type)) = own(&step.config).iter().find(|(own, _)| *own == name) {
        return Some(Shape::declared(*value_type, None));
    }
    if field(&step.config) != Some(name) {
        return None;
    }
    Some(match &step.config {
        StepConfig::PromptCall(call) => match &call.output_schema {
            Some(schema) => Shape::of_schema(schema),
            None => Shape::declared(ValueType::String, None),
        },
        StepConfig::HumanInteraction(ask) if ask.approval_required => {
            Shape::declared(ValueType::Boolean, None)
        }
        StepConfig::HumanInteraction(_) => Shape::declared(ValueType::String, None),
        StepConfig::FanIn(_) => Shape::declared(ValueType::Array, None),
        _ => Shape::any(),
    })
}
