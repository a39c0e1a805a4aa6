//! P602 missing-root: an agent that has no folder to work in.
//!
//! One finding for a plan, since one root mends them all.

use plan_model::edit::Edit;
use plan_model::{InputKind, Pointer, StepKind};
use serde_json::json;

use super::{further, name, place};
use crate::facts::Facts;
use crate::finding::{Applicability, Finding, Severity};
use crate::findings::Findings;
use crate::policy::Roots;
use crate::rule::{Check, Rule};

pub(super) const RULE: Rule = Rule::new(
    "P602",
    "missing-root",
    Severity::Error,
    include_str!("../../rules/P602-missing-root.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let [first, agents @ ..] = facts.of_kind(StepKind::AgentCall) else {
        return;
    };
    if has_root(facts) {
        return;
    }
    let folder = |agent: usize| place::config(agent, "working_dir");
    let message = format!(
        "the agent of {} has no folder to work in: the plan declares no directory input, and the policy grants no root",
        name::of(facts, *first)
    );
    let finding = RULE.at(folder(*first), message).suggest(
        "declare the folder as an input",
        Applicability::MaybeIncorrect,
        Some(declaration(facts)),
    );
    let finding = with_read(facts, *first, finding);
    let places = agents
        .iter()
        .map(|agent| (folder(*agent), "nor has this one"));
    findings.add(further::places(finding, places));
}

/// Whether there is any folder that an agent could be given.
fn has_root(facts: &Facts<'_>) -> bool {
    let granted = match &facts.policy.roots {
        Roots::RunOnly => false,
        Roots::Unrestricted => true,
        Roots::Listed(folders) => !folders.is_empty(),
    };
    let mut inputs = facts.plan.inputs.iter();
    // an input that could not be read may be the one
    granted
        || inputs.any(|input| input.input_kind == InputKind::DirectoryPath)
        || facts.is_unread_within(&Pointer::root().join("inputs"))
}

/// Where the working directory is an input of another kind, that input is what to change.
fn with_read(facts: &Facts<'_>, agent: usize, finding: Finding) -> Finding {
    let read = facts
        .uses_of(agent)
        .iter()
        .filter(|read| read.site == crate::facts::Site::WorkingDir)
        .find_map(|read| match &read.reference.first().root {
            plan_model::Root::Input(input) => facts.input(input.as_str()),
            _ => None,
        });
    let Some((index, _)) = read else {
        return finding;
    };
    let kind = place::input(index).join("input_kind");
    finding
        .related(place::input(index), "this input is no directory input")
        .suggest(
            "make it a directory input",
            Applicability::MaybeIncorrect,
            Some(Edit::Set {
                pointer: kind,
                value: "directory_path".into(),
            }),
        )
}

fn declaration(facts: &Facts<'_>) -> Edit {
    let input = json!({
        "name": "folder",
        "value_type": "string",
        "input_kind": "directory_path",
    });
    let inputs = Pointer::root().join("inputs");
    if facts.plan.inputs.is_empty() {
        Edit::Set {
            pointer: inputs,
            value: json!([input]),
        }
    } else {
        Edit::Set {
            pointer: inputs.join("-"),
            value: input,
        }
    }
}
