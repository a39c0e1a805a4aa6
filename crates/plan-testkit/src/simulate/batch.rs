//! The events of one turn of a simulated process, on their way into the journal.

use plan_run::{AttemptSuccess, Event, Failure, StepPath};

use super::act::Said;

/// Events that the process's machine has taken and the journal has not.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) events: Vec<Event>,
    /// The results that are told in it.
    pub(crate) settled: Vec<Settled>,
    /// The words that are told in it.
    pub(crate) told: Vec<Said>,
}

/// How an attempt came out.
#[derive(Debug, Clone)]
pub(crate) struct Settled {
    pub(crate) step: StepPath,
    pub(crate) attempt: u32,
    pub(crate) result: Result<AttemptSuccess, Box<Failure>>,
    /// Whether it was in a batch that the journal seemed not to take.
    pub(crate) is_again: bool,
}

impl Settled {
    pub(crate) fn new(
        step: StepPath,
        attempt: u32,
        result: Result<AttemptSuccess, Box<Failure>>,
    ) -> Self {
        Self {
            step,
            attempt,
            result,
            is_again: false,
        }
    }

    pub(crate) fn again(mut self) -> Self {
        self.is_again = true;
        self
    }
}
