//! Agents that a host configures.

use plan_model::{AgentName, ModelName};

use crate::policy::SandboxLimits;

/// How a host runs an agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AgentSpec {
    /// The name that plans use.
    pub name: AgentName,
    /// What kind of agent it is.
    pub kind: AgentKind,
    /// The program, for [`AgentKind::Subprocess`].
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables of the host's environment that it is given, for [`AgentKind::Subprocess`].
    pub env_pass: Vec<String>,
    /// Files and folders that it may read beside the granted roots, for [`AgentKind::Subprocess`].
    pub read_roots: Vec<String>,
    /// Files and folders that it may read and write beside the granted roots, for [`AgentKind::Subprocess`]:
    /// where it keeps its own state.
    pub write_roots: Vec<String>,
    /// The model that it asks, for [`AgentKind::Loop`].
    pub model: Option<ModelName>,
    /// Whether it may reach the network, for [`AgentKind::Subprocess`].
    pub network: bool,
    /// Bounds on what it uses, before those of the policy, for [`AgentKind::Subprocess`].
    pub limits: SandboxLimits,
}

/// What kind of agent a host runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentKind {
    /// A program of its own.
    Subprocess,
    /// A loop of model and tool calls inside the executor.
    Loop,
}

impl AgentSpec {
    /// An agent of this name and kind, without a network.
    pub fn new(name: AgentName, kind: AgentKind) -> Self {
        Self {
            name,
            kind,
            command: None,
            args: Vec::new(),
            env_pass: Vec::new(),
            read_roots: Vec::new(),
            write_roots: Vec::new(),
            model: None,
            network: false,
            limits: SandboxLimits::default(),
        }
    }
}
