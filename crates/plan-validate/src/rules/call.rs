//! What the rules about arguments share: one call, and how its names meet the tool's.

use std::collections::BTreeSet;

use plan_model::{Pointer, Step, StepConfig, StepKind, ToolCall};

use crate::candidates;
use crate::catalog::CatalogTool;
use crate::facts::{Facts, step_pointer};
use crate::visit::Visit;

/// A call of a tool that is known and not quarantined.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) step: usize,
    pub(super) data: &'a ToolCall,
    pub(super) tool: &'a CatalogTool,
}

/// The call of a step, where it makes one that can be compared with its tool.
pub(super) fn of<'a>(facts: &Facts<'a>, visit: &Visit<'_, 'a>) -> Option<Call<'a>> {
    of_step(facts, visit.index, visit.step)
}

/// Every such call of a tool of which `wanted` holds, in document order. Steps that call other tools are not looked at.
pub(super) fn calls_of<'f, 'a: 'f>(
    facts: &'f Facts<'a>,
    wanted: fn(&CatalogTool) -> bool,
) -> impl Iterator<Item = Call<'a>> + 'f {
    let steps = facts.of_kind(StepKind::ToolCall).iter();
    let steps = steps.filter(move |step| facts.tool(**step).is_some_and(wanted));
    steps.filter_map(|step| of_step(facts, *step, facts.step(*step)?))
}

fn of_step<'a>(facts: &Facts<'a>, index: usize, step: &'a Step) -> Option<Call<'a>> {
    let StepConfig::ToolCall(data) = &step.config else {
        return None;
    };
    let tool = facts.tool(index).filter(|tool| tool.quarantine.is_none())?;
    Some(Call {
        step: index,
        data,
        tool,
    })
}

impl<'a> Call<'a> {
    /// The pointer of the arguments object.
    pub(super) fn pointer(&self) -> Pointer {
        let mut pointer = step_pointer(self.step);
        pointer.push("config");
        pointer.push("arguments");
        pointer
    }

    /// Required arguments that the call does not give, in the order of their names.
    pub(super) fn missing(&self) -> Vec<&'a str> {
        let arguments = self.tool.arguments();
        arguments
            .filter(|(name, argument)| {
                argument.required && !self.data.arguments.contains_key(*name)
            })
            .map(|(name, _)| name)
            .collect()
    }

    /// Arguments that the tool does not have, each with the required one that it was probably meant to be.
    pub(super) fn unknown(&self) -> Vec<(&'a str, Option<&'a str>)> {
        if self.tool.takes_other_arguments() {
            return Vec::new();
        }
        let names = self.data.arguments.keys().map(String::as_str);
        let unknown: Vec<&str> = names
            .filter(|name| self.tool.argument(name).is_none())
            .collect();
        if unknown.is_empty() {
            return Vec::new();
        }
        let mut missing: BTreeSet<&str> = self.missing().into_iter().collect();
        let pair = |name: &'a str| {
            let close = candidates::closest(name, missing.iter().copied());
            let meant = close.first().copied();
            if let Some(meant) = meant {
                missing.remove(meant);
            }
            (name, meant)
        };
        unknown.into_iter().map(pair).collect()
    }
}
