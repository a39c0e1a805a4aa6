//! Several processes on one file, and processes that are killed.

use std::collections::BTreeMap;

use plan_run::RunId;
use plan_store::{
    Claim, Maintain, Page, RunFilter, RunStore, RunStoreExt, Sequence, StoreError, Writer,
};
use plan_store_sqlite::SqliteStore;

use crate::process::{Process, say};
use crate::sample::{append_anywhere, created, folder, open, owner, record, run, running};

/// Claims the run `r`, says its fence, and then lives until it is killed.
pub(crate) async fn own(store: SqliteStore) {
    let claimed = store
        .claim(&run("r"), &owner("child"), Claim::Acquire)
        .await;
    match claimed {
        Ok(fence) => say(fence),
        Err(error) => say(error),
    }
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn case_46_a_killed_owner_loses_its_run_at_once_and_a_live_one_never() {
    let (folder, path) = folder();
    let store = open(&path).await;
    let id = created(&store, "r", &["a"]).await;
    let mut child = Process::start("owner", &path);
    assert_eq!(child.hear().as_deref(), Some("1"));

    let me = owner("me");
    let refused = store.claim(&id, &me, Claim::Acquire).await;
    assert!(
        matches!(&refused, Err(StoreError::Claimed { owner: by, .. }) if *by == owner("child")),
        "{refused:?}"
    );
    // a third may answer meanwhile
    append_anywhere(&store, &id, "answer").await;

    child.kill();
    let fence = store.claim(&id, &me, Claim::Acquire).await.unwrap();
    assert_eq!(fence.get(), 2);
    store
        .append(
            &id,
            Sequence::new(2),
            Writer::Fence(fence),
            running(),
            vec![record("mine")],
        )
        .await
        .unwrap();
    assert!(!folder.path().join("state.db.owners/child.lock").exists());
}

#[tokio::test]
async fn case_46_of_two_processes_that_want_a_run_one_gets_it() {
    let (_folder, path) = folder();
    let store = open(&path).await;
    created(&store, "r", &[]).await;
    let mine = store.claim(&run("r"), &owner("me"), Claim::Acquire).await;
    assert!(mine.is_ok());
    let mut child = Process::start("owner", &path);
    assert_eq!(child.hear().as_deref(), Some("run `r` is driven by `me`"));
}

/// Appends to eight runs at once, without end, and says what was acknowledged.
pub(crate) async fn append_for_ever(store: SqliteStore) {
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..8 {
        let store = store.clone();
        tasks.spawn(async move {
            let name = format!("run-{number}");
            let id = created(&store, &name, &[]).await;
            loop {
                let end = append_anywhere(&store, &id, &format!("{name} was here")).await;
                say(format!("{name} {end}"));
            }
        });
    }
    tasks.join_all().await;
}

#[tokio::test]
async fn case_45_what_was_acknowledged_before_a_kill_is_there_and_whole() {
    let (_folder, path) = folder();
    let mut acknowledged: BTreeMap<String, u64> = BTreeMap::new();
    // killed early, in the middle of things, and late
    for lines in [1, 9, 40, 150, 400] {
        let mut child = Process::start("appender", &path);
        for _ in 0..lines {
            let line = child.hear().unwrap();
            let (name, end) = line.split_once(' ').unwrap();
            acknowledged.insert(name.to_owned(), end.parse().unwrap());
        }
        child.kill();

        let store = open(&path).await;
        assert!(store.integrity().await.unwrap().is_sound());
        for (name, end) in &acknowledged {
            let journal = store.journal(&run(name)).await.unwrap();
            assert!(journal.end >= Sequence::new(*end), "`{name}` lost records");
            // no gap, no half of an append, nothing of another run
            let expected = record(&format!("{name} was here"));
            assert!(journal.records.iter().all(|it| *it == expected));
            assert_eq!(journal.end, Sequence::START.plus(journal.records.len()));
        }
    }
}

/// How often each process that hammers appends to each of its two runs.
const BLOWS: u64 = 25;

/// Appends to a run of its own and to one that all share, opening the file anew now and then.
pub(crate) async fn hammer(store: SqliteStore) {
    let path = store.path().to_owned();
    let me = std::process::id();
    let mine = created(&store, &format!("run-{me}"), &[]).await;
    let shared = created(&store, "shared", &[]).await;
    let mut store = store;
    for blow in 0..BLOWS {
        append_anywhere(&store, &mine, &format!("{me} {blow}")).await;
        append_anywhere(&store, &shared, &format!("{me} {blow}")).await;
        let page = store.list(&RunFilter::default(), &Page::default()).await;
        assert!(!page.unwrap().heads.is_empty());
        if blow % 8 == 7 {
            store = open(&path).await;
        }
    }
    say(mine);
}

#[tokio::test]
async fn case_56_many_processes_hammer_one_file_and_none_hears_of_a_lock() {
    const PROCESSES: usize = 6;
    let (_folder, path) = folder();
    let children: Vec<Process> = (0..PROCESSES)
        .map(|_| Process::start("hammer", &path))
        .collect();
    let runs: Vec<RunId> = children
        .into_iter()
        .flat_map(Process::finish)
        .map(|name| run(&name))
        .collect();
    assert_eq!(runs.len(), PROCESSES);
    let store = open(&path).await;
    for id in &runs {
        assert_eq!(store.journal(id).await.unwrap().end, Sequence::new(BLOWS));
    }
    let shared = store.journal(&run("shared")).await.unwrap();
    let total = usize::try_from(BLOWS).unwrap() * PROCESSES;
    assert_eq!(shared.end, Sequence::START.plus(total));
    assert!(store.integrity().await.unwrap().is_sound());
}

#[tokio::test]
async fn case_56_a_file_that_stays_busy_is_said_in_our_words() {
    let (_folder, path) = folder();
    let store = SqliteStore::options()
        .patience(std::time::Duration::from_millis(50))
        .open(&path)
        .await
        .unwrap();
    let id = created(&store, "r", &[]).await;
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = store
        .append(
            &id,
            Sequence::START,
            Writer::External,
            running(),
            vec![record("a")],
        )
        .await
        .unwrap_err();
    assert_eq!(refused.retry(), plan_run::RetryAdvice::Later);
    assert_eq!(
        refused.to_string(),
        "the store failed: another process has been writing to it for too long"
    );
    // reads go on meanwhile, and the write once the other has finished
    assert_eq!(store.journal(&id).await.unwrap().end, Sequence::START);
    other.execute_batch("ROLLBACK").unwrap();
    append_anywhere(&store, &id, "a").await;
}
