//! Runs driven over a store in memory, in scripted time.
#![cfg(test)]

mod lab;

mod cancel;
mod conflict;
mod crash;
mod data;
mod durability;
mod edited;
mod failing;
mod flow;
mod grant;
mod limits;
mod people;
mod retry;
mod secrets;
mod start;
mod watch;
mod world_fixed;
