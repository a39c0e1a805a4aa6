//! The events of one turn of a simulated process, on their way into the journal.

use plan_run::{AttemptSuccess, Event, Failure, ModelUsage, StepPath};

use super::act::Said;
use super::agents::Spoken;

/// Events that the process's machine has taken and the journal has not.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) events: Vec<Event>,
    /// The results that are told in it.
    pub(crate) settled: Vec<Settled>,
    /// The words that are told in it.
    pub(crate) told: Vec<Said>,
    /// What agents said.
    pub(crate) spoken: Vec<Spoken>,
}

/// How an attempt came out.
#[derive(Debug, Clone)]
pub(crate) struct Settled {
    pub(crate) step: StepPath,
    pub(crate) attempt: u32,
    pub(crate) result: Result<AttemptSuccess, Box<Failure>>,
    /// What the model of a question counted.
    pub(crate) usage: Option<ModelUsage>,
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
            usage: None,
            is_again: false,
        }
    }

    pub(crate) fn costing(mut self, usage: Option<ModelUsage>) -> Self {
        self.usage = usage;
        self
    }

    pub(crate) fn again(mut self) -> Self {
        self.is_again = true;
        self
    }
}
