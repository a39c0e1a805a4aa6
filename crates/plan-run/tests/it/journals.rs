//! Journals of earlier releases. They must replay for ever: never change one, add another.

use plan_run::{Event, Machine, RunStatus, decode};
use plan_validate::{Context, Policy, check};

use crate::harness::catalog;

fn replayed(plan: &str, journal: &str) -> Machine {
    let plan = check(plan, &Context::new(&catalog(), &Policy::default())).unwrap();
    let events: Vec<Event> = journal
        .lines()
        .map(|line| decode(line.as_bytes()).unwrap())
        .collect();
    Machine::replay(plan, events).unwrap()
}

#[test]
fn the_first_journal_replays() {
    let machine = replayed(
        include_str!("journals/first.plan.json"),
        include_str!("journals/first.jsonl"),
    );
    assert_eq!(machine.status(), RunStatus::Succeeded);
    let record = serde_json::to_string_pretty(&machine.record()).unwrap();
    assert_eq!(
        record.trim(),
        include_str!("journals/first.record.json").trim()
    );
}
