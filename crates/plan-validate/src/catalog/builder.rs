//! Building a catalog in code.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan_model::{AgentName, LanguageName, Limits, ModelName, Pointer, ToolName, ToolSpec};

use super::twins::{Names, Twin};
use super::{
    AgentSpec, CatalogRejected, CatalogTool, LanguageSpec, ModelSpec, ToolCatalog, language,
};
use crate::finding::Finding;

/// Collects what a catalog holds.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct CatalogBuilder {
    tools: Vec<(Pointer, ToolSpec)>,
    models: Option<BTreeMap<ModelName, ModelSpec>>,
    languages: Vec<(LanguageName, LanguageSpec)>,
    agents: BTreeMap<AgentName, AgentSpec>,
    limits: Limits,
}

impl CatalogBuilder {
    /// Adds a tool. Its schemas are compiled by [`CatalogBuilder::build`].
    pub fn tool(mut self, spec: ToolSpec) -> Self {
        let pointer = Pointer::root().join("tools").join(self.tools.len());
        self.tools.push((pointer, spec));
        self
    }

    pub(super) fn tool_at(&mut self, pointer: Pointer, spec: ToolSpec) {
        self.tools.push((pointer, spec));
    }

    /// Adds a model. Without any, every model name is taken.
    pub fn model(mut self, spec: ModelSpec) -> Self {
        self.models
            .get_or_insert_default()
            .insert(spec.name.clone(), spec);
        self
    }

    /// Takes no model but those that are added.
    pub fn only_named_models(mut self) -> Self {
        self.models.get_or_insert_default();
        self
    }

    /// Adds a language, or replaces a built-in one under all of its names.
    pub fn language(mut self, name: LanguageName, spec: LanguageSpec) -> Self {
        self.languages.push((name, spec));
        self
    }

    /// Adds an agent.
    pub fn agent(mut self, spec: AgentSpec) -> Self {
        self.agents.insert(spec.name.clone(), spec);
        self
    }

    /// The bounds for schemas.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Makes the catalog: compiles every schema, once. A tool whose schema cannot be used is quarantined.
    ///
    /// # Errors
    /// Two tools of one name, or of names that look alike.
    pub fn build(self) -> Result<ToolCatalog, CatalogRejected> {
        let (catalog, findings) = self.build_lenient();
        if findings.is_empty() {
            Ok(catalog)
        } else {
            Err(CatalogRejected::new(findings))
        }
    }

    /// The catalog and the findings about names; of twins the first is kept.
    pub(super) fn build_lenient(self) -> (ToolCatalog, Vec<Finding>) {
        let mut findings = Vec::new();
        let mut tools: BTreeMap<ToolName, Arc<CatalogTool>> = BTreeMap::new();
        let mut names = Names::default();
        for (pointer, spec) in self.tools {
            match names.take(&spec.name, &pointer.join("name")) {
                Some(Twin::Same(finding)) => {
                    findings.push(finding);
                    continue;
                }
                Some(Twin::Alike(finding)) => findings.push(finding),
                None => {}
            }
            let tool = CatalogTool::new(spec, &self.limits);
            tools.insert(tool.spec.name.clone(), Arc::new(tool));
        }
        let mut languages = language::built_in();
        if !self.languages.is_empty() {
            let table = Arc::make_mut(&mut languages);
            for (name, spec) in self.languages {
                let aliases = language::aliases(name.as_str()).into_iter();
                for alias in aliases.filter_map(|alias| LanguageName::new(alias).ok()) {
                    table.insert(alias, spec.clone());
                }
            }
        }
        let catalog = ToolCatalog {
            tools,
            models: self.models,
            languages,
            agents: self.agents,
        };
        (catalog, findings)
    }
}
