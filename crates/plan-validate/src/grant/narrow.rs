//! Making a grant smaller.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use plan_model::{PlanLimits, SecretName, StepId, ToolName};

use super::{ArgRule, Grant, Target};

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
        let mut narrowed = self.clone();
        narrowed.digest = OnceLock::new();
        narrowed.tools.retain(|tool, _| keeps_tool(tool));
        narrowed.sites.retain(|step, site| {
            let kept = by.steps.as_ref().is_none_or(|steps| steps.contains(step));
            match &mut site.target {
                Target::Tool(tool) => kept && keeps_tool(tool),
                Target::Agent { tools, .. } => {
                    tools.retain(keeps_tool);
                    kept
                }
                Target::Language(_) | Target::Model(_) => kept,
            }
        });
        if let Some(kept) = &by.secrets {
            narrowed.secrets.retain(|secret| kept.contains(secret));
        }
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
        narrowed.budgets = least(&self.budgets, &by.budgets);
        narrowed
    }
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
