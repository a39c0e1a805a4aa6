//! What a host allows plans to do.

pub(crate) mod document;
mod sandbox;

use std::collections::{BTreeMap, BTreeSet};

use plan_model::document::Document;
use plan_model::{AgentName, LanguageName, Limits, ModelName, PlanLimits, SecretName, ToolName};

use crate::catalog::ToolCatalog;
use crate::finding::{Code, Finding, Severity};
use crate::grant::ArgRule;
use crate::rules;

pub use sandbox::{SandboxLimits, SandboxMode, SandboxPolicy};

/// What a host allows plans to do. It only ever narrows what a plan declares.
///
/// The default is the meaning of a missing policy file: every allowlisted tool,
/// every model, language and agent of the catalog, no secrets, the run's own
/// folders, no approvals, a sandbox required, and untrusted values in sensitive
/// arguments asked about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Policy {
    /// The tools that plans may call; `None`: all that are allowlisted.
    pub tools: Option<BTreeSet<ToolName>>,
    /// The models that plans may ask; `None`: all.
    pub models: Option<BTreeSet<ModelName>>,
    /// The languages that plans may run; `None`: all.
    pub languages: Option<BTreeSet<LanguageName>>,
    /// The agents that plans may use; `None`: all.
    pub agents: Option<BTreeSet<AgentName>>,
    /// The secrets that plans may read; `None`: all.
    pub secrets: Option<BTreeSet<SecretName>>,
    /// The folders that a run may reach.
    pub roots: Roots,
    /// What arguments of tools may be. An argument that is named here must be given.
    pub arguments: BTreeMap<ToolName, BTreeMap<String, ArgRule>>,
    /// What a run may use at most; the file's `limits`.
    pub budgets: PlanLimits,
    /// Severities that differ from the rules' own; `None` turns a rule off. Errors stay errors.
    pub severities: BTreeMap<Code, Option<Severity>>,
    /// Which calls need a person's approval.
    pub require_approval: RequireApproval,
    /// What an untrusted value in a sensitive argument means.
    pub untrusted: Untrusted,
    /// What is untrusted beside what always is.
    pub untrusted_sources: BTreeSet<UntrustedSource>,
    /// Whether scripts and agents must be sandboxed.
    pub sandbox: SandboxMode,
    /// The bounds on what sandboxed processes use, where a language or an agent has none of its own.
    pub sandbox_limits: SandboxLimits,
    /// The bounds of everything that enters.
    pub limits: Limits,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            tools: None,
            models: None,
            languages: None,
            agents: None,
            secrets: Some(BTreeSet::new()),
            roots: Roots::RunOnly,
            arguments: BTreeMap::new(),
            budgets: PlanLimits::default(),
            severities: BTreeMap::new(),
            require_approval: RequireApproval::default(),
            untrusted: Untrusted::Ask,
            untrusted_sources: BTreeSet::new(),
            sandbox: SandboxMode::Required,
            sandbox_limits: SandboxLimits::default(),
            limits: Limits::default(),
        }
    }
}

/// The folders that a run may reach, beside its own scratch folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Roots {
    /// The run's directory inputs alone.
    RunOnly,
    /// Any.
    Unrestricted,
    /// These alone; directory inputs must lie inside them.
    Listed(Vec<String>),
}

/// Which calls need a person's approval.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RequireApproval {
    /// Calls with one of these effects, declared or assumed.
    pub effects: BTreeSet<EffectKind>,
    /// Calls of these tools.
    pub tools: BTreeSet<ToolName>,
    /// What it means where no approval step of the plan gives it.
    pub without: Unapproved,
}

/// What a call means that needs an approval which no step of the plan gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unapproved {
    /// A person is asked when the call is made, with its exact arguments.
    #[default]
    Ask,
    /// The plan is refused (P603), as far as the tool declares the effect. What is only assumed of it is
    /// asked about, and noted.
    Deny,
}

/// An effect that a policy can ask about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffectKind {
    /// The call may change something: it is not read-only.
    Write,
    /// The call may destroy.
    Destructive,
    /// The call reaches an open set of parties.
    OpenWorld,
    /// A script runs, or an agent.
    Code,
}

impl EffectKind {
    /// The word in a policy file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Destructive => "destructive",
            Self::OpenWorld => "open_world",
            Self::Code => "code",
        }
    }
}

/// What an untrusted value in a sensitive argument means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untrusted {
    /// The call is asked about, with its exact arguments.
    Ask,
    /// The call is refused.
    Deny,
    /// Nothing.
    Allow,
}

