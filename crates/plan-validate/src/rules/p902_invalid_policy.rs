//! P902 invalid-policy: a policy that says something wrong, or that names what the catalog does not have.

use std::collections::BTreeSet;

use plan_model::Pointer;

use crate::candidates;
use crate::catalog::{CatalogTool, ToolCatalog};
use crate::finding::{Finding, Severity};
use crate::policy::Policy;
use crate::rule::{Check, Rule};
use crate::text;

pub(crate) const RULE: Rule = Rule::new(
    "P902",
    "invalid-policy",
    Severity::Error,
    include_str!("../../rules/P902-invalid-policy.md"),
    Check::Elsewhere,
);

/// Warnings about names that the catalog does not have.
pub(crate) fn against(policy: &Policy, catalog: &ToolCatalog) -> Vec<Finding> {
    let at = |path: &[&str]| {
        let mut pointer = Pointer::root();
        for segment in path {
            pointer.push(segment);
        }
        pointer
    };
    let tools: BTreeSet<&str> = catalog
        .tools()
        .map(|tool| tool.spec.name.as_str())
        .collect();
    let languages: BTreeSet<&str> = catalog.languages().keys().map(AsRef::as_ref).collect();
    let agents: BTreeSet<&str> = catalog.agents().keys().map(AsRef::as_ref).collect();
    let mut unknown = Unknown(Vec::new());
    unknown.look(
        "tool",
        &at(&["tools"]),
        names(policy.tools.as_ref()),
        &tools,
    );
    for (name, arguments) in &policy.arguments {
        let place = at(&["arguments", name.as_str()]);
        match catalog.tool(name) {
            Some(tool) => unknown.look_at_arguments(tool, &place, arguments.keys()),
            None => unknown.look("tool", &place, [name], &tools),
        }
    }
    let approval = &policy.require_approval.tools;
    unknown.look(
        "tool",
        &at(&["require_approval", "tools"]),
        approval,
        &tools,
    );
    unknown.look(
        "language",
        &at(&["languages"]),
        names(policy.languages.as_ref()),
        &languages,
    );
    unknown.look(
        "agent",
        &at(&["agents"]),
        names(policy.agents.as_ref()),
        &agents,
    );
    if let Some(models) = catalog.models() {
        let models: BTreeSet<&str> = models.keys().map(AsRef::as_ref).collect();
        unknown.look(
            "model",
            &at(&["models"]),
            names(policy.models.as_ref()),
            &models,
        );
    }
    unknown.0
}

fn names<T>(listed: Option<&BTreeSet<T>>) -> impl Iterator<Item = &T> {
    listed.into_iter().flatten()
}

struct Unknown(Vec<Finding>);

impl Unknown {
    /// A rule for an argument that the tool does not have leaves no call of the tool.
    fn look_at_arguments<'n>(
        &mut self,
        tool: &CatalogTool,
        at: &Pointer,
        named: impl IntoIterator<Item = &'n String>,
    ) {
        if tool.takes_other_arguments() {
            return;
        }
        for name in named {
            if tool.argument(name).is_none() {
                let message = format!(
                    "the tool {} has no argument {}",
                    text::quoted(&tool.spec.name),
                    text::quoted(name)
                );
                let known = tool.arguments().map(|(name, _)| name);
                let known: Vec<&str> = known.collect();
                let ranked = candidates::ranked(name, known.iter().copied());
                let finding = RULE.at(at.join(name), message).candidates(ranked);
                self.0.push(finding.severity(Severity::Warning));
            }
        }
    }

    fn look<'n, T: AsRef<str> + 'n>(
        &mut self,
        kind: &str,
        at: &Pointer,
        named: impl IntoIterator<Item = &'n T>,
        known: &BTreeSet<&str>,
    ) {
        for name in named {
            let name = name.as_ref();
            if known.contains(name) {
                continue;
            }
            let message = format!("the catalog has no {kind} {}", text::quoted(name));
            let close = candidates::closest(name, known.iter().copied());
            let finding = RULE.at(at.clone(), message).candidates(close);
            self.0.push(finding.severity(Severity::Warning));
        }
    }
}
