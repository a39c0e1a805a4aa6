//! Findings and checked plans, for people and for programs.

mod excerpt;
mod hidden;
mod json;
mod pretty;

pub use json::json;
pub use pretty::{Colour, pretty};
