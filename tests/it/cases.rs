//! Cases that speak of the whole host: real processes, a store that is a file, every way that a word can take.

mod bytes;
mod canary;
mod host;
mod processes;
