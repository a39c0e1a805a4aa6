//! Runs and plan versions in one SQLite file.
//!
//! The store that ships with Planwright: nothing to install, safe for several
//! processes on one machine, and it survives `kill -9` at any instant.
//!
//! One thread owns the only connection that writes. Appends that wait for it
//! are grouped into one commit, each in a savepoint of its own, so that one
//! refused append does not take the others with it. Reads have connections of
//! their own and see a consistent moment.
//!
//! Who drives a run also holds an operating system lock on a file beside the
//! database (`<file>.owners/`). The lock dies with its process, so the claim of a
//! killed owner is taken at once; where such locks do not work, after
//! [`plan_store::CLAIM_TTL`].
//!
//! Everything in here needs a running tokio runtime.

mod checksum;
mod claim;
mod connection;
mod error;
mod integrity;
mod journal;
mod listing;
mod options;
mod owners;
mod plans;
mod quarantine;
mod readers;
mod row;
mod run_store;
mod schema;
mod store;
mod wakeups;
mod write_queue;

pub use options::{Durability, SqliteOptions};
pub use store::SqliteStore;
