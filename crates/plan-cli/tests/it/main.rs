//! The real binary, in folders of its own: exit codes, shapes of JSON, signals and kills.
#![cfg(test)]

mod agents;
mod approval;
mod bad_input;
mod check;
mod command;
mod conflict;
mod examples;
mod fix;
mod fork;
mod grant_lock;
mod graph;
mod guide;
mod hints;
mod http;
mod kill;
mod plans;
mod run;
mod sandbox;
mod secret_files;
mod secrets;
mod signals;
mod store;
