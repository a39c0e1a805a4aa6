//! What is going to happen, in the order of its time; at one time the seed decides.

use std::collections::BTreeMap;

use plan_model::Timestamp;
use plan_run::{Answer, RequestId, StepPath};

use super::agents::Spoken;
use crate::generate::Random;

/// Something that happens at a time.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// A process looks at what there is to do.
    Turn {
        life: u64,
        /// Whether it reads the tail of the journal first.
        reads: Reads,
    },
    /// A call has its effect.
    Acts { call: usize },
    /// A call's result arrives at the process that made it.
    Lands { call: usize, life: u64 },
    /// The time of a call is up.
    TimeUp { call: usize, life: u64 },
    /// A call that was told to end has ended.
    Stops { call: usize, life: u64 },
    /// A process dies.
    Dies { life: u64 },
    /// A process takes the run up, if nobody drives it.
    TakesUp,
    /// What made the run fail is put right, and it is resumed.
    Fixes,
    /// An agent in flight says something.
    Speaks { life: u64, spoken: Spoken },
    /// A person says something.
    Says(Said),
}

/// Whether a process reads the tail of the journal before it does anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    Tail,
    Nothing,
}

/// What a person says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    /// The answer to a request.
    Answer {
        request: RequestId,
        answer: Answer,
        manner: Manner,
    },
    /// A decision about an attempt in doubt.
    Decides { step: StepPath, attempt: u32 },
    /// The run is to end.
    Cancels,
}

/// How an answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// To the request, in time.
    Proper,
    /// Too late, once more, or to the wrong request: it may be refused.
    Stray,
    /// Of a sort that the request does not take, or to no request: it has to be refused.
    Wrong,
}

/// Everything that is going to happen.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    acts: BTreeMap<(Timestamp, u64, u64), Act>,
    serial: u64,
}

impl Queue {
    /// Adds something; the scheduler's numbers decide between what has one time.
    pub(crate) fn add(&mut self, at: Timestamp, random: &mut Random, act: Act) {
        self.serial += 1;
        self.acts.insert((at, random.bits(), self.serial), act);
    }

    /// What happens first.
    pub(crate) fn pop(&mut self) -> Option<(Timestamp, Act)> {
        self.acts.pop_first().map(|((at, _, _), act)| (at, act))
    }

    /// How much was ever added.
    pub(crate) fn added(&self) -> u64 {
        self.serial
    }
}
