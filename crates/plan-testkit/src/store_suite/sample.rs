//! Runs, records and plans that the cases work on.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan_model::{Digest, PlanId, PlanStatus, Timestamp};
use plan_run::{RunId, RunStatus};
use plan_store::{
    Clock, HeadUpdate, OwnerId, Record, RunHead, RunStore, Sequence, Store, StoredPlan, Writer,
};

use super::Fixture;

pub(super) fn run(text: &str) -> RunId {
    RunId::new(text).unwrap()
}

pub(super) fn owner(text: &str) -> OwnerId {
    OwnerId::new(text).unwrap()
}

pub(super) fn record(text: &str) -> Record {
    Record::new(text)
}

pub(super) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000 + millis)
}

pub(super) fn head(text: &str) -> RunHead {
    RunHead {
        run: run(text),
        plan: PlanId::of_bytes(b"sample"),
        plan_version: 1,
        plan_name: "sample".to_owned(),
        status: RunStatus::Running,
        created_at: at(0),
        updated_at: at(0),
        tags: BTreeMap::new(),
    }
}

pub(super) fn running() -> HeadUpdate {
    HeadUpdate::new(RunStatus::Running, at(1))
}

pub(super) fn plan(name: &str, version: u64, document: &str) -> StoredPlan {
    StoredPlan {
        id: PlanId::of_bytes(name.as_bytes()),
        version,
        digest: Digest::of_bytes(document.as_bytes()),
        name: name.to_owned(),
        status: PlanStatus::Published,
        document: document.to_owned(),
    }
}

impl Fixture {
    /// Creates a run whose journal is these records.
    pub(super) async fn created(&self, id: &str, records: &[&str]) -> RunId {
        let records = records.iter().map(|text| record(text)).collect();
        self.store().create(&head(id), records).await.unwrap();
        run(id)
    }

    pub(super) fn shared(&self) -> Arc<dyn Store> {
        Arc::clone(self.store())
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock().now()
    }
}

/// Appends one external record at whatever end the journal has by then.
pub(super) async fn append_anywhere(store: &dyn Store, run: &RunId, text: &str) -> Sequence {
    let mut expected = Sequence::START;
    loop {
        let appended = store
            .append(
                run,
                expected,
                Writer::External,
                running(),
                vec![record(text)],
            )
            .await;
        match appended {
            Ok(end) => return end,
            Err(plan_store::StoreError::Sequence { actual, .. }) => expected = actual,
            Err(error) => panic!("an append failed: {error}"),
        }
    }
}
