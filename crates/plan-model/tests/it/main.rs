#![cfg(test)]
//! What the crate promises, seen from outside.

mod digest;
mod document;
mod edits;
mod expression;
mod graph;
mod shape;
mod template;
mod values;
