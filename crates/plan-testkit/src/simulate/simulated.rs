//! What a simulation was: the record, the journal, the calls, the trace, and what is wrong with it.

use std::fmt;

use plan_run::{RunRecord, StepPath};

use super::agents::AgentsCall;
use super::trace::Trace;
use super::{Broken, Entry, Performed, Simulation};

/// A simulated run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Simulated {
    /// The run as it stands in the end.
    pub record: RunRecord,
    /// The journal.
    pub journal: Vec<Entry>,
    /// The calls that were made, in their order.
    pub effects: Vec<Performed>,
    /// What happened, a line each, with the virtual time in seconds.
    pub trace: Vec<String>,
    /// What no run may do and this one did.
    pub broken: Vec<Broken>,
    /// The seed from which all of it followed.
    pub seed: u64,
    pub(crate) order: u64,
}

impl Simulated {
    /// Fails a test unless nothing is broken.
    ///
    /// # Panics
    /// With the whole trace, when something is.
    pub fn assert_sound(&self) {
        assert!(self.broken.is_empty(), "{self}");
    }
}

impl fmt::Display for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "plan `{}`, seed {}, order {}: {}",
            self.record.plan().name,
            self.seed,
            self.order,
            self.record.status()
        )?;
        for line in &self.trace {
            writeln!(f, "{line}")?;
        }
        for step in self.record.steps() {
            writeln!(f, "{}: {}", step.id, step.status)?;
        }
        for broken in &self.broken {
            writeln!(f, "broken: {broken}")?;
        }
        Ok(())
    }
}

/// Somebody let calls be repeated that are not safe to repeat.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    /// Entries of the journal at that time.
    pub(crate) journal: usize,
    pub(crate) repeats: Vec<StepPath>,
}

/// What the world leaves behind, for the invariants to look at.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) record: RunRecord,
    pub(crate) journal: Vec<Entry>,
    pub(crate) effects: Vec<Performed>,
    pub(crate) agents_calls: Vec<AgentsCall>,
    pub(crate) words: Vec<Word>,
    /// What was found on the way.
    pub(crate) broken: Vec<Broken>,
    pub(crate) trace: Trace,
    pub(crate) is_stuck: bool,
}

impl Run {
    /// The run, with what is wrong with it.
    pub(crate) fn with(self, of: &Simulation, broken: Vec<Broken>) -> Simulated {
        Simulated {
            trace: self.trace.into_lines(),
            record: self.record,
            journal: self.journal,
            effects: self.effects,
            broken,
            seed: of.seed,
            order: of.order,
        }
    }
}
