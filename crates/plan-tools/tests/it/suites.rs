//! The conformance suites, over what this crate has of each contract.

mod agents;
mod scripts;
mod secrets;
mod tools;
