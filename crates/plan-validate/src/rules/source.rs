//! What the rules about bound references share: the argument that reads, and where the value comes from.

use plan_model::{Pointer, Reference, Root};

use crate::facts::{Facts, Site, Use, step_pointer};
use crate::finding::Finding;
use crate::text;

/// The argument that a reference stands in, in words.
pub(super) fn argument(read: &Use<'_>) -> String {
    match read.site {
        Site::Argument(name) => format!("the argument {}", text::quoted(name)),
        _ => "the step".to_owned(),
    }
}

/// The finding with the place where the plan says what a reference reads.
pub(super) fn related(facts: &Facts<'_>, reference: &Reference, finding: Finding) -> Finding {
    match declaration(facts, reference) {
        Some(place) => finding.related(place, "where the value comes from"),
        None => finding,
    }
}

fn declaration(facts: &Facts<'_>, reference: &Reference) -> Option<Pointer> {
    let path = reference.first();
    match &path.root {
        Root::Input(name) => {
            let (index, _) = facts.input(name.as_str())?;
            Some(Pointer::root().join("inputs").join(index))
        }
        Root::Config(key) => Some(Pointer::root().join("config").join(key)),
        Root::Step(id) => {
            let index = facts.index_of(id)?;
            let declared = path.output().and_then(|name| {
                let mut outputs = facts.step(index)?.outputs.iter();
                outputs.position(|output| output.name == *name)
            });
            let step = step_pointer(index);
            Some(match declared {
                Some(output) => step.join("outputs").join(output),
                None => step,
            })
        }
        Root::Item(_) | Root::Secret(_) => None,
    }
}
