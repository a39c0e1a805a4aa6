//! The models that a host has.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan_llm::LanguageModel;
use plan_model::ModelName;

/// The models that plans may name, and what answers for each.
///
/// A plan that names a model without an implementation is refused before its run exists.
/// Clones share the implementations.
#[derive(Debug, Clone, Default)]
pub struct ModelRegistry {
    named: BTreeMap<ModelName, Arc<dyn LanguageModel>>,
    other: Option<Arc<dyn LanguageModel>>,
}

impl ModelRegistry {
    /// No models.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what answers for a model, or replaces it.
    #[must_use]
    pub fn with(mut self, name: ModelName, model: Arc<dyn LanguageModel>) -> Self {
        self.named.insert(name, model);
        self
    }

    /// Sets what answers for every model without an implementation of its own: the request names the model.
    #[must_use]
    pub fn with_others(mut self, model: Arc<dyn LanguageModel>) -> Self {
        self.other = Some(model);
        self
    }

    /// What answers for a model.
    pub fn get(&self, name: &ModelName) -> Option<&Arc<dyn LanguageModel>> {
        self.named.get(name).or(self.other.as_ref())
    }
}
