//! Runs driven over a store in memory, in scripted time.
#![cfg(test)]

mod lab;

mod agents;
mod audit;
mod cancel;
mod claim;
mod conflict;
mod crash;
mod data;
mod durability;
mod edited;
mod failing;
mod flow;
mod fork;
mod grant;
mod hostile;
mod items;
mod limits;
mod observer;
mod own_needs;
mod path_arguments;
mod paths;
mod people;
mod policy;
mod prompts;
mod relay;
mod retry;
mod secrets;
mod spans;
mod start;
mod takeover;
mod turns;
mod watch;
mod world_fixed;
