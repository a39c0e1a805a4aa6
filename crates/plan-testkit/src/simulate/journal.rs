//! The journal of a simulated run: sequences, fences, and a machine that follows it.

use std::collections::{BTreeMap, BTreeSet};

use plan_model::Timestamp;
use plan_run::event::AttemptOutcome;
use plan_run::{Event, EventKind, Machine, Refused, RunStatus, StepPath};

/// Who wrote an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// A process that drives the run, under this fence.
    Driver(u64),
    /// Anybody else.
    External,
}

/// One event in the journal, and how it came there.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Entry {
    /// The event.
    pub event: Event,
    /// Who wrote it.
    pub writer: Writer,
    /// The fence of the claim that held when it was written.
    pub fence: u64,
    /// Where the run stands, by the word of who wrote the last entry of the append.
    pub said: Option<RunStatus>,
    /// Why it does not fit the entries before it; always `None` but for a broken driver.
    pub refused: Option<Refused>,
    /// Where the run stood then, by the entries alone: of the last entry of each append.
    pub(crate) rest: Option<Rest>,
}

/// Where the journal's own machine stands after an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rest {
    pub(crate) in_flight: usize,
    pub(crate) proposals: usize,
    pub(crate) open: usize,
    pub(crate) delayed: usize,
}

impl Rest {
    /// Whether nothing goes on or can start, and somebody is asked.
    pub(crate) fn is_stuck(self) -> bool {
        self.in_flight == 0 && self.proposals == 0 && self.delayed == 0 && self.open > 0
    }
}

/// Why an append was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotAppended {
    /// Another entry was there first.
    Sequence,
    /// The claim is another's.
    Fenced,
}

/// The journal of one run.
#[derive(Debug)]
pub(crate) struct Journal {
    pub(crate) entries: Vec<Entry>,
    /// The present fence.
    pub(crate) fence: u64,
    /// The machine of the entries so far.
    pub(crate) machine: Machine,
    /// Steps whose next attempt has its time.
    delayed: BTreeSet<StepPath>,
    /// Attempts that ended, by step; those that a crash ended are made again and do not count.
    tried: BTreeMap<StepPath, u32>,
}

impl Journal {
    pub(crate) fn new(machine: Machine, first: Event) -> Self {
        let first = Entry {
            event: first,
            writer: Writer::Driver(1),
            fence: 1,
            said: None,
            refused: None,
            rest: None,
        };
        Self {
            entries: vec![first],
            fence: 1,
            machine,
            delayed: BTreeSet::new(),
            tried: BTreeMap::new(),
        }
    }

    pub(crate) fn end(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.machine.status().is_finished()
            || self
                .entries
                .last()
                .is_some_and(|entry| matches!(entry.event.kind, EventKind::RunEnded { .. }))
    }

    /// How often a step was tried, crashes not counted.
    pub(crate) fn tried(&self, step: &StepPath) -> u32 {
        self.tried.get(step).copied().unwrap_or_default()
    }

    /// Adds events after `expected`, all or none.
    pub(crate) fn append(
        &mut self,
        expected: usize,
        writer: Writer,
        said: RunStatus,
        events: &[Event],
    ) -> Result<(), NotAppended> {
        match writer {
            Writer::Driver(fence) if fence != self.fence => return Err(NotAppended::Fenced),
            Writer::Driver(_) | Writer::External => {}
        }
        if expected != self.end() {
            return Err(NotAppended::Sequence);
        }
        self.force(writer, said, events);
        Ok(())
    }

    /// Adds events whatever the claim and the end of the journal.
    pub(crate) fn force(&mut self, writer: Writer, said: RunStatus, events: &[Event]) {
        let mut latest = Timestamp::from_millis(0);
        for event in events {
            latest = latest.max(event.at);
            let refused = self.machine.apply(event).err();
            if let EventKind::AttemptEnded { step, outcome, .. } = &event.kind
                && *outcome != AttemptOutcome::Interrupted
            {
                *self.tried.entry(step.clone()).or_default() += 1;
            }
            match &event.kind {
                EventKind::RetryScheduled { step, .. } => {
                    self.delayed.insert(step.clone());
                }
                EventKind::RunResumed { reset, .. } if !reset.is_empty() => self.delayed.clear(),
                // it changes nothing
                EventKind::LateResult { .. } => {}
                kind => {
                    kind.step().map(|step| self.delayed.remove(step));
                }
            }
            self.entries.push(Entry {
                event: event.clone(),
                writer,
                fence: self.fence,
                said: None,
                refused,
                rest: None,
            });
        }
        let rest = self.rest(latest);
        if let Some(last) = self.entries.last_mut() {
            last.said = Some(said);
            last.rest = Some(rest);
        }
    }

    fn rest(&self, at: Timestamp) -> Rest {
        let machine = &self.machine;
        Rest {
            in_flight: machine.started().len(),
            proposals: machine.next(at).len(),
            open: machine.requests().len() + machine.in_doubt().len(),
            delayed: self.delayed.len(),
        }
    }
}
