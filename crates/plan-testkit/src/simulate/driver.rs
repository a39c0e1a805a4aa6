//! One process that drives the run.

use std::collections::BTreeMap;

use plan_model::Timestamp;
use plan_run::{Event, Machine, StepPath};

use super::act::Said;
use super::agents::Spoken;
use super::batch::Settled;

/// A process, from when it takes the run up until it leaves or dies.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) life: u64,
    pub(crate) fence: u64,
    pub(crate) machine: Machine,
    /// Entries of the journal that its machine has seen.
    pub(crate) end: usize,
    /// Whether what the process before had in flight is still to be looked at.
    pub(crate) recovers: bool,
    /// Calls in flight.
    pub(crate) flights: BTreeMap<(StepPath, u32), usize>,
    pub(crate) results: Vec<Settled>,
    pub(crate) told: Vec<Said>,
    /// What agents said.
    pub(crate) spoken: Vec<Spoken>,
    /// Whether it leaves when the run waits.
    pub(crate) leaves: bool,
    pub(crate) sleeps_until: Option<Timestamp>,
    /// What the journal took just before it fell asleep.
    pub(crate) unperformed: Vec<Event>,
    pub(crate) is_stopping: bool,
}

/// What becomes of a process after it did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Goes,
    Leaves,
    Dies(&'static str),
}

impl Driver {
    pub(crate) fn new(life: u64, fence: u64, machine: Machine, end: usize) -> Self {
        Self {
            life,
            fence,
            machine,
            end,
            recovers: false,
            flights: BTreeMap::new(),
            results: Vec::new(),
            told: Vec::new(),
            spoken: Vec::new(),
            leaves: false,
            sleeps_until: None,
            unperformed: Vec::new(),
            is_stopping: false,
        }
    }

    /// Whether this attempt is being made or has come out, as far as this process knows.
    pub(crate) fn has(&self, step: &StepPath, attempt: u32) -> bool {
        let settled = |settled: &Settled| settled.attempt == attempt && settled.step == *step;
        self.flights.contains_key(&(step.clone(), attempt)) || self.results.iter().any(settled)
    }
}
