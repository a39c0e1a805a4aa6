//! Child processes, catalog files, subprocess tools and code, with real programs.
#![cfg(test)]

mod agents;
mod code;
mod context;
mod files;
mod process;
mod secrets;
mod subprocess;
mod suites;
