//! Every invariant finds a driver with a fault, and every fault is found.

use std::collections::BTreeSet;

use plan_testkit::simulate::{Invariant, Mutant, invariants, subject};

/// Subjects until a mutant has to be found.
const SUBJECTS: u64 = 300;

/// Each mutant, and the invariant that is there to find it.
const FOUND_BY: [(Mutant, Invariant); 17] = [
    (Mutant::ForgetsRecovery, Invariant::ComesToItsEnd),
    (Mutant::RepeatsAfterACrash, Invariant::RepeatsNeedAWord),
    (Mutant::RepeatsWithoutAWord, Invariant::RepeatsNeedAWord),
    (
        Mutant::PerformsBeforeItJournals,
        Invariant::DurableBeforeEffect,
    ),
    (Mutant::StartsTooEarly, Invariant::EdgesAreRespected),
    (Mutant::LosesAnOutput, Invariant::OutputsAreKept),
    (Mutant::SwallowsALateResult, Invariant::AttemptsEndOnce),
    (Mutant::IgnoresTheBudget, Invariant::BudgetsHold),
    (Mutant::PromisesEveryToken, Invariant::BudgetsHold),
    (Mutant::RunsItAgain, Invariant::CompletedStepsStay),
    (Mutant::LeavesAStepPending, Invariant::FinishedIsOver),
    (Mutant::WritesAfterItWasFenced, Invariant::OneWriter),
    (Mutant::AnswersTwice, Invariant::AnswersCountOnce),
    (Mutant::SaysThatItWaits, Invariant::WaitingMeansStuck),
    (Mutant::ForgetsToJournal, Invariant::ReplayIsRecovery),
    (Mutant::SkipsTheApproval, Invariant::ApprovedBeforeMade),
    (Mutant::GivesUpWhenBusy, Invariant::SameResultsSameEnd),
];

/// The first subject in which a mutant breaks an invariant.
fn found(mutant: Mutant, invariant: Invariant) -> Option<u64> {
    (0..SUBJECTS).find(|seed| {
        let world = subject(*seed).simulation.mutant(mutant).untraced();
        let run = world.run_twice();
        run.broken
            .iter()
            .any(|broken| broken.invariant == invariant)
    })
}

#[test]
fn every_mutant_is_found_by_its_invariant() {
    let missed: Vec<_> = FOUND_BY
        .iter()
        .filter(|(mutant, invariant)| found(*mutant, *invariant).is_none())
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn every_invariant_finds_a_mutant_and_every_mutant_is_listed() {
    let listed: BTreeSet<Mutant> = FOUND_BY.iter().map(|(mutant, _)| *mutant).collect();
    assert_eq!(listed, Mutant::ALL.into_iter().collect());
    let mut finders: BTreeSet<Invariant> = FOUND_BY.iter().map(|(_, finder)| *finder).collect();
    // a driver that makes entries up is found by the journal itself too
    let made_up = (Mutant::RunsItAgain, Invariant::EntriesFit);
    assert!(found(made_up.0, made_up.1).is_some());
    finders.insert(made_up.1);
    assert_eq!(finders, invariants().iter().copied().collect());
}

#[test]
fn names_of_invariants_are_unique() {
    let names: BTreeSet<&str> = invariants().iter().map(|it| it.name()).collect();
    assert_eq!(names.len(), invariants().len());
}