/// A source of values that is trusted unless the policy says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum UntrustedSource {
    /// The inputs that a caller gives: for hosts that run plans for strangers.
    Inputs,
    /// What people answer in words. Approvals are not meant: whose count is settled elsewhere.
    Answers,
}

/// A policy that was refused, with every finding.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", crate::check::summary("the policy is refused", .findings, 0))]
pub struct PolicyRejected {
    findings: Vec<Finding>,
}

impl PolicyRejected {
    pub(crate) fn new(findings: Vec<Finding>) -> Self {
        Self { findings }
    }

    /// Every finding, in the order of the document.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl Policy {
    /// Reads a policy file that has been parsed. What the file leaves out is unrestricted.
    ///
    /// # Errors
    /// Every finding, all of rule P902.
    pub fn from_document(document: &Document) -> Result<Self, PolicyRejected> {
        document::read(document)
    }

    /// Warnings about names that the catalog does not have (P902). None refuses the policy.
    pub fn findings_against(&self, catalog: &ToolCatalog) -> Vec<Finding> {
        rules::policy_against(self, catalog)
    }

    /// The policy, with these tools alone.
    #[must_use]
    pub fn allow_tools(mut self, tools: impl IntoIterator<Item = ToolName>) -> Self {
        self.tools = Some(tools.into_iter().collect());
        self
    }

    /// The policy, with these models alone.
    #[must_use]
    pub fn allow_models(mut self, models: impl IntoIterator<Item = ModelName>) -> Self {
        self.models = Some(models.into_iter().collect());
        self
    }

    /// The policy, with these languages alone.
    #[must_use]
    pub fn allow_languages(mut self, languages: impl IntoIterator<Item = LanguageName>) -> Self {
        self.languages = Some(languages.into_iter().collect());
        self
    }

    /// The policy, with these agents alone.
    #[must_use]
    pub fn allow_agents(mut self, agents: impl IntoIterator<Item = AgentName>) -> Self {
        self.agents = Some(agents.into_iter().collect());
        self
    }

    /// The policy, with these secrets alone.
    #[must_use]
    pub fn allow_secrets(mut self, secrets: impl IntoIterator<Item = SecretName>) -> Self {
        self.secrets = Some(secrets.into_iter().collect());
        self
    }

    /// The policy, with these roots.
    #[must_use]
    pub fn roots(mut self, roots: Roots) -> Self {
        self.roots = roots;
        self
    }

    /// The policy, with an approval required for calls with this effect.
    #[must_use]
    pub fn require_approval_for(mut self, effect: EffectKind) -> Self {
        self.require_approval.effects.insert(effect);
        self
    }

    /// The policy, with an approval required for calls of this tool.
    #[must_use]
    pub fn require_approval_of(mut self, tool: ToolName) -> Self {
        self.require_approval.tools.insert(tool);
        self
    }

    /// The policy, with this for calls that need an approval which no step of the plan gives.
    #[must_use]
    pub fn without_approval(mut self, unapproved: Unapproved) -> Self {
        self.require_approval.without = unapproved;
        self
    }

    /// The policy, with a rule for an argument of a tool.
    #[must_use]
    pub fn argument(mut self, tool: ToolName, argument: impl Into<String>, rule: ArgRule) -> Self {
        self.arguments
            .entry(tool)
            .or_default()
            .insert(argument.into(), rule);
        self
    }

    /// The policy, with this severity for a rule; `None` turns it off. An unknown code changes nothing.
    #[must_use]
    pub fn severity(mut self, code: &str, severity: Option<Severity>) -> Self {
        if let Some(rule) = rules::rule(code) {
            self.severities.insert(rule.code, severity);
        }
        self
    }

    /// The policy, with this for untrusted values in sensitive arguments.
    #[must_use]
    pub fn untrusted(mut self, untrusted: Untrusted) -> Self {
        self.untrusted = untrusted;
        self
    }

    /// The policy, which does not trust this source.
    #[must_use]
    pub fn distrust(mut self, source: UntrustedSource) -> Self {
        self.untrusted_sources.insert(source);
        self
    }

    /// The policy, with this sandbox mode.
    #[must_use]
    pub fn sandbox(mut self, mode: SandboxMode) -> Self {
        self.sandbox = mode;
        self
    }

    /// The policy, with these bounds on what sandboxed processes use.
    #[must_use]
    pub fn sandbox_limits(mut self, limits: SandboxLimits) -> Self {
        self.sandbox_limits = limits;
        self
    }

    /// The policy, with these budgets for a run.
    #[must_use]
    pub fn budgets(mut self, budgets: PlanLimits) -> Self {
        self.budgets = budgets;
        self
    }

    /// The policy, with these bounds for everything that enters.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
