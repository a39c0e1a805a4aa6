//! The real binary, in folders of its own: exit codes, shapes of JSON, signals and kills.
#![cfg(test)]

mod approval;
mod bad_input;
mod check;
mod command;
mod conflict;
mod graph;
mod guide;
mod kill;
mod plans;
mod run;
mod signals;
mod store;
