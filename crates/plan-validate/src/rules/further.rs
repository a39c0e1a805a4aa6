//! Further places of one cause, as many as a reader can use.

use plan_model::Pointer;

use crate::finding::Finding;

/// The most further places of one finding.
const MOST: usize = 50;

/// The finding with its further places. Of more than fifty the last that is shown counts the rest.
pub(super) fn places<N: Into<String>>(
    mut finding: Finding,
    places: impl IntoIterator<Item = (Pointer, N)>,
) -> Finding {
    let mut places = places.into_iter();
    for (pointer, note) in places.by_ref().take(MOST) {
        finding = finding.related(pointer, note);
    }
    let rest = places.count();
    if let Some(last) = finding.related.last_mut().filter(|_| rest > 0) {
        last.note = format!("{}, and at {rest} places more", last.note);
    }
    finding
}
