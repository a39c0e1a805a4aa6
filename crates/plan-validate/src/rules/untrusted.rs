//! How findings tell where an untrusted value comes from, and the ways out.

use plan_model::{Reference, Root};

use crate::facts::Way;
use crate::finding::Finding;
use crate::text::quoted;

/// The finding with the way of the value, and with what would make it trusted.
pub(super) fn told(mut finding: Finding, way: &Way, reference: &Reference) -> Finding {
    for (pointer, note) in &way.places {
        finding = finding.related(pointer.clone(), note.as_str());
    }
    let in_body = reference
        .paths()
        .any(|path| matches!(path.root, Root::Item(_)));
    let shown = if in_body {
        "the list that its items are of".to_owned()
    } else {
        quoted(reference.to_string())
    };
    finding = finding.help(format!(
        "let a person approve it: an approval before this step that shows {shown}"
    ));
    match &way.vouch {
        Some(vouch) => finding.help(format!("or {vouch}")),
        None => finding,
    }
}
