//! `TOOL_CALL`: one call of one tool.

use std::collections::BTreeMap;

use crate::site::{Site, Source, VisitSource};
use crate::{Template, ToolName};

/// Calls a tool with named arguments.
///
/// Outputs are the members of the result object; any other result is `result`.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The tool, matched byte for byte against the catalog.
    pub tool: ToolName,
    /// The arguments by name.
    pub arguments: BTreeMap<String, Template>,
}

impl ToolCall {
    pub(crate) fn each_source<'a>(&'a self, visit: &mut VisitSource<'_, 'a>) {
        for (name, argument) in &self.arguments {
            visit(
                &[&"arguments", name],
                Site::Argument,
                Source::Template(argument),
            );
        }
    }
}
