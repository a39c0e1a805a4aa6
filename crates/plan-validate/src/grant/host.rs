//! What the host understands by the names of a plan: the models, languages and agents behind them, and the sandbox.

use std::collections::BTreeMap;

use plan_model::{AgentName, Digest, LanguageName, ModelName, Trust};
use serde_json::{Map, Value, json};

use crate::catalog::{AgentKind, AgentSpec, LanguageSpec, ModelSpec, ToolCatalog};
use crate::policy::SandboxMode;

/// A name in a plan is no more than a name: what it stands for is the catalog's, and part of the grant.
#[derive(Debug, Clone)]
pub(super) struct Host {
    /// Of models that the catalog describes.
    pub(super) models: BTreeMap<ModelName, Digest>,
    /// Of the languages in use.
    pub(super) languages: BTreeMap<LanguageName, Digest>,
    /// Of the agents in use that have a name.
    pub(super) agents: BTreeMap<AgentName, Digest>,
    /// The policy's. Not in the grant's digest: a run may be resumed under another.
    pub(super) sandbox: SandboxMode,
}

impl Host {
    pub(super) fn new(sandbox: SandboxMode) -> Self {
        Self {
            models: BTreeMap::new(),
            languages: BTreeMap::new(),
            agents: BTreeMap::new(),
            sandbox,
        }
    }

    pub(super) fn add_model(&mut self, catalog: &ToolCatalog, name: &ModelName) {
        if let Some(spec) = catalog.models().and_then(|models| models.get(name))
            && !self.models.contains_key(name)
        {
            self.models
                .insert(name.clone(), Digest::of_json(&model(spec)));
        }
    }

    pub(super) fn add_language(&mut self, catalog: &ToolCatalog, name: &LanguageName) {
        if let Some(spec) = catalog.languages().get(name)
            && !self.languages.contains_key(name)
        {
            self.languages
                .insert(name.clone(), Digest::of_json(&language(spec)));
        }
    }

    pub(super) fn add_agent(&mut self, catalog: &ToolCatalog, name: &AgentName) {
        if let Some(spec) = catalog.agents().get(name)
            && !self.agents.contains_key(name)
        {
            self.agents
                .insert(name.clone(), Digest::of_json(&agent(catalog, spec)));
        }
    }

    /// As JSON, for the grant's own form.
    pub(super) fn to_value(&self) -> Value {
        fn table<K: ToString>(digests: &BTreeMap<K, Digest>) -> Map<String, Value> {
            let digests = digests.iter();
            digests
                .map(|(name, digest)| (name.to_string(), digest.to_string().into()))
                .collect()
        }
        json!({
            "models": table(&self.models),
            "languages": table(&self.languages),
            "agents": table(&self.agents),
        })
    }
}

fn model(spec: &ModelSpec) -> Value {
    json!({"provider": spec.provider, "base_url": spec.base_url})
}

fn language(spec: &LanguageSpec) -> Value {
    json!({
        "command": spec.command,
        "args": spec.args,
        "env_pass": spec.env_pass,
        "read_roots": spec.read_roots,
        "network": spec.network,
        "trusted": spec.output_trust == Trust::Trusted,
        "limits": spec.limits,
    })
}

/// With the model that it asks, which no step names.
fn agent(catalog: &ToolCatalog, spec: &AgentSpec) -> Value {
    let asks = spec.model.as_ref();
    let behind = asks.and_then(|name| catalog.models()?.get(name));
    json!({
        "kind": match spec.kind {
            AgentKind::Subprocess => "subprocess",
            AgentKind::Loop => "loop",
        },
        "command": spec.command,
        "args": spec.args,
        "env_pass": spec.env_pass,
        "read_roots": spec.read_roots,
        "write_roots": spec.write_roots,
        "model": asks.map(ModelName::as_str),
        "model_is": behind.map(model),
        "network": spec.network,
        "limits": spec.limits,
    })
}
