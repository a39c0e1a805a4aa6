//! P201, P202, P204, P205, P206 and P210.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Opinion;
use super::reads;
use super::syntax;
use super::view::View;
use crate::within::{list, names, text};

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
    for step in &view.steps {
        let entries = names(step.value, "/depends_on");
        for (at, id) in entries.iter().enumerate() {
            let place = step.place(&format!("/depends_on/{at}"));
            let is_repeated = entries.iter().take(at).any(|other| other == id);
            if view.step(id).is_none() {
                continue;
            }
            if *id == step.id {
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
    let reads = view
        .reads
        .iter()
        .flatten()
        .filter(|read| read.path.kind == "input");
    let read: BTreeSet<&str> = reads.map(|read| read.path.name.as_str()).collect();
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
        // what could not be read may have read it, and a text that seems to mean it is the finding
        let has_malformed = view
            .steps
            .iter()
            .flat_map(reads::strings)
            .any(|(_, text)| syntax::in_text(text).is_none());
        if has_malformed
            || view
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
