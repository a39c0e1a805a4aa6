//! Runs driven over a store in memory, in scripted time.
#![cfg(test)]

mod lab;

mod start;
