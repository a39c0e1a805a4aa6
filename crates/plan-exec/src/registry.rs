//! The implementations that a host has, and the catalog that describes exactly them.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan_model::{AgentName, IdError, LanguageName, SecretName, ToolName};
use plan_validate::catalog::{AgentSpec, CatalogRejected, LanguageSpec, ToolCatalog};

use crate::{AgentRunner, CodeRunner, IntoTool, Tool};

/// The tools of a host.
///
/// `check` takes its [`catalog`](ToolRegistry::catalog) and the executor takes
/// the registry, so what was checked and what runs cannot drift apart. Clones
/// share the implementations.
#[derive(Debug, Clone, Default)]
pub struct ToolRegistry {
    catalog: ToolCatalog,
    tools: BTreeMap<ToolName, Arc<dyn Tool>>,
    code: Option<Arc<dyn CodeRunner>>,
    agents: BTreeMap<AgentName, Arc<dyn AgentRunner>>,
    agent: Option<Arc<dyn AgentRunner>>,
}

impl ToolRegistry {
    /// No tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// A catalog that was read from elsewhere; [`ToolRegistry::implement`] brings its tools to life.
    ///
    /// A tool without an implementation may be named by plans that are only checked: a start refuses them.
    pub fn from_catalog(catalog: ToolCatalog) -> Self {
        Self {
            catalog,
            tools: BTreeMap::new(),
            code: None,
            agents: BTreeMap::new(),
            agent: None,
        }
    }

    /// Adds a tool, and its specification to the catalog.
    ///
    /// # Errors
    /// When the name is no tool name, or is taken by a tool or by one that reads like it.
    pub fn with(mut self, tool: impl IntoTool) -> Result<Self, RegistryError> {
        let tool = tool
            .into_tool()
            .map_err(|(text, error)| RegistryError::InvalidName { text, error })?;
        let name = tool.spec().name.clone();
        if self.catalog.tool(&name).is_some() {
            return Err(RegistryError::Repeated { name });
        }
        self.catalog = self.catalog.with_tool(tool.spec().clone())?;
        self.tools.insert(name, tool);
        Ok(self)
    }

    /// Adds the implementation of a tool that the catalog describes.
    ///
    /// # Errors
    /// When the catalog has no such tool, describes it differently, or it was implemented before.
    pub fn implement(mut self, tool: Arc<dyn Tool>) -> Result<Self, RegistryError> {
        let name = tool.spec().name.clone();
        let Some(described) = self.catalog.tool(&name) else {
            return Err(RegistryError::NotInCatalog { name });
        };
        if described.spec != *tool.spec() {
            return Err(RegistryError::SpecDiffers { name });
        }
        if self.tools.contains_key(&name) {
            return Err(RegistryError::Repeated { name });
        }
        self.tools.insert(name, tool);
        Ok(self)
    }

    /// Sets what runs the scripts of `CODE_CALL` steps.
    ///
    /// A catalog without languages gets the built-in ones: Python, JavaScript, bash and sh.
    #[must_use]
    pub fn with_code_runner(mut self, runner: Arc<dyn CodeRunner>) -> Self {
        if self.catalog.languages().is_empty() {
            self.catalog = self.catalog.with_built_in_languages();
        }
        self.code = Some(runner);
        self
    }

    /// Adds an agent, and its description to the catalog.
    #[must_use]
    pub fn with_agent(mut self, spec: AgentSpec, runner: Arc<dyn AgentRunner>) -> Self {
        self.agents.insert(spec.name.clone(), runner);
        self.catalog = self.catalog.with_agent(spec);
        self
    }

    /// Adds what runs an agent that the catalog describes. A `loop` of the catalog needs none: it asks its model.
    ///
    /// # Errors
    /// When the catalog has no such agent.
    pub fn implement_agent(
        mut self,
        name: AgentName,
        runner: Arc<dyn AgentRunner>,
    ) -> Result<Self, RegistryError> {
        if !self.catalog.agents().contains_key(&name) {
            return Err(RegistryError::NoSuchAgent { name });
        }
        self.agents.insert(name, runner);
        Ok(self)
    }

    /// Sets what runs the agents of steps that name none.
    #[must_use]
    pub fn with_default_agent(mut self, runner: Arc<dyn AgentRunner>) -> Self {
        self.agent = Some(runner);
        self
    }

    /// Adds a language that scripts may be written in, or replaces it.
    #[must_use]
    pub fn with_language(mut self, name: LanguageName, language: LanguageSpec) -> Self {
        self.catalog = self.catalog.with_language(name, language);
        self
    }

    /// What `check` needs to know.
    pub fn catalog(&self) -> &ToolCatalog {
        &self.catalog
    }

    /// The implementation of a tool.
    pub fn tool(&self, name: &ToolName) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    /// What runs the agent of this name, or the one of steps that name none.
    pub fn agent_runner(&self, name: Option<&AgentName>) -> Option<&Arc<dyn AgentRunner>> {
        match name {
            Some(name) => self.agents.get(name),
            None => self.agent.as_ref(),
        }
    }

    /// The tools that need secrets for themselves, and which.
    pub(crate) fn in_need(&self) -> BTreeMap<&ToolName, &[SecretName]> {
        let needs = self.tools.iter().map(|(name, tool)| (name, tool.secrets()));
        needs.filter(|(_, secrets)| !secrets.is_empty()).collect()
    }

    /// What runs scripts.
    pub fn code_runner(&self) -> Option<&Arc<dyn CodeRunner>> {
        self.code.as_ref()
    }
}

/// Why a tool was not taken into a registry.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The text is no tool name.
    #[error("the tool name `{text}` {error}")]
    InvalidName {
        /// The text.
        text: String,
        /// What is wrong with it.
        error: IdError,
    },
    /// There is a tool of this name already.
    #[error("the tool `{name}` is there already")]
    Repeated {
        /// The name.
        name: ToolName,
    },
    /// The catalog does not describe the tool.
    #[error("the catalog has no tool `{name}`")]
    NotInCatalog {
        /// The name.
        name: ToolName,
    },
    /// The implementation describes itself otherwise than the catalog does.
    #[error("the tool `{name}` describes itself otherwise than the catalog does")]
    SpecDiffers {
        /// The name.
        name: ToolName,
    },
    /// The catalog does not describe the agent.
    #[error("the catalog has no agent `{name}`")]
    NoSuchAgent {
        /// The name.
        name: AgentName,
    },
    /// The catalog refused it.
    #[error(transparent)]
    Rejected(#[from] CatalogRejected),
}
