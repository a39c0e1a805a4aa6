//! Runs and stores that the tests work on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use plan_model::{PlanId, Timestamp};
use plan_run::{RunId, RunStatus};
use plan_store::{HeadUpdate, OwnerId, Record, RunHead, RunStore, Sequence, StoreError, Writer};
use plan_store_sqlite::SqliteStore;
use tempfile::TempDir;

pub(crate) fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    (folder, path)
}

pub(crate) async fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path).await.unwrap()
}

pub(crate) fn run(id: &str) -> RunId {
    RunId::new(id).unwrap()
}

pub(crate) fn owner(id: &str) -> OwnerId {
    OwnerId::new(id).unwrap()
}

pub(crate) fn record(text: &str) -> Record {
    Record::new(text)
}

pub(crate) fn head(id: &str) -> RunHead {
    RunHead {
        run: run(id),
        plan: PlanId::of_bytes(b"sample"),
        plan_version: 1,
        plan_name: "sample".to_owned(),
        status: RunStatus::Running,
        created_at: Timestamp::from_millis(1),
        updated_at: Timestamp::from_millis(1),
        tags: BTreeMap::from([("team".to_owned(), "search".to_owned())]),
    }
}

pub(crate) fn running() -> HeadUpdate {
    HeadUpdate::new(RunStatus::Running, Timestamp::from_millis(2))
}

pub(crate) async fn created(store: &SqliteStore, id: &str, records: &[&str]) -> RunId {
    let records = records.iter().map(|text| record(text)).collect();
    match store.create(&head(id), records).await {
        Ok(_) | Err(StoreError::AlreadyExists { .. }) => run(id),
        Err(error) => panic!("creating `{id}` failed: {error}"),
    }
}

/// Appends one external record at whatever end the journal has by then.
pub(crate) async fn append_anywhere(store: &SqliteStore, run: &RunId, text: &str) -> Sequence {
    let mut expected = Sequence::START;
    loop {
        let records = vec![record(text)];
        let appended = store
            .append(run, expected, Writer::External, running(), records)
            .await;
        match appended {
            Ok(end) => return end,
            Err(StoreError::Sequence { actual, .. }) => expected = actual,
            Err(error) => panic!("an append failed: {error}"),
        }
    }
}
