//! Waiting: said just when nothing goes on.

use plan_run::RunStatus;

use crate::simulate::Writer;
use crate::simulate::simulated::Run;

pub(super) fn means_stuck(run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    for (at, entry) in run.journal.iter().enumerate() {
        let (Writer::Driver(_), Some(said), Some(rest)) = (entry.writer, entry.said, entry.rest)
        else {
            continue;
        };
        let goes_on = rest.in_flight + rest.proposals + rest.delayed > 0;
        let is_stuck = !goes_on && rest.open > 0;
        match said {
            RunStatus::Waiting if !is_stuck => {
                broken.push(format!("entry {at} says that it waits: {rest:?}"));
            }
            RunStatus::Running if is_stuck => {
                broken.push(format!("entry {at} says that it runs: {rest:?}"));
            }
            _ => {}
        }
    }
    broken
}
