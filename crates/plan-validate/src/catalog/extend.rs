//! A catalog with one thing more.

use std::sync::Arc;

use plan_model::{LanguageName, Limits, Pointer, ToolName, ToolSpec};

use super::twins::{Names, Twin};
use super::{AgentSpec, CatalogRejected, CatalogTool, LanguageSpec, ToolCatalog, language};

impl ToolCatalog {
    /// The catalog with a tool more. Compiles the schemas of that tool alone.
    ///
    /// # Errors
    /// When a tool of the catalog has that name, or one that looks like it.
    pub fn with_tool(mut self, spec: ToolSpec) -> Result<Self, CatalogRejected> {
        let at = |tool: usize| Pointer::root().join("tools").join(tool).join("name");
        let mut names = Names::default();
        // two plain ASCII names are no twins unless they are one
        let may_be_twin = |name: &ToolName| {
            *name == spec.name || !(name.as_str().is_ascii() && spec.name.as_str().is_ascii())
        };
        for (tool, name) in self.tools.keys().enumerate() {
            if may_be_twin(name) {
                names.take(name, &at(tool));
            }
        }
        if let Some(Twin::Same(finding) | Twin::Alike(finding)) =
            names.take(&spec.name, &at(self.tools.len()))
        {
            return Err(CatalogRejected::new(vec![finding]));
        }
        let tool = CatalogTool::new(spec, &Limits::default());
        self.tools.insert(tool.spec.name.clone(), Arc::new(tool));
        Ok(self)
    }

    /// The catalog with a language more, or in place of the one of that name.
    #[must_use]
    pub fn with_language(mut self, name: LanguageName, spec: LanguageSpec) -> Self {
        Arc::make_mut(&mut self.languages).insert(name, spec);
        self
    }

    /// The catalog with an agent more, or in place of the one of that name.
    #[must_use]
    pub fn with_agent(mut self, spec: AgentSpec) -> Self {
        self.agents.insert(spec.name.clone(), spec);
        self
    }

    /// The catalog with the built-in languages; its own stay.
    #[must_use]
    pub fn with_built_in_languages(mut self) -> Self {
        let languages = Arc::make_mut(&mut self.languages);
        for (name, spec) in language::built_in().iter() {
            languages
                .entry(name.clone())
                .or_insert_with(|| spec.clone());
        }
        self
    }
}
