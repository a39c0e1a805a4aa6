#![cfg(test)]
//! Integration tests of the kit: the proof that the validator is right, in one binary.

mod campaign;
mod generated;
mod mutants;
mod mutated;
mod second_opinion;
mod simulation;
mod suites;
