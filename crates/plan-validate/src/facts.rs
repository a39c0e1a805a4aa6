//! What rules know about a plan: the plan itself, its graph, and tables over both.

mod certain;
mod coverage;
mod follow;
mod glance;
mod guards;
mod kinds;
mod length;
mod misfits;
mod missing;
mod outputs;
mod prefixes;
mod trust;
mod uses;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use plan_model::document::Origin;
use plan_model::{
    Graph, Join, Limits, Path, Plan, Pointer, Reference, Shape, Step, StepId, StepKind,
};
use serde_json::{Map, Value};

use crate::catalog::{CatalogTool, ToolCatalog};
use crate::plan_schemas::{Compiled, PlanSchemas};
use crate::policy::Policy;

pub(crate) use certain::{
    Atom, Certain, Conflict, Mask, Sweep, Untaken, answers, assured, decided,
};
pub(crate) use follow::DeadEnd;
pub(crate) use guards::{Guard, Guards};
use kinds::Kinds;
pub(crate) use misfits::{Fault, Misfit};
pub(crate) use missing::{MissingStep, Naming, Place};
pub(crate) use outputs::Outputs;
pub(crate) use trust::{Cause, Distrust, Inflow, Way};
use uses::Collector;
pub(crate) use uses::{Site, Use};

/// So many outputs are looked through one by one.
const FEW_OUTPUTS: usize = 16;

