//! Writers: one at a time, by their fences.

use plan_run::EventKind;

use crate::simulate::Writer;
use crate::simulate::simulated::Run;

pub(super) fn one(run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    for (at, entry) in run.journal.iter().enumerate() {
        let name = entry.event.kind.name();
        match entry.writer {
            Writer::Driver(fence) if fence != entry.fence => {
                let held = entry.fence;
                broken.push(format!(
                    "entry {at} ({name}) is by fence {fence}, while {held} holds"
                ));
            }
            Writer::Driver(_) => {}
            Writer::External => {
                let is_word = matches!(
                    entry.event.kind,
                    EventKind::RequestAnswered(_)
                        | EventKind::Decided { .. }
                        | EventKind::CancelRequested { .. }
                );
                if !is_word {
                    broken.push(format!("entry {at} ({name}) is by nobody's claim"));
                }
            }
        }
    }
    broken
}
