//! From a catalog to tools that can be called.

use std::path::Path;
use std::sync::Arc;

use plan_exec::{RegistryError, ToolRegistry};
use plan_model::{AgentName, ToolName};
use plan_validate::policy::SandboxPolicy;
use plan_validate::{AgentKind, ToolCatalog};
use serde_json::Value;

use crate::kinds::{CatalogEntry, EntryRefused, ToolKinds};
use crate::{CatalogFile, ConfigError, ProcessCodeRunner, SubprocessAgent};

/// Tools of a catalog, and those of them that this build cannot run.
#[derive(Debug, Clone)]
pub struct CatalogTools {
    /// What the executor takes: every tool that can run, and a runner for scripts.
    pub registry: ToolRegistry,
    /// Tools without an implementation, in the order of their names. A run of a plan that calls one is refused.
    pub unavailable: Vec<Unavailable>,
    /// Agents that are programs and cannot be run as the catalog describes them, in the order of their names.
    pub idle: Vec<UnavailableAgent>,
}

/// An agent that is in the catalog and cannot run here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the agent `{name}` {reason}")]
pub struct UnavailableAgent {
    /// The agent.
    pub name: AgentName,
    /// Why it cannot run.
    pub reason: ConfigError,
}

/// A tool that is in the catalog and cannot run here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tool `{name}` {reason}")]
pub struct Unavailable {
    /// The tool.
    pub name: ToolName,
    /// Why it cannot run.
    pub reason: UnavailableReason,
}

/// Why a tool of the catalog cannot run here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnavailableReason {
    /// Nothing here makes tools of this kind.
    #[error("is of kind `{kind}`, which is not available here; kinds that are: {}", listed(.known))]
    Kind {
        /// The kind.
        kind: String,
        /// The kinds that are available.
        known: Vec<String>,
    },
    /// Its entry cannot be run.
    #[error(transparent)]
    Entry(#[from] EntryRefused),
}

impl CatalogFile {
    /// Makes the tools of this file, of the kinds that it was read with, under a policy or a sandbox mode alone.
    ///
    /// # Errors
    /// When the registry refuses one.
    pub fn tools(&self, sandbox: impl Into<SandboxPolicy>) -> Result<CatalogTools, RegistryError> {
        self.kinds()
            .tools_of(self.catalog(), self.folder(), sandbox)
    }
}

/// Makes the tools of a catalog, however it came about, of the built-in kinds; paths in it are relative to `folder`.
///
/// # Errors
/// When the registry refuses one.
pub fn tools_of(
    catalog: &ToolCatalog,
    folder: &Path,
    sandbox: impl Into<SandboxPolicy>,
) -> Result<CatalogTools, RegistryError> {
    ToolKinds::built_in().tools_of(catalog, folder, sandbox)
}

impl ToolKinds {
    /// Makes the tools of a catalog, of these kinds; paths in it are relative to `folder`.
    ///
    /// # Errors
    /// When the registry refuses one.
    pub fn tools_of(
        &self,
        catalog: &ToolCatalog,
        folder: &Path,
        sandbox: impl Into<SandboxPolicy>,
    ) -> Result<CatalogTools, RegistryError> {
        let sandbox = sandbox.into();
        let mut registry = ToolRegistry::from_catalog(catalog.clone())
            .with_code_runner(Arc::new(ProcessCodeRunner::new(catalog, sandbox)));
        let mut unavailable = Vec::new();
        for tool in catalog.tools() {
            let name = tool.spec.name.clone();
            // one that says nothing is refused as a program is
            let word = kind_of(tool.spec.config.as_ref()).unwrap_or("subprocess");
            let entry = CatalogEntry::new(&tool.spec, folder);
            let made = match self.get(word) {
                Some(kind) => kind.make(&entry).map_err(UnavailableReason::from),
                None => Err(UnavailableReason::Kind {
                    kind: word.to_owned(),
                    known: self.words().map(str::to_owned).collect(),
                }),
            };
            match made {
                Ok(tool) => registry = registry.implement(tool)?,
                Err(reason) => unavailable.push(Unavailable { name, reason }),
            }
        }
        let mut idle = Vec::new();
        let programs = catalog.agents().values();
        for spec in programs.filter(|spec| spec.kind == AgentKind::Subprocess) {
            match SubprocessAgent::new(spec, folder) {
                Ok(agent) => {
                    let agent = agent.sandbox(sandbox);
                    registry = registry.implement_agent(spec.name.clone(), Arc::new(agent))?;
                }
                Err(reason) => idle.push(UnavailableAgent {
                    name: spec.name.clone(),
                    reason,
                }),
            }
        }
        Ok(CatalogTools {
            registry,
            unavailable,
            idle,
        })
    }
}

fn listed(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

fn kind_of(config: Option<&Value>) -> Option<&str> {
    config?.get("kind")?.as_str()
}
