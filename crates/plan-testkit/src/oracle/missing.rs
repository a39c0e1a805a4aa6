//! Names of steps that no step has: each is one finding, wherever it is used.

use std::collections::BTreeMap;

use super::Opinion;
use super::reads;
use super::syntax;
use super::view::View;
use crate::within::names;

/// The rules that speak of a missing step, the first of which does where several could.
const RANK: &[&str] = &["P204", "P402", "P503", "P504", "P505"];

pub(super) fn look(view: &View<'_>, opinion: &mut Opinion) {
    let mut found: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    let mut see = |id: &str, code: &str, place: String| {
        if view.step(id).is_none() {
            let rank = RANK
                .iter()
                .position(|other| *other == code)
                .unwrap_or(RANK.len());
            found.entry(id.to_owned()).or_default().push((rank, place));
        }
    };
    for step in &view.steps {
        for (list, code) in [
            ("/depends_on", "P204"),
            ("/config/true_steps", "P503"),
            ("/config/false_steps", "P503"),
            ("/config/spawn_steps", "P504"),
            ("/config/from_steps", "P505"),
        ] {
            for (at, id) in names(step.value, list).into_iter().enumerate() {
                see(id, code, step.place(&format!("{list}/{at}")));
            }
        }
        for read in view.reads.get(step.at).into_iter().flatten() {
            if read.path.kind == "step" {
                see(&read.path.name, "P402", read.place.clone());
            }
        }
    }
    for (place, source) in reads::of_outputs(view) {
        if let Some([path]) = syntax::whole(source).as_deref()
            && path.kind == "step"
        {
            see(&path.name, "P402", place);
        }
    }
    for places in found.into_values() {
        // places are in the order of the document, and the first of equals stays first
        if let Some((rank, place)) = places.into_iter().min_by_key(|(rank, _)| *rank)
            && let Some(code) = RANK.get(rank)
        {
            opinion.say(code, place);
        }
    }
}
