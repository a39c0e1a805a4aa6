//! Which paths the steps of a plan name, and whether they write them.

use plan_model::{CodeSource, InputKind, Pointer, Root, StepConfig, StepKind, Template, ToolCall};

use super::super::place;
use crate::catalog::CatalogTool;
use crate::facts::Facts;

/// One step that names a path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch<'a> {
    pub(super) step: usize,
    /// The argument; `None` for the file of a script.
    argument: Option<&'a str>,
    pub(super) writes: bool,
}

impl Touch<'_> {
    pub(super) fn is(&self, other: &Self) -> bool {
        (self.step, self.argument) == (other.step, other.argument)
    }

    pub(super) fn pointer(&self) -> Pointer {
        match self.argument {
            Some(name) => place::config(self.step, "arguments").join(name),
            None => place::config(self.step, "file"),
        }
    }

    pub(super) fn verb(&self) -> &'static str {
        if self.writes { "writes" } else { "reads" }
    }
}

/// Calls `visit` for every path that a step names, in document order.
pub(super) fn each<'a>(facts: &Facts<'a>, visit: &mut dyn FnMut(String, Touch<'a>)) {
    let kinds = [StepKind::ToolCall, StepKind::CodeCall];
    for (index, step) in facts.of_kinds(&kinds) {
        // most steps call a tool that takes no path, and are not looked at
        let tool = facts.tool(index);
        if tool.is_some_and(|tool| !may_touch(tool)) {
            continue;
        }
        match (&step.config, tool) {
            (StepConfig::ToolCall(call), Some(tool)) => {
                of_call(facts, index, call, tool, visit);
            }
            (StepConfig::CodeCall(call), _) => {
                let CodeSource::File(file) = &call.source else {
                    continue;
                };
                let touch = Touch {
                    step: index,
                    argument: None,
                    writes: false,
                };
                if let Some(path) = literal(facts, file).and_then(normal) {
                    visit(path, touch);
                }
            }
            _ => {}
        }
    }
}

fn may_touch(tool: &CatalogTool) -> bool {
    !tool.path_arguments().is_empty() || Said::of(tool).is_local()
}

fn of_call<'a>(
    facts: &Facts<'a>,
    step: usize,
    call: &'a ToolCall,
    tool: &CatalogTool,
    visit: &mut dyn FnMut(String, Touch<'a>),
) {
    let said = Said::of(tool);
    for (name, template) in &call.arguments {
        let kind = tool.path_kind(name);
        let writes = match kind {
            Some(InputKind::OutputFilePath) => true,
            Some(InputKind::FilePath) => said == Said::Destroys && tool.path_arguments().len() == 1,
            // steps that share a folder rarely share its files
            Some(InputKind::DirectoryPath) => continue,
            Some(InputKind::Value) | None if said.is_local() => said.writes(),
            Some(InputKind::Value) | None => continue,
        };
        let Some(text) = literal(facts, template) else {
            continue;
        };
        if kind.is_none() && !looks_like_path(text) {
            continue;
        }
        let touch = Touch {
            step,
            argument: Some(name),
            writes,
        };
        if let Some(path) = normal(text) {
            visit(path, touch);
        }
    }
}

/// What the host itself said of a tool's effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    /// Nothing that helps.
    Nothing,
    /// It acts somewhere else.
    Elsewhere,
    /// It reads.
    Reads,
    /// It writes.
    Writes,
    /// It destroys, on this machine.
    Destroys,
}

impl Said {
    fn of(tool: &CatalogTool) -> Self {
        let effects = tool.spec.effects;
        let said = |fact: plan_model::Declared| fact.declared.then_some(fact.holds);
        let kind = tool
            .spec
            .config
            .as_ref()
            .and_then(|config| config.get("kind")?.as_str());
        let destroys = said(effects.destructive) == Some(true);
        match (said(effects.open_world), said(effects.read_only)) {
            (Some(true), _) => Self::Elsewhere,
            _ if kind == Some("http") => Self::Elsewhere,
            (Some(false), _) if destroys => Self::Destroys,
            (_, Some(false)) => Self::Writes,
            (_, Some(true)) => Self::Reads,
            (_, None) if destroys => Self::Writes,
            (_, None) => Self::Nothing,
        }
    }

    /// Whether a text that looks like a path is one of this machine.
    fn is_local(self) -> bool {
        matches!(self, Self::Reads | Self::Writes | Self::Destroys)
    }

    fn writes(self) -> bool {
        matches!(self, Self::Writes | Self::Destroys)
    }
}

/// The text of an argument that is the same in every run.
fn literal<'a>(facts: &Facts<'a>, template: &'a Template) -> Option<&'a str> {
    match template {
        Template::Literal(value) => value.as_str(),
        Template::Reference(reference) if reference.otherwise().is_empty() => {
            let Root::Config(key) = &reference.first().root else {
                return None;
            };
            let value = facts.plan.config.get(key)?;
            value
                .as_str()
                .filter(|_| reference.first().segments.is_empty())
        }
        _ => None,
    }
}

fn looks_like_path(text: &str) -> bool {
    ["/", "./", "../"]
        .iter()
        .any(|start| text.starts_with(start))
        && !text.contains('\n')
}

/// A path without what changes nothing about where it leads.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let start = if path.starts_with('/') { "/" } else { "" };
    (!parts.is_empty()).then(|| format!("{start}{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn ways_to_write_one_path_are_one() {
        for path in ["/a/b", "/a//b/", "/a/./b", "/a/c/../b"] {
            assert_eq!(normal(path).as_deref(), Some("/a/b"), "{path}");
        }
        for path in ["a/b", "./a/b", "x/../a/b"] {
            assert_eq!(normal(path).as_deref(), Some("a/b"), "{path}");
        }
        assert_eq!(normal("../a").as_deref(), Some("../a"));
        assert_eq!(normal("/"), None);
        assert_eq!(normal("."), None);
    }
}
