//! What the plan says once and for all, in the form that the machine reads.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use plan_model::{
    AgentCall, CodeCall, Condition, Graph, HumanInteraction, Plan, PromptCall, StepConfig, StepId,
    StepKind, ToolCall, ToolName,
};
use plan_validate::{Approval, ValidatedPlan};

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
    /// The steps whose call a person approves when it is made.
    asking: BTreeSet<Slot>,
    /// The steps whose call an approval of the plan approves, and that approval.
    gates: BTreeMap<Slot, Slot>,
    /// Effects at one time.
    pub(super) max_concurrency: usize,
    /// Tool calls over all attempts and generations.
    pub(super) max_tool_calls: Option<u64>,
    /// Tokens of models over all attempts and generations.
    pub(super) max_model_tokens: Option<u64>,
    /// Driven time.
    pub(super) max_wall: Option<Duration>,
}

/// What a step does, of the kinds that this machine runs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Work<'a> {
    Tool(&'a ToolCall),
    Code(&'a CodeCall),
    Prompt(&'a PromptCall),
    Agent(&'a AgentCall),
    Ask(&'a HumanInteraction),
    Choose(&'a Condition),
}

impl<'a> Work<'a> {
    /// `None` for a kind that this machine does not run; such a plan has no run.
    pub(super) fn of(config: &'a StepConfig) -> Option<Self> {
        match config {
            StepConfig::ToolCall(call) => Some(Self::Tool(call)),
            StepConfig::CodeCall(call) => Some(Self::Code(call)),
            StepConfig::PromptCall(call) => Some(Self::Prompt(call)),
            StepConfig::AgentCall(call) => Some(Self::Agent(call)),
            StepConfig::HumanInteraction(ask) => Some(Self::Ask(ask)),
            StepConfig::Condition(condition) => Some(Self::Choose(condition)),
            StepConfig::FanOut(_) | StepConfig::FanIn(_) => None,
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
pub(super) fn unsupported(plan: &Plan) -> Vec<UnsupportedStep> {
    plan.steps
        .iter()
        .filter(|step| Work::of(&step.config).is_none())
        .map(|step| UnsupportedStep {
            step: step.id.clone(),
            kind: step.config.kind(),
        })
        .collect()
}

impl Layout {
    /// What a checked plan says, under the grant that it has.
    pub(super) fn checked(plan: &ValidatedPlan) -> Self {
        let steps = &plan.plan().steps;
        let mut pools = PerStep::new(steps.len(), || None);
        let mut pool_limits = Vec::new();
        let mut pool_of: BTreeMap<&ToolName, usize> = BTreeMap::new();
        let mut asking = BTreeSet::new();
        let mut gates = BTreeMap::new();
        for (index, step) in steps.iter().enumerate() {
            if let StepConfig::ToolCall(call) = &step.config
                && let Some(limit) = plan.tool(&step.id).and_then(|spec| spec.max_concurrency)
            {
                let pool = *pool_of.entry(&call.tool).or_insert_with(|| {
                    pool_limits.push(usize::try_from(limit).unwrap_or(usize::MAX));
                    pool_limits.len() - 1
                });
                *pools.at_mut(Slot(index)) = Some(pool);
            }
            match plan.grant().site(&step.id).map(|site| &site.approval) {
                Some(Approval::AskAtCall(_)) => {
                    asking.insert(Slot(index));
                }
                Some(Approval::GivenBy(approval)) => {
                    if let Some(approval) = plan.graph().index_of(approval) {
                        gates.insert(Slot(index), Slot(approval));
                    }
                }
                Some(Approval::NotNeeded) | None => {}
            }
        }
        let limits = plan.grant().budgets();
        let max_concurrency = limits.max_concurrency.unwrap_or(MAX_CONCURRENCY).max(1);
        Self {
            branches: branches(plan.plan(), plan.graph()),
            pools,
            pool_limits,
            asking,
            gates,
            max_concurrency: usize::try_from(max_concurrency).unwrap_or(usize::MAX),
            max_tool_calls: limits.max_tool_calls,
            max_model_tokens: limits.max_model_tokens,
            max_wall: limits.max_wall_secs.map(plan_model::Seconds::as_duration),
        }
    }

    /// What a plan says that nobody checked. Enough to follow a journal, which holds every decision.
    pub(super) fn recorded(plan: &Plan, graph: &Graph) -> Self {
        Self {
            branches: branches(plan, graph),
            pools: PerStep::new(plan.steps.len(), || None),
            pool_limits: Vec::new(),
            asking: BTreeSet::new(),
            gates: BTreeMap::new(),
            max_concurrency: usize::MAX,
            max_tool_calls: None,
            max_model_tokens: None,
            max_wall: None,
        }
    }

    /// Whether the host's policy wants a person to approve the step's call when it is made.
    pub(super) fn asks_at_call(&self, slot: Slot) -> bool {
        self.asking.contains(&slot)
    }

    /// The approval of the plan that approves the step's call.
    pub(super) fn gate_of(&self, slot: Slot) -> Option<Slot> {
        self.gates.get(&slot).copied()
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

/// Which conditions must choose a step, and which of their branches it is in.
fn branches(plan: &Plan, graph: &Graph) -> BTreeMap<Slot, Vec<(Slot, bool)>> {
    let mut branches: BTreeMap<Slot, Vec<(Slot, bool)>> = BTreeMap::new();
    for (index, step) in plan.steps.iter().enumerate() {
        let StepConfig::Condition(condition) = &step.config else {
            continue;
        };
        let sides = [
            (&condition.true_steps, true),
            (&condition.false_steps, false),
        ];
        for (targets, side) in sides {
            for target in targets.iter().filter_map(|target| graph.index_of(target)) {
                branches
                    .entry(Slot(target))
                    .or_default()
                    .push((Slot(index), side));
            }
        }
    }
    branches
}
