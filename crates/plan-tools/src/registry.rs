//! From a catalog to tools that can be called.

use std::path::Path;
use std::sync::Arc;

use plan_exec::{RegistryError, ToolRegistry};
use plan_model::{AgentName, ToolName};
use plan_validate::policy::SandboxPolicy;
use plan_validate::{AgentKind, ToolCatalog};
use serde_json::Value;

use crate::{CatalogFile, ConfigError, ProcessCodeRunner, SubprocessAgent, SubprocessTool};

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
    /// This build has no tools of this kind.
    #[error("is of kind `{kind}`, which is not available in this build")]
    Kind {
        /// The kind.
        kind: String,
    },
    /// Its config cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl CatalogFile {
    /// Makes the tools of this file, under a policy or a sandbox mode alone.
    ///
    /// # Errors
    /// When the registry refuses one.
    pub fn tools(&self, sandbox: impl Into<SandboxPolicy>) -> Result<CatalogTools, RegistryError> {
        tools_of(self.catalog(), self.folder(), sandbox)
    }
}

/// Makes the tools of a catalog, however it came about; paths in it are relative to `folder`.
///
/// # Errors
/// When the registry refuses one.
pub fn tools_of(
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
        let kind = kind_of(tool.spec.config.as_ref());
        let made = match kind {
            Some(kind) if kind != "subprocess" => Err(UnavailableReason::Kind {
                kind: kind.to_owned(),
            }),
            _ => SubprocessTool::new(tool.spec.clone(), folder).map_err(Into::into),
        };
        match made {
            Ok(tool) => registry = registry.implement(Arc::new(tool))?,
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

fn kind_of(config: Option<&Value>) -> Option<&str> {
    config?.get("kind")?.as_str()
}
