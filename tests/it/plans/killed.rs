//! Each, with drivers that die: nothing that is done is done again, and all of it ends as it would have.

use std::collections::BTreeSet;

use plan_testkit::Fault;
use planwright::run::event::AttemptOutcome;
use planwright::run::{Event, EventKind};

use super::checked::all;
use super::stage::{Ended, Stage};
use super::view;

/// Attempts that were begun after their step had succeeded.
fn begun_again(journal: &[Event]) -> Vec<String> {
    let mut done = BTreeSet::new();
    let mut again = Vec::new();
    for event in journal {
        match &event.kind {
            EventKind::AttemptEnded {
                step,
                outcome: AttemptOutcome::Succeeded(_),
                ..
            } => {
                done.insert(step.to_string());
            }
            EventKind::AttemptStarted(started) if done.contains(&started.step.to_string()) => {
                again.push(started.step.to_string());
            }
            _ => {}
        }
    }
    again
}

/// A record without what a death changes: how often something was tried or called, and who had to say so.
fn essence(ended: &Ended) -> Vec<String> {
    let record = view::record(&ended.record);
    let words = |line: &str| {
        let line = line.replace(" by ada", "");
        let (head, tail) = line.split_once(',').unwrap_or((&line, ""));
        let head = head.split(" in ").next().unwrap_or_default();
        let head = head.split(" with ").next().unwrap_or_default();
        format!("{head},{tail}")
    };
    record.lines().map(words).collect()
}

fn sound(example: &str, stage: &Stage, whole: &[String], ended: &Ended) {
    assert_eq!(essence(ended), whole, "{example}");
    assert_eq!(begun_again(&ended.journal), [""; 0], "{example}");
    let mut calls: Vec<(String, u32)> = stage
        .log
        .calls()
        .iter()
        .map(|call| (call.step.to_string(), call.attempt))
        .collect();
    let made = calls.len();
    calls.sort();
    calls.dedup();
    assert_eq!(calls.len(), made, "{example}: an attempt is made once");
}

#[tokio::test]
async fn a_driver_that_dies_anywhere_is_followed_by_one_that_goes_on() {
    for (example, world) in all() {
        let whole = Stage::new(example, world).run().await;
        let expected = essence(&whole);
        let most = whole.appends;
        for at in (1..7).map(|part| (most * part / 7).max(1)) {
            let fault = if at % 2 == 0 {
                Fault::ForGood
            } else {
                Fault::ForGoodAfter
            };
            let stage = Stage::new(example, world);
            let ended = stage.run_dying(&[(at, fault)]).await;
            sound(example, &stage, &expected, &ended);
        }
    }
}

#[tokio::test]
async fn a_run_comes_to_its_end_however_often_its_driver_dies() {
    for (example, world) in all() {
        let expected = essence(&Stage::new(example, world).run().await);
        for span in [3, 5] {
            let faults = [Fault::ForGood, Fault::ForGoodAfter];
            let deaths: Vec<(u64, Fault)> = faults
                .iter()
                .cycle()
                .take(60)
                .map(|fault| (span, *fault))
                .collect();
            let stage = Stage::new(example, world);
            let ended = stage.run_dying(&deaths).await;
            sound(example, &stage, &expected, &ended);
            assert!(ended.deaths > 2, "{example} died {} times", ended.deaths);
        }
    }
}
