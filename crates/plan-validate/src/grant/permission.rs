//! A grant as permissions: what each is about, and how far it goes.

use std::collections::BTreeMap;

use plan_model::{Digest, Effects, InputName, StepId};
use serde_json::{Value, json};

use super::source::RelayKind;
use super::{Approval, Grant, GrantedRoot, Target, json};
use crate::policy::SandboxMode;

/// What a permission is about. Its text is the first half of a line of a lock.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    Tool(String),
    Model(String),
    Language(String),
    Agent(String),
    Secret(String),
    Root(GrantedRoot),
    /// Scripts may run unconfined: `off`, or where the system has no sandbox: `best_effort`.
    Sandbox(String),
    Budget(String),
    Config(String),
    Takes(String),
    Default(String),
    Step(String, Aspect),
}

/// What a permission of a step is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Aspect {
    Uses,
    Argument(String),
    Attempts,
    Approval,
    Effects,
    Within,
    Behind,
    Items,
    Collects,
    Asks,
    Decides,
    Seconds,
}

impl Aspect {
    /// The aspects that are one word.
    pub(super) const WORDS: [(&'static str, Self); 11] = [
        ("uses", Self::Uses),
        ("attempts", Self::Attempts),
        ("approval", Self::Approval),
        ("effects", Self::Effects),
        ("within", Self::Within),
        ("behind", Self::Behind),
        ("items", Self::Items),
        ("collects", Self::Collects),
        ("asks", Self::Asks),
        ("decides", Self::Decides),
        ("seconds", Self::Seconds),
    ];
}

/// The budgets, by the names of the format, with what they count.
pub(super) const BUDGETS: [(&str, &str); 6] = [
    ("max_concurrency", "effects at one time"),
    ("max_fan_out_items", "items of a fan-out"),
    ("max_model_tokens", "tokens of models"),
    ("max_steps", "steps"),
    ("max_tool_calls", "tool calls"),
    ("max_wall_secs", "seconds"),
];

/// For an approval that nobody gives.
pub(super) const UNASKED: &str = "unasked";
/// For an approval at the call.
pub(super) const ASKED: &str = "asked";
/// For a budget that has no end.
pub(super) const UNBOUNDED: &str = "unbounded";

pub(super) type Permissions = BTreeMap<Subject, Value>;

/// Everything that a grant permits.
pub(super) fn of(grant: &Grant) -> Permissions {
    let mut all = Permissions::new();
    for (tool, digest) in &grant.tools {
        all.insert(Subject::Tool(tool.to_string()), digest.to_string().into());
    }
    // null: the catalog says nothing of it
    let described = |digest: Option<&Digest>| digest.map(ToString::to_string).into();
    for model in &grant.models {
        let digest = described(grant.host.models.get(model));
        all.insert(Subject::Model(model.to_string()), digest);
    }
    for language in &grant.languages {
        let digest = described(grant.host.languages.get(language));
        all.insert(Subject::Language(language.to_string()), digest);
    }
    for agent in &grant.agents {
        let digest = described(grant.host.agents.get(agent));
        all.insert(Subject::Agent(agent.to_string()), digest);
    }
    let mut name = |subject: Subject| all.insert(subject, Value::Null);
    for secret in &grant.secrets {
        name(Subject::Secret(secret.to_string()));
    }
    for root in &grant.roots {
        name(Subject::Root(root.clone()));
    }
    match grant.host.sandbox {
        SandboxMode::Required => {}
        SandboxMode::BestEffort => {
            name(Subject::Sandbox("best_effort".to_owned()));
        }
        SandboxMode::Off => {
            name(Subject::Sandbox("off".to_owned()));
        }
    }
    let budgets = json::budgets(&grant.budgets);
    for (budget, _) in BUDGETS {
        let limit = budgets.get(budget).cloned();
        all.insert(
            Subject::Budget(budget.to_owned()),
            limit.unwrap_or_else(|| UNBOUNDED.into()),
        );
    }
    sources(grant, &mut all);
    sites(grant, &mut all);
    all
}

fn sources(grant: &Grant, all: &mut Permissions) {
    let sources = &grant.sources;
    for (key, value) in &sources.config {
        all.insert(Subject::Config(key.to_string()), value.clone());
    }
    for (name, takes) in &sources.inputs {
        all.insert(Subject::Takes(name.to_string()), takes.clone());
    }
    for (name, default) in &sources.defaults {
        all.insert(Subject::Default(name.to_string()), default.clone());
    }
    for (step, relay) in &sources.relays {
        let mut put = |aspect: Aspect, value: Value| {
            all.insert(Subject::Step(step.to_string(), aspect), value);
        };
        match &relay.kind {
            RelayKind::Items(value) => put(Aspect::Items, value.clone()),
            RelayKind::Collects(value) => put(Aspect::Collects, value.clone()),
            RelayKind::Asks(value) => put(Aspect::Asks, value.clone()),
            RelayKind::Decides(value) => put(Aspect::Decides, value.clone()),
        }
        if let Some(owner) = &relay.within {
            put(Aspect::Within, owner.as_str().into());
        }
    }
}

fn sites(grant: &Grant, all: &mut Permissions) {
    for (step, site) in &grant.sites {
        let mut put = |aspect: Aspect, value: Value| {
            all.insert(Subject::Step(step.to_string(), aspect), value);
        };
        put(Aspect::Uses, uses(&site.target));
        put(Aspect::Attempts, site.max_attempts.into());
        put(
            Aspect::Approval,
            match &site.approval {
                Approval::NotNeeded => UNASKED.into(),
                Approval::AskAtCall(_) => ASKED.into(),
                Approval::GivenBy(gate) => json!({"given_by": gate.as_str()}),
            },
        );
        if matches!(site.target, Target::Tool(_)) {
            put(Aspect::Effects, effects(site.effects));
        }
        if let Some(seconds) = &site.timeout {
            put(Aspect::Seconds, seconds.to_string().into());
        }
        if let Some(owner) = &site.within {
            put(Aspect::Within, owner.as_str().into());
        }
        if !site.behind.is_empty() {
            put(
                Aspect::Behind,
                site.behind.iter().map(StepId::as_str).collect(),
            );
        }
        for (name, rule) in &site.arguments {
            put(Aspect::Argument(name.clone()), json::rule(rule));
        }
    }
}

fn uses(target: &Target) -> Value {
    match target {
        Target::Tool(tool) => json!({"tool": tool.as_str()}),
        Target::Language(language) => json!({"language": language.as_str()}),
        Target::Model(model) => json!({"model": model.as_str()}),
        Target::Agent { agent, tools } => json!({
            "agent": agent.as_ref().map(plan_model::AgentName::as_str),
            "tools": tools.iter().map(plan_model::ToolName::as_str).collect::<Vec<_>>(),
        }),
    }
}

/// What a call may do that another may not, in the words of a policy.
fn effects(effects: Effects) -> Value {
    let words = [
        ("destructive", effects.destructive.holds),
        ("open_world", effects.open_world.holds),
        ("unrepeatable", !effects.safe_to_repeat()),
        ("write", !effects.read_only.holds),
    ];
    let held = words.into_iter().filter(|(_, holds)| *holds);
    held.map(|(word, _)| Value::from(word)).collect()
}

impl Subject {
    /// Whether a line about it says more than that it is permitted.
    pub(super) fn has_value(&self) -> bool {
        !matches!(self, Self::Secret(_) | Self::Root(_) | Self::Sandbox(_))
    }

    /// The root of an input.
    pub(super) fn input_root(name: &str) -> Option<Self> {
        Some(Self::Root(GrantedRoot::Input(InputName::new(name).ok()?)))
    }
}
