//! Findings and checked plans, for people, for programs and for models.

mod excerpt;
mod hidden;
mod json;
mod model;
mod pretty;
mod sarif;

pub use json::json;
pub use model::model;
pub use pretty::{Colour, pretty};
pub use sarif::sarif;
