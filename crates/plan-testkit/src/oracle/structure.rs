//! P201, P202, P204, P205, P206 and P210.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Opinion;
use super::reads;
use super::view::{View, list, names, text};

pub(super) fn look(view: &View<'_>, opinion: &mut Opinion) {
    if view.steps.is_empty() {
        opinion.say("P201", "/steps");
    }
    repeated(list(view.plan, "/steps"), "/steps", "id", opinion);
    repeated(list(view.plan, "/inputs"), "/inputs", "name", opinion);
    repeated(list(view.plan, "/outputs"), "/outputs", "name", opinion);
    for step in &view.steps {
        repeated(
            list(step.value, "/outputs"),
            &step.place("/outputs"),
            "name",
            opinion,
        );
    }
    dependencies(view, opinion);
    unused_inputs(view, opinion);
}

/// One finding for each name that two things have, at the second.
fn repeated(things: &[Value], place: &str, member: &str, opinion: &mut Opinion) {
    for (at, thing) in things.iter().enumerate() {
        let name = text(thing, &format!("/{member}"));
        let before = things
            .iter()
            .take(at)
            .filter(|other| text(other, &format!("/{member}")) == name);
        if before.count() == 1 {
            opinion.say("P202", format!("{place}/{at}/{member}"));
        }
    }
}

fn dependencies(view: &View<'_>, opinion: &mut Opinion) {
    let mut missing = BTreeSet::new();
    for step in &view.steps {
        let entries = names(step.value, "/depends_on");
        for (at, id) in entries.iter().enumerate() {
            let place = step.place(&format!("/depends_on/{at}"));
            let is_repeated = entries.iter().take(at).any(|other| other == id);
            if view.step(id).is_none() {
                if missing.insert(*id) {
                    opinion.say("P204", place);
                }
            } else if *id == step.id {
                if !is_repeated {
                    opinion.say("P205", place);
                }
            } else if is_repeated {
                opinion.say("P206", place);
            }
        }
    }
}

fn unused_inputs(view: &View<'_>, opinion: &mut Opinion) {
    let mut read = BTreeSet::new();
    for step in &view.steps {
        read.extend(
            reads::of_step(step)
                .into_iter()
                .filter(|read| read.path.kind == "input")
                .map(|read| read.path.name),
        );
    }
    let mut seen = BTreeSet::new();
    for (at, input) in list(view.plan, "/inputs").iter().enumerate() {
        let name = text(input, "/name");
        if !seen.insert(name)
            || read.contains(name)
            || text(input, "/input_kind") == "directory_path"
        {
            continue;
        }
        let place = format!("/inputs/{at}/name");
        // a text that seems to mean the input makes that the finding
        if view
            .steps
            .iter()
            .any(|step| step.value.to_string().contains(name))
        {
            opinion.leave_open("P210", place);
        } else {
            opinion.say("P210", place);
        }
    }
}
