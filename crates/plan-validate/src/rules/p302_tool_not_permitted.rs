//! P302 tool-not-permitted: something that exists, and that the catalog or the policy does not allow.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use plan_model::{Pointer, Root, StepConfig, StepKind};

use super::further;
use crate::facts::{Facts, step_pointer};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text;

pub(super) const RULE: Rule = Rule::new(
    "P302",
    "tool-not-permitted",
    Severity::Error,
    include_str!("../../rules/P302-tool-not-permitted.md"),
    Check::Plan(check),
);

/// What is not allowed, and the line that would allow it. Ordered, so that each is told once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Refused {
    what: String,
    line: String,
}

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut places: BTreeMap<Refused, Vec<Pointer>> = BTreeMap::new();
    let mut put = |refused: Option<Refused>, at: &dyn Fn() -> Pointer| {
        if let Some(refused) = refused {
            places.entry(refused).or_default().push(at());
        }
    };
    let policy = facts.policy;
    for index in facts.of_kind(StepKind::ToolCall) {
        let field = || step_pointer(*index).join("config").join("tool");
        put(tool(facts, *index), &field);
    }
    let others = [
        StepKind::CodeCall,
        StepKind::PromptCall,
        StepKind::AgentCall,
    ];
    for (index, step) in facts.of_kinds(&others) {
        let field = |name: &str| step_pointer(index).join("config").join(name);
        match &step.config {
            StepConfig::CodeCall(call) => {
                let known = facts.catalog.languages().contains_key(&call.language);
                let listed = policy.languages.as_ref().filter(|_| known);
                put(unlisted("language", &call.language, listed), &|| {
                    field("language")
                });
            }
            StepConfig::PromptCall(call) => {
                let known = facts.catalog.models();
                let known = known.is_none_or(|known| known.contains_key(&call.model));
                let listed = policy.models.as_ref().filter(|_| known);
                put(unlisted("model", &call.model, listed), &|| field("model"));
            }
            StepConfig::AgentCall(call) => {
                if let Some(agent) = &call.agent {
                    let known = facts.catalog.agents().contains_key(agent);
                    let listed = policy.agents.as_ref().filter(|_| known);
                    put(unlisted("agent", agent, listed), &|| field("agent"));
                }
            }
            _ => {}
        }
    }
    for each in facts.uses.iter().filter(|read| read.glance.secret()) {
        for path in each.reference.paths() {
            if let Root::Secret(name) = &path.root {
                let refused = unlisted("secret", name, policy.secrets.as_ref());
                put(refused, &|| each.pointer());
            }
        }
    }
    for (refused, places) in places {
        let mut places = places.into_iter();
        let Some(first) = places.next() else { continue };
        let finding = RULE.at(first, refused.what).help(refused.line);
        let places = places.map(|place| (place, "the same"));
        findings.add(further::places(finding, places));
    }
}

fn tool(facts: &Facts<'_>, step: usize) -> Option<Refused> {
    let spec = &facts.tool(step)?.spec;
    if !spec.allowlisted {
        let name = text::quoted(&spec.name);
        return Some(Refused {
            what: format!("the catalog does not allow the tool {name}"),
            line: format!("add `allowlisted: true` to the tool {name} of the catalog"),
        });
    }
    unlisted("tool", &spec.name, facts.policy.tools.as_ref())
}

fn unlisted<T: Ord + fmt::Display + AsRef<str>>(
    kind: &str,
    name: &T,
    listed: Option<&BTreeSet<T>>,
) -> Option<Refused> {
    if listed.is_none_or(|listed| listed.contains(name)) {
        return None;
    }
    let name = text::quoted(name);
    Some(Refused {
        what: format!("the policy does not allow the {kind} {name}"),
        line: format!("add {name} to `{kind}s` of the policy"),
    })
}
