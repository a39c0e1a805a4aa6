//! What the rules about arguments share: one call, and how its names meet the tool's.

use std::collections::BTreeSet;

use plan_model::{Pointer, StepConfig, ToolCall};

use crate::candidates;
use crate::catalog::CatalogTool;
use crate::facts::{Facts, step_pointer};

/// A call of a tool that is known and not quarantined.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) step: usize,
    pub(super) data: &'a ToolCall,
    pub(super) tool: &'a CatalogTool,
}

/// Every call that can be compared with its tool, in document order.
pub(super) fn calls<'f, 'a: 'f>(facts: &'f Facts<'a>) -> impl Iterator<Item = Call<'a>> + 'f {
    facts.steps().filter_map(|(step, data)| match &data.config {
        StepConfig::ToolCall(call) => {
            let tool = facts.tool(step).filter(|tool| tool.quarantine.is_none())?;
            Some(Call {
                step,
                data: call,
                tool,
            })
        }
        _ => None,
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
