//! Laws of the machine, over generated plans, results and interleavings.

mod given;
mod items;
mod links;
mod sample;
mod schedule;

use plan_run::{Machine, RunRecord, StepStatus, decode};
use proptest::prelude::*;
use serde_json::json;

use crate::harness::{Driver, replay};
use sample::sample;
use schedule::drive;

/// What two runs must agree on.
fn result(run: &Driver) -> Vec<(StepStatus, String)> {
    let record = run.machine.record();
    record
        .steps()
        .iter()
        .map(|step| (step.status, json!(*step.outputs).to_string()))
        .collect()
}

fn next_of(machine: &Machine, run: &Driver) -> String {
    format!("{:?}", machine.next(run.now))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn interleavings_of_the_same_results_end_the_same(
        sample in sample("finish_independent"),
        first in prop::collection::vec(any::<u16>(), 64),
        second in prop::collection::vec(any::<u16>(), 64),
    ) {
        let Some(plan) = sample.plan() else { return Ok(()) };
        let one = drive(&sample, plan.clone(), &first);
        let two = drive(&sample, plan, &second);
        prop_assert_eq!(one.status(), two.status());
        prop_assert_eq!(result(&one), result(&two));
        let (one, two) = (one.machine.record(), two.machine.record());
        prop_assert_eq!(one.outputs(), two.outputs());
    }

    #[test]
    fn a_finished_run_has_no_open_step(
        sample in prop_oneof![sample("stop"), sample("finish_independent")],
        choices in prop::collection::vec(any::<u16>(), 64),
        crash_at in prop::option::of(0..12_usize),
        cancel_at in prop::option::of(0..12_usize),
    ) {
        let Some(plan) = sample.plan() else { return Ok(()) };
        let run = schedule::disturbed(&sample, plan, &choices, crash_at, cancel_at);
        prop_assert!(run.status().is_finished(), "{}", run.statuses());
        for step in run.machine.record().steps() {
            prop_assert!(step.status.is_ended(), "{}", run.statuses());
        }
        prop_assert!(run.machine.requests().is_empty());
        prop_assert!(run.machine.next(run.now).is_empty());
        prop_assert_eq!(run.machine.due(), None);
    }

    #[test]
    fn any_prefix_of_a_journal_gives_the_run_as_it_was(
        sample in prop_oneof![sample("stop"), sample("finish_independent")],
        choices in prop::collection::vec(any::<u16>(), 64),
        cut in any::<prop::sample::Index>(),
    ) {
        let Some(plan) = sample.plan() else { return Ok(()) };
        let run = drive(&sample, plan.clone(), &choices);
        let cut = cut.index(run.journal.len()) + 1;
        let prefix = &run.journal[..cut];
        // applied one by one, and again from the start
        let first = decode(&prefix[0]).unwrap();
        let mut walked = Machine::new(plan.clone(), &first).unwrap();
        for bytes in &prefix[1..] {
            walked.apply(&decode(bytes).unwrap()).unwrap();
        }
        let again = replay(&plan, prefix);
        prop_assert_eq!(walked.record(), again.record());
        // also for eyes that have no catalog
        let events = prefix.iter().map(|bytes| decode(bytes).unwrap());
        let read = RunRecord::replay(plan.plan().clone(), events).unwrap();
        prop_assert_eq!(walked.record(), read);
        prop_assert_eq!(next_of(&walked, &run), next_of(&again, &run));
        prop_assert_eq!(walked.due(), again.due());
        // and it goes on to an end from there
        let resumed = schedule::go_on(&sample, Driver {
            machine: again,
            journal: prefix.to_vec(),
            now: run.now,
            plan,
        });
        prop_assert!(resumed.status().is_finished(), "{}", resumed.statuses());
    }

    #[test]
    fn a_failed_run_resumes_to_what_it_would_have_been(
        sample in prop_oneof![sample("stop"), sample("finish_independent")],
        choices in prop::collection::vec(any::<u16>(), 64),
    ) {
        let Some(plan) = sample.plan() else { return Ok(()) };
        let mut mended = sample.clone();
        mended.failing.clear();
        let expected = drive(&mended, plan.clone(), &choices);
        let mut run = drive(&sample, plan, &choices);
        if let Ok(resumption) = run.machine.resumption() {
            run.push(resumption.event());
            run.pump();
            let run = schedule::go_on(&mended, run);
            prop_assert_eq!(run.status(), expected.status());
            prop_assert_eq!(result(&run), result(&expected));
        }
    }
}
