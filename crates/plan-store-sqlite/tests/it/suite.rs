//! The conformance suite.

use plan_store::ManualClock;
use plan_store_sqlite::SqliteStore;
use plan_testkit::store_suite::Fixture;

async fn fresh() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::default();
    let store = SqliteStore::options()
        .clock(clock.clone())
        .open(folder.path().join("state.db"))
        .await
        .unwrap();
    Fixture::new(store, clock).keeping(folder)
}

plan_testkit::store_suite!(fresh);
