//! Many at once: exactly one wins, and nobody is forgotten.

use std::collections::BTreeSet;
use std::time::Duration;

use plan_store::{Claim, RunStore, RunStoreExt, Sequence, StoreError, Writer};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::sample::{append_anywhere, head, owner, record, run, running};
use super::{Capability, Fixture};

/// How many tasks contend.
const TASKS: usize = 16;
/// Long enough for any machine; only a store that hangs meets it.
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) async fn one_of_many_appends_wins_each_sequence(fixture: &Fixture) {
    const EACH: usize = 12;
    let id = fixture.created("r", &[]).await;
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let (store, id) = (fixture.shared(), id.clone());
        tasks.spawn(async move {
            let mut won = Vec::new();
            for turn in 0..EACH {
                let text = format!("{task}/{turn}");
                let end = append_anywhere(&*store, &id, &text).await;
                won.push((end, record(&text)));
            }
            won
        });
    }
    let mut won: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    won.sort_by_key(|(end, _)| *end);
    // every sequence was won once, and holds what its winner wrote
    let ends: Vec<u64> = won.iter().map(|(end, _)| end.get()).collect();
    let expected: Vec<u64> = (1..).take(TASKS * EACH).collect();
    assert_eq!(ends, expected);
    let written: Vec<_> = won.into_iter().map(|(_, record)| record).collect();
    let journal = fixture.store().journal(&id).await.unwrap();
    assert_eq!(journal.records, written);
}

pub(super) async fn one_of_many_owners_gets_a_run(fixture: &Fixture) {
    let id = fixture.created("r", &[]).await;
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let (store, id) = (fixture.shared(), id.clone());
        tasks.spawn(async move {
            let me = owner(&format!("owner-{task}"));
            store.claim(&id, &me, Claim::Acquire).await
        });
    }
    let outcomes = tasks.join_all().await;
    let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(won, 1);
    let refused = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Err(StoreError::Claimed { .. })))
        .count();
    assert_eq!(refused, TASKS - 1);
}

pub(super) async fn one_of_many_creations_wins(fixture: &Fixture) {
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let store = fixture.shared();
        tasks.spawn(async move {
            let records = vec![record(&format!("by {task}")), record("second")];
            match store.create(&head("r"), records).await {
                Ok(_) => Some(task),
                Err(StoreError::AlreadyExists { .. }) => None,
                Err(error) => panic!("creating failed: {error}"),
            }
        });
    }
    let winners: Vec<usize> = tasks.join_all().await.into_iter().flatten().collect();
    assert_eq!(winners.len(), 1);
    let journal = fixture.store().journal(&run("r")).await.unwrap();
    let expected = [record(&format!("by {}", winners[0])), record("second")];
    assert_eq!(journal.records, expected);
}

pub(super) async fn appends_to_different_runs_all_succeed(fixture: &Fixture) {
    const EACH: u64 = 20;
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let id = fixture.created(&format!("run-{task}"), &[]).await;
        let store = fixture.shared();
        tasks.spawn(async move {
            let me = owner(&format!("owner-{task}"));
            let fence = store.claim(&id, &me, Claim::Acquire).await.unwrap();
            for turn in 0..EACH {
                let records = vec![record(&format!("{task}/{turn}"))];
                let at = Sequence::new(turn);
                store
                    .append(&id, at, Writer::Fence(fence), running(), records)
                    .await
                    .unwrap();
                // a refusal in between takes nobody's append with it
                let stale = store
                    .append(&id, at, Writer::Fence(fence), running(), Vec::new())
                    .await;
                assert!(matches!(stale, Err(StoreError::Sequence { .. })));
            }
            id
        });
    }
    let ids: BTreeSet<_> = tasks.join_all().await.into_iter().collect();
    assert_eq!(ids.len(), TASKS);
    for id in &ids {
        let journal = fixture.store().journal(id).await.unwrap();
        assert_eq!(journal.end, Sequence::new(EACH));
    }
}

pub(super) async fn an_owner_hears_of_an_external_append(fixture: &Fixture) {
    if !fixture.can(Capability::Wakeups, "an_owner_hears_of_an_external_append") {
        return;
    }
    let id = fixture.created("r", &["a"]).await;
    let store = fixture.shared();
    store
        .claim(&id, &owner("me"), Claim::Acquire)
        .await
        .unwrap();
    let mut end = store.read(&id, Sequence::START).await.unwrap().end;
    for turn in 0..50 {
        let waiting = tokio::spawn({
            let (store, id) = (fixture.shared(), id.clone());
            async move { store.changed(&id, end).await }
        });
        end = append_anywhere(&*store, &id, &format!("answer {turn}")).await;
        timeout(PATIENCE, waiting).await.unwrap().unwrap();
    }
}

pub(super) async fn an_append_before_the_wait_is_not_missed(fixture: &Fixture) {
    if !fixture.can(
        Capability::Wakeups,
        "an_append_before_the_wait_is_not_missed",
    ) {
        return;
    }
    let id = fixture.created("r", &["a"]).await;
    let store = fixture.store();
    store
        .claim(&id, &owner("me"), Claim::Acquire)
        .await
        .unwrap();
    let seen = store.read(&id, Sequence::START).await.unwrap().end;
    append_anywhere(&**store, &id, "answer").await;
    timeout(PATIENCE, store.changed(&id, seen)).await.unwrap();
}
