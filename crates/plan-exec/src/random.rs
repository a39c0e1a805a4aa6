//! Ids that nobody else draws.

use std::hash::{BuildHasher, Hasher, RandomState};

use plan_model::Timestamp;
use plan_run::RunId;

/// Draws the id of a run that begins at `now`: sorts by time, and ends in 64 random bits.
///
/// [`Executor::start`](crate::Executor::start) draws one where the request names none.
pub fn new_run_id(now: Timestamp) -> RunId {
    // the keys of `RandomState` are seeded by the operating system and differ in every instance
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_i64(now.as_millis());
    hasher.write_u32(std::process::id());
    RunId::drawn(now, hasher.finish())
}
