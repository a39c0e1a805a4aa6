//! P401, P402, P403, P405 and P410.

use std::collections::BTreeSet;

use super::Opinion;
use super::graph;
use super::outputs;
use super::paths::{self, Leads};
use super::reads::{self, Read};
use super::syntax::{self, Part};
use super::view::{StepView, View};
use crate::within::{list, names, text};

pub(super) fn look(view: &View<'_>, opinion: &mut Opinion) {
    malformed(view, opinion);
    let mut missing = Missing::default();
    let mut nowhere = BTreeSet::new();
    for step in &view.steps {
        let mut told = BTreeSet::new();
        for read in view.reads.get(step.at).into_iter().flatten() {
            if missing.look(view, step, read, opinion) {
                continue;
            }
            if let Leads::Nowhere(gone) = paths::of(view, step, &read.path)
                && nowhere.insert((
                    read.path.kind.clone(),
                    read.path.name.clone(),
                    read.path.rest.get(..=gone).map(<[Part]>::to_vec),
                ))
            {
                opinion.say("P405", read.place.clone());
            }
            if let Some(source) = view
                .step(&read.path.name)
                .filter(|_| read.path.kind == "step")
                && is_out_of_reach(view, step, source, read.is_until)
                && told.insert(source.at)
            {
                opinion.say("P403", read.place.clone());
            }
        }
        for (at, id) in names(step.value, "/config/from_steps")
            .into_iter()
            .enumerate()
        {
            if let Some(source) = view.step(id).filter(|source| source.at != step.at)
                && is_out_of_reach(view, step, source, false)
                && told.insert(source.at)
            {
                opinion.say("P403", step.place(&format!("/config/from_steps/{at}")));
            }
        }
    }
    plan_outputs(view, &mut missing, &mut nowhere, opinion);
}

fn malformed(view: &View<'_>, opinion: &mut Opinion) {
    for step in &view.steps {
        for (place, string) in reads::strings(step) {
            if syntax::in_text(string).is_none() {
                opinion.say("P401", place.clone());
            }
            let is_given_to_a_script = ["args", "stdin", "env"]
                .iter()
                .any(|field| place.starts_with(&step.place(&format!("/config/{field}"))));
            if step.kind == "CODE_CALL" && is_given_to_a_script && names_something(view, string) {
                opinion.say("P401", place);
            }
        }
    }
}

/// Whether a text has something of this plan in the syntax of a shell: `$input.topic`.
fn names_something(view: &View<'_>, string: &str) -> bool {
    let inputs = list(view.plan, "/inputs")
        .iter()
        .map(|input| format!("$input.{}", text(input, "/name")));
    let config = view
        .plan
        .get("config")
        .and_then(|config| config.as_object());
    let config = config
        .into_iter()
        .flatten()
        .map(|(name, _)| format!("$conf.{name}"));
    let steps = view.steps.iter().map(|step| format!("$step.{}", step.id));
    inputs
        .chain(config)
        .chain(steps)
        .any(|name| string.contains(&name))
}

/// Whether a step has not ended when another reads it.
fn is_out_of_reach(
    view: &View<'_>,
    reader: &StepView<'_>,
    source: &StepView<'_>,
    is_until: bool,
) -> bool {
    if source.at == reader.at {
        return true;
    }
    let around = view.around(reader);
    if around.iter().any(|owner| owner.at == source.at) {
        return true;
    }
    let Some(owner) = view.owner(source) else {
        return false;
    };
    let sees_it =
        around.iter().any(|around| around.at == owner.at) || (is_until && owner.at == reader.at);
    if sees_it {
        return false;
    }
    // where the two close a circle, the circle is the finding
    match graph::siblings(view, reader, source) {
        Some((one, other)) if one != other => !view.are_in_a_circle(one, other),
        _ => true,
    }
}

/// Names that are missing, each of which is told once; those of steps are told elsewhere.
#[derive(Default)]
struct Missing {
    told: BTreeSet<(String, String, Option<Part>)>,
}

impl Missing {
    /// Whether what is read is not there.
    fn look(
        &mut self,
        view: &View<'_>,
        reader: &StepView<'_>,
        read: &Read,
        opinion: &mut Opinion,
    ) -> bool {
        let path = &read.path;
        let mut output = None;
        let is_there = match path.kind.as_str() {
            "input" => list(view.plan, "/inputs")
                .iter()
                .any(|input| text(input, "/name") == path.name),
            "conf" => view
                .plan
                .get("config")
                .is_some_and(|config| config.get(&path.name).is_some()),
            "item" => {
                let own = [reader].into_iter().filter(|_| read.is_until);
                own.chain(view.around(reader))
                    .any(|owner| owner.config("item_var") == path.name)
            }
            "step" => match (view.step(&path.name), path.rest.first()) {
                (None, _) => false,
                (Some(step), Some(part)) => {
                    output = Some(part.clone());
                    let outputs = outputs::of(view, step);
                    match part {
                        Part::Name(name) => {
                            !outputs.is_closed
                                || outputs.known.iter().any(|(known, _)| known == name)
                        }
                        Part::Index(_) => false,
                    }
                }
                (Some(_), None) => true,
            },
            _ => true,
        };
        let is_step = path.kind == "step" && output.is_none();
        if !is_there
            && !is_step
            && self
                .told
                .insert((path.kind.clone(), path.name.clone(), output))
        {
            opinion.say("P402", read.place.clone());
        }
        !is_there
    }
}

type Nowhere = BTreeSet<(String, String, Option<Vec<Part>>)>;

fn plan_outputs(
    view: &View<'_>,
    missing: &mut Missing,
    nowhere: &mut Nowhere,
    opinion: &mut Opinion,
) {
    for (place, source) in reads::of_outputs(view) {
        let path = match syntax::whole(source).as_deref() {
            Some([path]) if path.kind == "step" => path.clone(),
            _ => {
                opinion.say("P410", place);
                continue;
            }
        };
        let Some(step) = view.step(&path.name) else {
            continue;
        };
        if view.owner(step).is_some() {
            opinion.say("P410", place);
            continue;
        }
        let read = Read {
            place: place.clone(),
            path,
            is_until: false,
        };
        if missing.look(view, step, &read, opinion) {
            continue;
        }
        if let Leads::Nowhere(gone) = paths::of(view, step, &read.path)
            && nowhere.insert((
                read.path.kind.clone(),
                read.path.name.clone(),
                read.path.rest.get(..=gone).map(<[Part]>::to_vec),
            ))
        {
            opinion.say("P405", place);
        }
    }
}
