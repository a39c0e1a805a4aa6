//! The wrappers around a model, and what is written down of requests and answers.
#![cfg(test)]

mod budgeted;
mod recorded;
mod stub;
mod written;
