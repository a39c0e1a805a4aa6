//! What no run may do: each once, with a name and a sentence, over the journal, the world and the record.

mod answers;
mod attempts;
mod budgets;
mod compare;
mod edges;
mod ending;
mod outputs;
mod repeats;
mod waiting;
mod writers;

use std::fmt;

use super::Simulation;
use super::simulated::Run;

pub(crate) use compare::compare;

/// Something that holds in every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// A step that has its outputs does not run again, unless a resume resets it.
    CompletedStepsStay,
    /// The outputs of a step are what its call returned, in the journal and in the record.
    OutputsAreKept,
    /// What is not safe to repeat has its effect a second time only where somebody said so.
    RepeatsNeedAWord,
    /// A run that ended has no step that is pending, running or waiting, and does nothing more.
    FinishedIsOver,
    /// No bound on calls, tokens, output, driven time or the deadline is crossed, all generations together.
    BudgetsHold,
    /// A step begins only when all that it waits for has ended as its join and its condition want.
    EdgesAreRespected,
    /// The journal has the start of an attempt before its call is made.
    DurableBeforeEffect,
    /// What a process knows is what its journal says, in any other process too.
    ReplayIsRecovery,
    /// A run waits just when nothing goes on or can start, and a request or a doubt is open.
    WaitingMeansStuck,
    /// Only who has the claim writes, but for words from outside.
    OneWriter,
    /// An answer is to an open request, of its sort, and is used once.
    AnswersCountOnce,
    /// An attempt ends once; what comes later changes nothing.
    AttemptsEndOnce,
    /// A call that a person is to approve is made as it was approved.
    ApprovedBeforeMade,
    /// The same results give the same statuses and outputs in every order.
    SameResultsSameEnd,
    /// A run comes to its end.
    ComesToItsEnd,
    /// Every entry of the journal fits those before it.
    EntriesFit,
}

/// Every invariant.
pub fn invariants() -> &'static [Invariant] {
    use Invariant as I;
    &[
        I::CompletedStepsStay,
        I::OutputsAreKept,
        I::RepeatsNeedAWord,
        I::FinishedIsOver,
        I::BudgetsHold,
        I::EdgesAreRespected,
        I::DurableBeforeEffect,
        I::ReplayIsRecovery,
        I::WaitingMeansStuck,
        I::OneWriter,
        I::AnswersCountOnce,
        I::AttemptsEndOnce,
        I::ApprovedBeforeMade,
        I::SameResultsSameEnd,
        I::ComesToItsEnd,
        I::EntriesFit,
    ]
}

impl Invariant {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::CompletedStepsStay => "completed-steps-stay",
            Self::OutputsAreKept => "outputs-are-kept",
            Self::RepeatsNeedAWord => "repeats-need-a-word",
            Self::FinishedIsOver => "finished-is-over",
            Self::BudgetsHold => "budgets-hold",
            Self::EdgesAreRespected => "edges-are-respected",
            Self::DurableBeforeEffect => "durable-before-effect",
            Self::ReplayIsRecovery => "replay-is-recovery",
            Self::WaitingMeansStuck => "waiting-means-stuck",
            Self::OneWriter => "one-writer",
            Self::AnswersCountOnce => "answers-count-once",
            Self::AttemptsEndOnce => "attempts-end-once",
            Self::ApprovedBeforeMade => "approved-before-made",
            Self::SameResultsSameEnd => "same-results-same-end",
            Self::ComesToItsEnd => "comes-to-its-end",
            Self::EntriesFit => "entries-fit",
        }
    }

    /// What it says.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::CompletedStepsStay => {
                "a step that has its outputs does not run again, unless a resume resets it"
            }
            Self::OutputsAreKept => {
                "the outputs of a step are what its call returned, in the journal and in the record"
            }
            Self::RepeatsNeedAWord => {
                "what is not safe to repeat has its effect a second time only where somebody said so"
            }
            Self::FinishedIsOver => {
                "a run that ended has no step that is pending, running or waiting, and does nothing more"
            }
            Self::BudgetsHold => {
                "no bound on calls, tokens, output, driven time or the deadline is crossed, all generations together"
            }
            Self::EdgesAreRespected => {
                "a step begins only when all that it waits for has ended as its join and its condition want"
            }
            Self::DurableBeforeEffect => {
                "the journal has the start of an attempt before its call is made"
            }
            Self::ReplayIsRecovery => {
                "what a process knows is what its journal says, in any other process too"
            }
            Self::WaitingMeansStuck => {
                "a run waits just when nothing goes on or can start, and a request or a doubt is open"
            }
            Self::OneWriter => "only who has the claim writes, but for words from outside",
            Self::AnswersCountOnce => {
                "an answer is to an open request, of its sort, and is used once"
            }
            Self::AttemptsEndOnce => "an attempt ends once; what comes later changes nothing",
            Self::ApprovedBeforeMade => {
                "a call that a person is to approve is made as it was approved"
            }
            Self::SameResultsSameEnd => {
                "the same results give the same statuses and outputs in every order"
            }
            Self::ComesToItsEnd => "a run comes to its end",
            Self::EntriesFit => "every entry of the journal fits those before it",
        }
    }
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An invariant that a run broke, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Broken {
    /// The invariant.
    pub invariant: Invariant,
    /// What happened.
    pub what: String,
}

impl Broken {
    pub(crate) fn new(invariant: Invariant, what: String) -> Self {
        Self { invariant, what }
    }

    pub(crate) fn in_other_order(mut self) -> Self {
        self.what.push_str(" (in the second order)");
        self
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, sentence) = (self.invariant.name(), self.invariant.sentence());
        write!(f, "{name}: {} ({sentence})", self.what)
    }
}

/// Everything that a run broke.
pub(crate) fn check(of: &Simulation, run: &Run) -> Vec<Broken> {
    use Invariant as I;
    let mut found = run.broken.clone();
    let mut look = |invariant, broken: Vec<String>| {
        let broken = broken.into_iter();
        found.extend(broken.map(|what| Broken::new(invariant, what)));
    };
    look(I::CompletedStepsStay, attempts::completed_stay(run));
    look(I::AttemptsEndOnce, attempts::end_once(run));
    look(I::DurableBeforeEffect, attempts::durable_first(run));
    look(I::OutputsAreKept, outputs::kept(of, run));
    look(I::RepeatsNeedAWord, repeats::with_a_word(run));
    look(I::FinishedIsOver, ending::over(of, run));
    look(I::ComesToItsEnd, ending::reached(run));
    look(I::EntriesFit, ending::entries_fit(run));
    look(I::BudgetsHold, budgets::hold(of, run));
    look(I::EdgesAreRespected, edges::respected(of, run));
    look(I::WaitingMeansStuck, waiting::means_stuck(run));
    look(I::OneWriter, writers::one(run));
    look(I::AnswersCountOnce, answers::count_once(run));
    look(I::ApprovedBeforeMade, answers::approved_first(of, run));
    found
}
