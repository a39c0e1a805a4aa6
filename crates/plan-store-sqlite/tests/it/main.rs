//! The SQLite store: under the conformance suite, and what only a file can suffer.
#![cfg(test)]

mod damage;
mod open;
mod process;
mod processes;
mod reopen;
mod sample;
mod suite;
