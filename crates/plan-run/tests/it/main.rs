//! The machine as its drivers see it.
#![cfg(test)]

mod approvals;
mod bounds;
mod cancel;
mod codec;
mod doubt;
mod failures;
mod fan_in;
mod fan_out;
mod fork;
mod harness;
mod items_resumed;
mod joins;
mod journals;
mod laws;
mod outputs;
mod questions;
mod record;
mod refusals;
mod resume;
mod retries;
mod slots;