/// One plan under one context, with everything that rules look up.
///
/// Built once per check, in one pass over the plan.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) graph: &'a Graph,
    pub(crate) catalog: &'a ToolCatalog,
    pub(crate) policy: &'a Policy,
    pub(crate) schemas: &'a PlanSchemas,
    pub(crate) limits: &'a Limits,
    pub(crate) origin: &'a Origin,
    unread: &'a BTreeSet<Pointer>,
    /// Every reference of the plan in document order, plan outputs last.
    pub(crate) uses: Vec<Use<'a>>,
    inputs: HashMap<&'a str, usize>,
    kinds: Kinds,
    tools: Vec<Option<&'a Arc<CatalogTool>>>,
    missing: OnceCell<Vec<MissingStep<'a>>>,
    guards: OnceCell<Guards>,
    /// The declared outputs of steps that declare many, by step and name.
    declared: OnceCell<HashMap<(usize, &'a str), &'a plan_model::Output>>,
    shapes: follow::Shapes,
    certain: OnceCell<Certain>,
    distrust: OnceCell<Distrust<'a>>,
    prompts: OnceCell<coverage::Prompts<'a>>,
    titles: OnceCell<HashMap<&'a str, usize>>,
    /// An object that is filled with the arguments of one call after the other: plans call few tools often.
    pub(crate) arguments: RefCell<Value>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        graph: &'a Graph,
        (catalog, policy): (&'a ToolCatalog, &'a Policy),
        schemas: &'a PlanSchemas,
        limits: &'a Limits,
        (origin, unread): (&'a Origin, &'a BTreeSet<Pointer>),
    ) -> Self {
        let mut inputs = HashMap::with_capacity(plan.inputs.len());
        for (index, input) in plan.inputs.iter().enumerate() {
            inputs.entry(input.name.as_str()).or_insert(index);
        }
        let count = plan.steps.len();
        let mut kinds = Kinds::with_capacity(count);
        let mut tools = Vec::with_capacity(count);
        let mut uses = Collector::with_capacity(count, graph);
        for (index, step) in plan.steps.iter().enumerate() {
            kinds.add(step);
            uses.add(index, step);
            tools.push(match &step.config {
                plan_model::StepConfig::ToolCall(call) => catalog.shared_tool(&call.tool),
                _ => None,
            });
        }
        Self {
            plan,
            graph,
            catalog,
            policy,
            schemas,
            limits,
            origin,
            unread,
            uses: uses.finish(plan),
            inputs,
            kinds,
            tools,
            missing: OnceCell::new(),
            guards: OnceCell::new(),
            declared: OnceCell::new(),
            shapes: follow::Shapes::new(plan),
            certain: OnceCell::new(),
            distrust: OnceCell::new(),
            prompts: OnceCell::new(),
            titles: OnceCell::new(),
            arguments: RefCell::new(Value::Object(Map::new())),
        }
    }

    /// The step of an index.
    pub(crate) fn step(&self, index: usize) -> Option<&'a Step> {
        self.plan.steps.get(index)
    }

    /// The index of the first step of this id.
    pub(crate) fn index_of(&self, id: &StepId) -> Option<usize> {
        self.graph.index_of(id)
    }

    /// Every step with its index, in document order.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (usize, &'a Step)> + use<'a> {
        self.plan.steps.iter().enumerate()
    }

    /// The steps of a kind, in document order.
    pub(crate) fn of_kind(&self, kind: StepKind) -> &[usize] {
        self.kinds.steps(kind)
    }

    /// The steps of these kinds, kind after kind.
    pub(crate) fn of_kinds(&self, kinds: &[StepKind]) -> impl Iterator<Item = (usize, &'a Step)> {
        let steps = kinds.iter().flat_map(|kind| self.of_kind(*kind));
        steps.filter_map(|step| Some((*step, self.step(*step)?)))
    }

    /// The kind of a step.
    pub(crate) fn kind(&self, step: usize) -> Option<StepKind> {
        self.kinds.kind(step)
    }

    /// Which endings of what it waits for let a step run.
    pub(crate) fn join(&self, step: usize) -> Option<Join> {
        self.kinds.join(step)
    }

    /// The last step that people call by this name.
    pub(crate) fn titled(&self, name: &str) -> Option<usize> {
        let titles = self.titles.get_or_init(|| {
            let titles = self
                .steps()
                .map(|(index, step)| (step.name.as_str(), index));
            titles.collect()
        });
        titles.get(name).copied()
    }

    /// The declared input of this name, with its index.
    pub(crate) fn input(&self, name: &str) -> Option<(usize, &'a plan_model::Input)> {
        let index = *self.inputs.get(name)?;
        Some((index, self.plan.inputs.get(index)?))
    }

    /// The catalog's entry for the tool that a `TOOL_CALL` names; `None` for other kinds and unknown tools.
    pub(crate) fn tool(&self, step: usize) -> Option<&'a CatalogTool> {
        self.tools.get(step).copied().flatten().map(Arc::as_ref)
    }

    /// For each step the tool that it calls, to be kept after the check.
    pub(crate) fn shared_tools(&self) -> Vec<Option<Arc<CatalogTool>>> {
        self.tools.iter().map(|tool| tool.cloned()).collect()
    }

    /// The schema of an input, where it declares one.
    pub(crate) fn input_schema(&self, input: usize) -> Option<&'a Compiled> {
        self.schemas.input(input)
    }

    /// The schema of a declared output, where it declares one.
    pub(crate) fn output_schema(&self, step: usize, output: usize) -> Option<&'a Compiled> {
        self.schemas.output(step, output)
    }

    /// The schema of a model's answer, where the step declares one.
    pub(crate) fn prompt_schema(&self, step: usize) -> Option<&'a Compiled> {
        self.schemas.prompt(step)
    }

    /// The step of this owner whose body `step` is in.
    pub(crate) fn owner(&self, step: usize) -> Option<usize> {
        self.graph.owner(step)
    }

    /// Whether the reader put a stand-in anywhere: most plans have none, and need no places to ask about.
    pub(crate) fn has_unread(&self) -> bool {
        !self.unread.is_empty()
    }

    /// Whether the reader put a stand-in at this place of the plan, or around it.
    pub(crate) fn is_unread(&self, pointer: &Pointer) -> bool {
        if self.unread.is_empty() {
            return false;
        }
        let mut pointer = pointer.clone();
        loop {
            if self.unread.contains(&pointer) {
                return true;
            }
            if pointer.as_str().is_empty() {
                return false;
            }
            pointer.pop();
        }
    }

    /// The references of one step.
    pub(crate) fn uses_of(&self, step: usize) -> &[Use<'a>] {
        // plan outputs have no step and come last
        let index = |read: &Use<'_>| read.step.unwrap_or(usize::MAX);
        let start = self.uses.partition_point(|read| index(read) < step);
        let end = self.uses.partition_point(|read| index(read) <= step);
        self.uses.get(start..end).unwrap_or_default()
    }

    /// Every name of no step that the plan uses, with its places, in alphabetical order.
    pub(crate) fn missing_steps(&self) -> &[MissingStep<'a>] {
        self.missing.get_or_init(|| missing::of(self))
    }

    /// Which branches steps are in.
    pub(crate) fn guards(&self) -> &Guards {
        self.guards.get_or_init(|| Guards::of(self))
    }

    /// The most items of a fan-out; `None` for other kinds, and where nothing bounds its list.
    pub(crate) fn most_items(&self, fan_out: usize) -> Option<u64> {
        match &self.step(fan_out)?.config {
            plan_model::StepConfig::FanOut(fan) => length::of_reference(self, &fan.over, fan_out),
            _ => None,
        }
    }

    /// Those of these references that an argument does not take.
    pub(crate) fn misfits_of(&self, reads: &[Use<'_>]) -> Vec<Misfit> {
        misfits::of(self, reads)
    }

    /// Whether the reader put a stand-in at this place of the plan, around it, or inside it.
    pub(crate) fn is_unread_within(&self, pointer: &Pointer) -> bool {
        let next = self.unread.range(pointer..).next();
        next.is_some_and(|unread| unread.is_within(pointer)) || self.is_unread(pointer)
    }

    /// The first declared output of this name.
    pub(crate) fn declared_output(
        &self,
        step: usize,
        name: &str,
    ) -> Option<&'a plan_model::Output> {
        let outputs = &self.plan.steps.get(step)?.outputs;
        if outputs.len() <= FEW_OUTPUTS {
            return outputs.iter().find(|output| output.name == *name);
        }
        let table = self.declared.get_or_init(|| {
            let mut table = HashMap::new();
            for (index, step) in self.steps() {
                if step.outputs.len() > FEW_OUTPUTS {
                    for output in &step.outputs {
                        table.entry((index, output.name.as_str())).or_insert(output);
                    }
                }
            }
            table
        });
        table.get(&(step, name)).copied()
    }

    /// Which values are not trusted, and why. Found once, on first use.
    pub(crate) fn distrust(&self) -> &Distrust<'a> {
        self.distrust.get_or_init(|| Distrust::of(self))
    }

    /// Why what a step reads by this reference is not trusted; `None` where it is.
    pub(crate) fn cause_of_distrust(&self, step: usize, reference: &Reference) -> Option<Cause> {
        self.distrust().cause(self, step, reference)
    }

    /// The source of an untrusted value in words: "step `fetch`".
    pub(crate) fn source_of(&self, cause: Cause) -> String {
        self.distrust().source(self, cause)
    }

    /// The way of an untrusted value from its source.
    pub(crate) fn way_of(&self, cause: Cause) -> Way {
        self.distrust().way(self, cause)
    }

    /// What a step delivers, as far as it can be known.
    pub(crate) fn outputs(&self, step: usize) -> Outputs<'a> {
        Outputs::of(self, step)
    }

    /// Whether a step can have an output of this name.
    pub(crate) fn has_output(&self, step: usize, output: &str) -> bool {
        // what is declared needs no shape made of it
        self.declared_output(step, output).is_some() || self.output_shape(step, output).is_some()
    }

    /// The step in whose sight a reference stands: a list is read from outside of its fan-out.
    pub(crate) fn reader_of(&self, read: &Use<'_>) -> Option<usize> {
        match read.site {
            Site::Over => self.owner(read.step?),
            _ => read.step,
        }
    }

    /// The shape of one output of a step; `None` where the step can have no such output.
    pub(crate) fn output_shape(&self, step: usize, output: &str) -> Option<Shape> {
        follow::output_shape(self, step, output)
    }

    /// What is at the end of a path, read from step `from`; anything where its root names nothing.
    pub(crate) fn follow(&self, path: &Path, from: Option<usize>) -> Result<Shape, DeadEnd> {
        follow::path(self, path, from)
    }

    /// What a use can be; anything where it leads nowhere.
    pub(crate) fn shape_of(&self, read: &Use<'_>) -> Shape {
        follow::use_shape(self, read)
    }

    /// What a reference can be, read from step `from`; anything where it leads nowhere.
    pub(crate) fn reference_shape(&self, reference: &Reference, from: Option<usize>) -> Shape {
        follow::reference_shape(self, reference, from)
    }
}

/// The pointer of a step in the plan.
pub(crate) fn step_pointer(step: usize) -> Pointer {
    let mut pointer = Pointer::root();
    pointer.push("steps");
    pointer.push(step);
    pointer
}
