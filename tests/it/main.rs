//! Whole plans in a whole host: every crate of the workspace at once.
#![cfg(test)]

mod cases;
mod plans;
