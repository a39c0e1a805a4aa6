//! What the plan says once and for all, in the form that the machine reads.

use std::collections::BTreeMap;
use std::time::Duration;

use plan_model::{
    CodeCall, Condition, HumanInteraction, StepConfig, StepId, StepKind, ToolCall, ToolName,
};
use plan_validate::ValidatedPlan;

use super::slot::{PerStep, Slot};

/// Effects at one time where neither the plan nor the host says otherwise.
const MAX_CONCURRENCY: u64 = 64;

/// Facts of a plan that no event changes.
#[derive(Debug)]
pub(super) struct Layout {
    /// Which conditions must choose a step, and which of their branches it is in.
    branches: BTreeMap<Slot, Vec<(Slot, bool)>>,
    /// The pool of a step's tool, where that limits its calls.
    pools: PerStep<Option<usize>>,
    /// The limit of each pool.
    pub(super) pool_limits: Vec<usize>,
    /// Effects at one time.
    pub(super) max_concurrency: usize,
    /// Tool calls over all attempts and generations.
    pub(super) max_tool_calls: Option<u64>,
    /// Driven time.
    pub(super) max_wall: Option<Duration>,
}

/// What a step does, of the kinds that this machine runs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Work<'a> {
    Tool(&'a ToolCall),
    Code(&'a CodeCall),
    Ask(&'a HumanInteraction),
    Choose(&'a Condition),
}

impl<'a> Work<'a> {
    /// `None` for a kind that this machine does not run; such a plan has no run.
    pub(super) fn of(config: &'a StepConfig) -> Option<Self> {
        match config {
            StepConfig::ToolCall(call) => Some(Self::Tool(call)),
            StepConfig::CodeCall(call) => Some(Self::Code(call)),
            StepConfig::HumanInteraction(ask) => Some(Self::Ask(ask)),
            StepConfig::Condition(condition) => Some(Self::Choose(condition)),
            StepConfig::PromptCall(_)
            | StepConfig::AgentCall(_)
            | StepConfig::FanOut(_)
            | StepConfig::FanIn(_) => None,
        }
    }
}

/// A step of a kind that the machine does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnsupportedStep {
    /// The step.
    pub step: StepId,
    /// Its kind.
    pub kind: StepKind,
}

/// Every step of a kind that the machine does not run, in plan order.
pub(super) fn unsupported(plan: &ValidatedPlan) -> Vec<UnsupportedStep> {
    plan.plan()
        .steps
        .iter()
        .filter(|step| Work::of(&step.config).is_none())
        .map(|step| UnsupportedStep {
            step: step.id.clone(),
            kind: step.config.kind(),
        })
        .collect()
}

impl Layout {
    pub(super) fn new(plan: &ValidatedPlan) -> Self {
        let steps = &plan.plan().steps;
        let mut branches: BTreeMap<Slot, Vec<(Slot, bool)>> = BTreeMap::new();
        let mut pools = PerStep::new(steps.len(), || None);
        let mut pool_limits = Vec::new();
        let mut pool_of: BTreeMap<&ToolName, usize> = BTreeMap::new();
        for (index, step) in steps.iter().enumerate() {
            match &step.config {
                StepConfig::Condition(condition) => {
                    let sides = [
                        (&condition.true_steps, true),
                        (&condition.false_steps, false),
                    ];
                    for (targets, side) in sides {
                        for target in targets {
                            if let Some(target) = plan.graph().index_of(target) {
                                branches
                                    .entry(Slot(target))
                                    .or_default()
                                    .push((Slot(index), side));
                            }
                        }
                    }
                }
                StepConfig::ToolCall(call) => {
                    let limit = plan.tool(&step.id).and_then(|spec| spec.max_concurrency);
                    if let Some(limit) = limit {
                        let pool = *pool_of.entry(&call.tool).or_insert_with(|| {
                            pool_limits.push(usize::try_from(limit).unwrap_or(usize::MAX));
                            pool_limits.len() - 1
                        });
                        *pools.at_mut(Slot(index)) = Some(pool);
                    }
                }
                _ => {}
            }
        }
        let limits = plan.grant().budgets();
        let max_concurrency = limits.max_concurrency.unwrap_or(MAX_CONCURRENCY).max(1);
        Self {
            branches,
            pools,
            pool_limits,
            max_concurrency: usize::try_from(max_concurrency).unwrap_or(usize::MAX),
            max_tool_calls: limits.max_tool_calls,
            max_wall: limits.max_wall_secs.map(plan_model::Seconds::as_duration),
        }
    }

    /// The conditions that must choose a step, each with the branch that the step is in.
    pub(super) fn branches_of(&self, slot: Slot) -> &[(Slot, bool)] {
        self.branches.get(&slot).map_or(&[], Vec::as_slice)
    }

    /// The pool of a step's tool.
    pub(super) fn pool_of(&self, slot: Slot) -> Option<usize> {
        *self.pools.at(slot)
    }
}
