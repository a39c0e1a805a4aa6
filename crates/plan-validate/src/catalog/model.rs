//! Models that a host configures.

use plan_model::ModelName;

/// A model, and where it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelSpec {
    /// The name that plans use.
    pub name: ModelName,
    /// Who provides it.
    pub provider: Option<String>,
    /// Where it answers.
    pub base_url: Option<String>,
}

impl ModelSpec {
    /// A model of which only the name is known.
    pub fn new(name: ModelName) -> Self {
        Self {
            name,
            provider: None,
            base_url: None,
        }
    }
}
