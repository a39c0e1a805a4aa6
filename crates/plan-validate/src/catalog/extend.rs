//! A catalog with one thing more.

use std::sync::Arc;

use plan_model::{LanguageName, Limits, Pointer, ToolSpec};
use unicode_security::skeleton;

use super::{CatalogRejected, CatalogTool, LanguageSpec, ToolCatalog, language};
use crate::rules::INVALID_CATALOG;
use crate::text;

impl ToolCatalog {
    /// The catalog with a tool more. Compiles the schemas of that tool alone.
    ///
    /// # Errors
    /// When a tool of the catalog has that name, or one that looks like it.
    pub fn with_tool(mut self, spec: ToolSpec) -> Result<Self, CatalogRejected> {
        let at = Pointer::root()
            .join("tools")
            .join(self.tools.len())
            .join("name");
        let refused = |message| CatalogRejected::new(vec![INVALID_CATALOG.at(at, message)]);
        let name = text::quoted(&spec.name);
        if self.tools.contains_key(&spec.name) {
            return Err(refused(format!("two tools are called {name}")));
        }
        let look: String = skeleton(spec.name.as_str()).collect();
        let looks_alike = |twin: &str| {
            // two plain ASCII names can be told apart where it matters: byte for byte
            !(twin.is_ascii() && spec.name.as_str().is_ascii()) && skeleton(twin).eq(look.chars())
        };
        if self.tools.keys().any(|twin| looks_alike(twin.as_str())) {
            return Err(refused(format!(
                "the tool name {name} looks like another one"
            )));
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
