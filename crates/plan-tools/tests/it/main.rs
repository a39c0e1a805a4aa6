//! Child processes, catalog files, subprocess tools and code, with real programs.
#![cfg(test)]

mod agents;
mod code;
mod context;
mod files;
mod http;
mod kinds;
mod process;
mod secrets;
mod server;
mod subprocess;
mod suites;
