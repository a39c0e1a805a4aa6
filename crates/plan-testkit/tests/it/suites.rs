//! The suites of contracts, over the implementations that are shipped with them.

mod agents;
mod models;
mod others;
