//! The memory store under the conformance suite.
#![cfg(test)]

use plan_store::{ManualClock, MemoryStore};
use plan_testkit::store_suite::Fixture;

async fn fresh() -> Fixture {
    let clock = ManualClock::default();
    Fixture::new(MemoryStore::with_clock(clock.clone()), clock)
}

plan_testkit::store_suite!(fresh);
