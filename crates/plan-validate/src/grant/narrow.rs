//! Making a grant smaller.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use plan_model::{PlanLimits, SecretName, StepId, ToolName};

use super::{ArgRule, Grant, SiteGrant, Target};

/// What to take away from a grant. Everything in it only ever narrows.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Narrowing {
    /// The steps that keep what they may do; `None`: all.
    pub steps: Option<BTreeSet<StepId>>,
    /// The tools that may still be called; `None`: all.
    pub tools: Option<BTreeSet<ToolName>>,
    /// The secrets that may still be read; `None`: all.
    pub secrets: Option<BTreeSet<SecretName>>,
    /// The most attempts of any step; `None`: as many as it has.
    pub attempts: Option<u64>,
    /// Rules that arguments must satisfy besides those that they have.
    pub arguments: BTreeMap<StepId, BTreeMap<String, ArgRule>>,
    /// Budgets that hold besides those that there are.
    pub budgets: PlanLimits,
}

impl Grant {
    /// The grant without what `by` takes away.
    ///
    /// Whatever the narrowed grant allows, this one allows.
    #[must_use]
    pub fn narrow(&self, by: &Narrowing) -> Self {
        let keeps_tool = |tool: &ToolName| by.tools.as_ref().is_none_or(|kept| kept.contains(tool));
        let keeps_secret =
            |secret: &SecretName| by.secrets.as_ref().is_none_or(|kept| kept.contains(secret));
        let kept = |(step, site): (&StepId, &SiteGrant)| {
            let site = kept(site, &keeps_tool)?;
            Some((step.clone(), site))
        };
        // only what stays is copied: a grant of thousands of steps is narrowed to one of them at every call of an agent
        let sites = match &by.steps {
            Some(steps) => {
                let sites = steps.iter().filter_map(|id| self.sites.get_key_value(id));
                sites.filter_map(kept).collect()
            }
            None => self.sites.iter().filter_map(kept).collect(),
        };
        let tools = self.tools.iter().filter(|(tool, _)| keeps_tool(tool));
        let secrets = self.secrets.iter().filter(|secret| keeps_secret(secret));
        let mut narrowed = Self {
            plan: self.plan,
            tools: tools
                .map(|(tool, digest)| (tool.clone(), *digest))
                .collect(),
            sites,
            models: self.models.clone(),
            languages: self.languages.clone(),
            agents: self.agents.clone(),
            secrets: secrets.cloned().collect(),
            roots: self.roots.clone(),
            budgets: least(&self.budgets, &by.budgets),
            sources: Arc::clone(&self.sources),
            host: self.host.clone(),
            digest: OnceLock::new(),
        };
        if let Some(most) = by.attempts {
            for site in narrowed.sites.values_mut() {
                site.max_attempts = site.max_attempts.min(most);
            }
        }
        for (step, rules) in &by.arguments {
            let Some(site) = narrowed.sites.get_mut(step) else {
                continue;
            };
            for (name, rule) in rules {
                // a rule for an argument that the site does not have takes nothing away
                if let Some(present) = site.arguments.get_mut(name) {
                    let former = std::mem::replace(present, ArgRule::Any);
                    *present = former.and(rule.clone());
                }
            }
        }
        narrowed
    }
}

/// What a step may still do with the tools that are kept; `None`: nothing.
fn kept(site: &SiteGrant, keeps_tool: &dyn Fn(&ToolName) -> bool) -> Option<SiteGrant> {
    if let Target::Tool(tool) = &site.target
        && !keeps_tool(tool)
    {
        return None;
    }
    let mut site = site.clone();
    if let Target::Agent { tools, .. } = &mut site.target {
        tools.retain(keeps_tool);
    }
    Some(site)
}

/// The smaller of both limits, one by one.
pub(super) fn least(a: &PlanLimits, b: &PlanLimits) -> PlanLimits {
    fn smaller<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
        match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
    let mut least = PlanLimits::default();
    least.max_tool_calls = smaller(a.max_tool_calls, b.max_tool_calls);
    least.max_model_tokens = smaller(a.max_model_tokens, b.max_model_tokens);
    least.max_wall_secs = smaller(a.max_wall_secs, b.max_wall_secs);
    least.max_concurrency = smaller(a.max_concurrency, b.max_concurrency);
    least.max_fan_out_items = smaller(a.max_fan_out_items, b.max_fan_out_items);
    least.max_steps = smaller(a.max_steps, b.max_steps);
    least
}
