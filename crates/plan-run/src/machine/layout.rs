//! What the plan says once and for all, in the form that the machine reads.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use plan_model::{
    AgentCall, CodeCall, Condition, FanIn, FanOut, Graph, HumanInteraction, Plan, PromptCall,
    StepConfig, ToolCall, ToolName,
};
use plan_validate::{Approval, ValidatedPlan};

use super::slot::{Slot, narrow, widen};

/// Effects at one time where neither the plan nor the host says otherwise.
const MAX_CONCURRENCY: u64 = 64;

/// Facts of a plan that no event changes.
#[derive(Debug)]
pub(super) struct Layout {
    /// Where a body step stands in its body. Empty in a plan without fan-outs.
    positions: Vec<u32>,
    /// Which conditions must choose a step, and which of their branches it is in.
    branches: BTreeMap<usize, Vec<(usize, bool)>>,
    /// The pool of a step's tool, where that limits its calls. Empty where none does.
    pools: Vec<Option<usize>>,
    /// The limit of each pool.
    pub(super) pool_limits: Vec<usize>,
    /// The steps whose call a person approves when it is made.
    asking: BTreeSet<usize>,
    /// The steps whose call an approval of the plan approves, and that approval, which is in the main flow.
    gates: BTreeMap<usize, Slot>,
    /// Effects at one time.
    pub(super) max_concurrency: usize,
    /// Items of one fan-out.
    pub(super) max_items: u64,
    /// Items of all fan-outs over all generations.
    pub(super) max_run_items: u64,
    /// Bytes that attempts deliver, over all generations.
    pub(super) max_output_bytes: u64,
    /// Tool calls over all attempts and generations.
    pub(super) max_tool_calls: Option<u64>,
    /// Tokens of models over all attempts and generations.
    pub(super) max_model_tokens: Option<u64>,
    /// Driven time.
    pub(super) max_wall: Option<Duration>,
}

/// What a step does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Work<'a> {
    Tool(&'a ToolCall),
    Code(&'a CodeCall),
    Prompt(&'a PromptCall),
    Agent(&'a AgentCall),
    Ask(&'a HumanInteraction),
    Choose(&'a Condition),
    FanOut(&'a FanOut),
    FanIn(&'a FanIn),
}

impl<'a> Work<'a> {
    pub(super) fn of(config: &'a StepConfig) -> Self {
        match config {
            StepConfig::ToolCall(call) => Self::Tool(call),
            StepConfig::CodeCall(call) => Self::Code(call),
            StepConfig::PromptCall(call) => Self::Prompt(call),
            StepConfig::AgentCall(call) => Self::Agent(call),
            StepConfig::HumanInteraction(ask) => Self::Ask(ask),
            StepConfig::Condition(condition) => Self::Choose(condition),
            StepConfig::FanOut(fan_out) => Self::FanOut(fan_out),
            StepConfig::FanIn(fan_in) => Self::FanIn(fan_in),
        }
    }
}

impl Layout {
    /// What a checked plan says, under the grant that it has.
    pub(super) fn checked(plan: &ValidatedPlan) -> Self {
        let steps = &plan.plan().steps;
        let mut pools = Vec::new();
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
                pools.resize(steps.len(), None);
                if let Some(of_step) = pools.get_mut(index) {
                    *of_step = Some(pool);
                }
            }
            match plan.grant().site(&step.id).map(|site| &site.approval) {
                Some(Approval::AskAtCall(_)) => {
                    asking.insert(index);
                }
                Some(Approval::GivenBy(approval)) => {
                    if let Some(approval) = plan.graph().index_of(approval) {
                        gates.insert(index, Slot::main(approval));
                    }
                }
                Some(Approval::NotNeeded) | None => {}
            }
        }
        let limits = plan.grant().budgets();
        let max_concurrency = limits.max_concurrency.unwrap_or(MAX_CONCURRENCY).max(1);
        let max_items = [
            limits.max_fan_out_items,
            Some(plan.policy().limits.fan_out_items),
        ];
        Self {
            positions: positions(plan.plan(), plan.graph()),
            branches: branches(plan.plan(), plan.graph()),
            pools,
            pool_limits,
            asking,
            gates,
            max_concurrency: usize::try_from(max_concurrency).unwrap_or(usize::MAX),
            max_items: max_items.into_iter().flatten().min().unwrap_or(u64::MAX),
            max_run_items: plan.policy().limits.run_items,
            max_output_bytes: plan.policy().limits.run_output_bytes,
            max_tool_calls: limits.max_tool_calls,
            max_model_tokens: limits.max_model_tokens,
            max_wall: limits.max_wall_secs.map(plan_model::Seconds::as_duration),
        }
    }

    /// What a plan says that nobody checked. Enough to follow a journal, which holds every decision.
    pub(super) fn recorded(plan: &Plan, graph: &Graph) -> Self {
        Self {
            positions: positions(plan, graph),
            branches: branches(plan, graph),
            pools: Vec::new(),
            pool_limits: Vec::new(),
            asking: BTreeSet::new(),
            gates: BTreeMap::new(),
            max_concurrency: usize::MAX,
            max_items: u64::MAX,
            max_run_items: u64::MAX,
            max_output_bytes: u64::MAX,
            max_tool_calls: None,
            max_model_tokens: None,
            max_wall: None,
        }
    }

    /// Where a body step stands in its body.
    pub(super) fn position_of(&self, place: usize) -> usize {
        self.positions.get(place).copied().map_or(0, widen)
    }

    /// Whether the host's policy wants a person to approve the step's call when it is made.
    pub(super) fn asks_at_call(&self, place: usize) -> bool {
        self.asking.contains(&place)
    }

    /// The approval of the plan that approves the step's call.
    pub(super) fn gate_of(&self, place: usize) -> Option<Slot> {
        self.gates.get(&place).copied()
    }

    /// The conditions that must choose a step, each with the branch that the step is in.
    pub(super) fn branches_of(&self, place: usize) -> &[(usize, bool)] {
        self.branches.get(&place).map_or(&[], Vec::as_slice)
    }

    /// The pool of a step's tool.
    pub(super) fn pool_of(&self, place: usize) -> Option<usize> {
        self.pools.get(place).copied().flatten()
    }
}

/// Where each body step stands in its body.
fn positions(plan: &Plan, graph: &Graph) -> Vec<u32> {
    let mut positions = Vec::new();
    for (owner, step) in plan.steps.iter().enumerate() {
        if !matches!(step.config, StepConfig::FanOut(_)) {
            continue;
        }
        positions.resize(plan.steps.len(), 0);
        for (at, place) in graph.body(owner).iter().enumerate() {
            if let Some(position) = positions.get_mut(*place) {
                *position = narrow(at);
            }
        }
    }
    positions
}

/// Which conditions must choose a step, and which of their branches it is in.
fn branches(plan: &Plan, graph: &Graph) -> BTreeMap<usize, Vec<(usize, bool)>> {
    let mut branches: BTreeMap<usize, Vec<(usize, bool)>> = BTreeMap::new();
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
                branches.entry(target).or_default().push((index, side));
            }
        }
    }
    branches
}
