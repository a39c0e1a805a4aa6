//! What the run of a plan may do: derived from the plan, cut down by policy.

mod call;
mod compare;
mod derive;
mod gates;
mod host;
mod json;
mod lock;
mod narrow;
mod onward;
mod permission;
mod rule;
mod sent;
mod source;
mod text;
mod within;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use plan_model::json::digest_of;
use plan_model::{
    AgentName, Digest, Effects, InputName, LanguageName, ModelName, PlanLimits, Seconds,
    SecretName, StepId, ToolName,
};
use serde::{Serialize, Serializer};

pub use call::Refusal;
pub use compare::{Comparison, Widening};
pub use lock::LockError;
pub use narrow::Narrowing;
pub use rule::ArgRule;
pub(crate) use rule::less as is_less;

pub(crate) use derive::derive;

/// Everything that the run of one plan may do, and nothing else.
///
/// Derived, never written by hand: literals of the plan are exact, references
/// stand for what they read, and the policy only narrows. A grant serialises
/// and never deserialises: whoever reopens a run checks its plan again.
///
/// `Display` says it in words; [`Grant::lock`] in a form that can be committed
/// and compared.
///
/// ```compile_fail
/// let grant: plan_validate::Grant = serde_json::from_str("{}").unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Grant {
    plan: Digest,
    tools: BTreeMap<ToolName, Digest>,
    sites: BTreeMap<StepId, SiteGrant>,
    models: BTreeSet<ModelName>,
    languages: BTreeSet<LanguageName>,
    agents: BTreeSet<AgentName>,
    secrets: BTreeSet<SecretName>,
    roots: Vec<GrantedRoot>,
    budgets: PlanLimits,
    sources: Arc<source::Sources>,
    host: host::Host,
    digest: OnceLock<Digest>,
}

/// What one step may do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SiteGrant {
    /// What it may use.
    pub target: Target,
    /// What is sent. The arguments of a tool: a closed map, in which every name must be given. Of a script its
    /// `inline` source or `file`, its `args`, `stdin`, `working_dir` and, as `env.NAME`, its environment; of a
    /// question its prompts and `max_tokens`; of an agent its `objective`, `working_dir`, `max_turns` and, as
    /// `tools.TOOL.NAME`, what the policy lets it give to tools.
    pub arguments: BTreeMap<String, ArgRule>,
    /// Attempts, the first included.
    pub max_attempts: u64,
    /// What one attempt may last: the least of the limits of the step, its config and its tool.
    pub timeout: Option<Seconds>,
    /// What a call may do to the world.
    pub effects: Effects,
    /// Whether a person must approve.
    pub approval: Approval,
    /// The fan-out in whose body it is: it acts once for each item.
    pub within: Option<StepId>,
    /// The plan's own approvals that were given whenever it starts: at most 64, the last ones in plan order.
    pub behind: BTreeSet<StepId>,
}

/// What a step may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Calls of a tool.
    Tool(ToolName),
    /// A script in a language.
    Language(LanguageName),
    /// A question to a model.
    Model(ModelName),
    /// An agent, and the tools that it may call; `None`: the host's default agent.
    Agent {
        /// The agent.
        agent: Option<AgentName>,
        /// Its tools.
        tools: BTreeSet<ToolName>,
    },
}

/// Whether a person must approve a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// Nobody is asked.
    NotNeeded,
    /// Somebody is asked at the call, with its exact arguments. Says why.
    AskAtCall(String),
    /// A step of the plan asks.
    GivenBy(StepId),
}

/// A folder that a run may reach.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum GrantedRoot {
    /// The run's own scratch folder.
    Scratch,
    /// The folder that a directory input names.
    Input(InputName),
    /// A folder of the host.
    Folder(String),
    /// Any folder.
    Anywhere,
}

impl Grant {
    /// The digest of the plan that the grant was derived from.
    pub fn plan(&self) -> Digest {
        self.plan
    }

    /// The tools that the plan uses, with the digests of what they are.
    pub fn tools(&self) -> &BTreeMap<ToolName, Digest> {
        &self.tools
    }

    /// What each step may do, in the order of the step ids. Steps without an effect are not in it.
    pub fn sites(&self) -> &BTreeMap<StepId, SiteGrant> {
        &self.sites
    }

    /// What one step may do; `None` where it has no effect.
    pub fn site(&self, step: &StepId) -> Option<&SiteGrant> {
        self.sites.get(step)
    }

    /// The models that may be asked.
    pub fn models(&self) -> &BTreeSet<ModelName> {
        &self.models
    }

    /// The languages in which scripts may run.
    pub fn languages(&self) -> &BTreeSet<LanguageName> {
        &self.languages
    }

    /// The agents that may be used.
    pub fn agents(&self) -> &BTreeSet<AgentName> {
        &self.agents
    }

    /// The secrets that may be read.
    pub fn secrets(&self) -> &BTreeSet<SecretName> {
        &self.secrets
    }

    /// The folders that may be reached.
    pub fn roots(&self) -> &[GrantedRoot] {
        &self.roots
    }

    /// The most that the run may use: the plan's limits, cut down by the policy's.
    pub fn budgets(&self) -> &PlanLimits {
        &self.budgets
    }

    /// The digest of the whole grant. Taken once.
    pub fn digest(&self) -> Digest {
        *self
            .digest
            .get_or_init(|| digest_of(|out| json::write(out, self)))
    }

    /// The canonical text form, one permission a line, sorted: what a `grant.lock` file holds.
    ///
    /// It holds everything that the run may do, what the host understands by the names in it, whether scripts may
    /// run unconfined, and where the values of its calls come from: config, defaults of inputs, lists, prompts,
    /// conditions whose results are sent. It does not hold the plan's digest, and nothing about order and conditions: it is
    /// what a run may do at most, and changes only with that. [`Grant::newly`] compares it.
    pub fn lock(&self) -> String {
        lock::write(&permission::of(self))
    }
}

impl Serialize for Grant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json::to_value(self).serialize(serializer)
    }
}
