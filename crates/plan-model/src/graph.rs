//! The effective graph of a plan: what must end before what.
//!
//! Edges come from `depends_on`, from references, from `from_steps`, and from
//! the bodies of fan-outs. Building it is total: names that no step has add
//! nothing, a repeated entry adds nothing twice, a repeated id means its first
//! step, and cycles are kept, so that rules can speak of all of these.
//!
//! A body step runs inside its fan-out, so an edge between steps of different
//! bodies is an edge between the two siblings that hold them: a body's edge to
//! the outside becomes its owner's. Edges of the effective graph therefore
//! connect siblings only: steps of the main flow, or steps of one body.

mod build;
mod cycles;
mod nesting;
mod order;
mod reach;
mod table;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use crate::{Plan, StepId};
use build::Edges;
use nesting::Nesting;
use order::Order;
use table::Table;

/// The effective graph. Steps are their index in document order.
///
/// ```
/// use plan_model::document::{ReadOptions, parse, read};
/// use plan_model::{Graph, Limits};
///
/// let list = br#"{"steps": [
///     {"name": "web", "tool": "search", "after": []},
///     {"name": "papers", "tool": "search", "after": []},
///     {"name": "sum", "tool": "summarise", "after": ["web", "papers"]}
/// ]}"#;
/// let document = parse(list, &Limits::default()).document.ok_or("no JSON")?;
/// let plan = read(&document, &ReadOptions::default()).plan.ok_or("no plan")?;
/// assert_eq!(Graph::new(&plan).groups(), [vec![0, 1], vec![2]]);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone)]
pub struct Graph {
    ids: HashMap<StepId, usize>,
    /// As written, whatever the nesting.
    raw: Edges,
    /// Between siblings.
    effective: Edges,
    dependents: Table<usize>,
    owners: Vec<Option<usize>>,
    bodies: Table<usize>,
    nesting: Nesting,
    branches: Table<(usize, bool)>,
    has_unknown_names: bool,
    order: Option<Order>,
}

/// Where an edge comes from. An edge may have several origins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeOrigin {
    /// `depends_on` or `after`.
    Declared,
    /// A reference, or `from_steps`.
    Reference,
    /// A body step's edge to the outside, taken over by its fan-out.
    Body,
}

impl Graph {
    /// The graph of a plan. Takes time in proportion to steps and edges, but for sorting them.
    pub fn new(plan: &Plan) -> Self {
        build::graph(plan)
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// The index of the first step of this id.
    pub fn index_of(&self, id: &StepId) -> Option<usize> {
        self.ids.get(id).copied()
    }

    /// Whether two steps have the same id.
    pub fn has_repeated_ids(&self) -> bool {
        self.ids.len() < self.len()
    }

    /// Whether some step names a step that there is not: as a dependency, in a reference, as a branch, or in a body.
    pub fn has_unknown_names(&self) -> bool {
        self.has_unknown_names
    }

    /// What a step waits for, in document order, each once.
    ///
    /// Body edges to the outside belong to the owner: for a body step these are steps of the same body.
    pub fn dependencies(&self, step: usize) -> &[usize] {
        self.effective.targets.row(step)
    }

    /// What waits for a step, in document order, each once.
    pub fn dependents(&self, step: usize) -> &[usize] {
        self.dependents.row(step)
    }

    /// Why `step` waits for `dependency`; empty when it does not.
    pub fn origins(&self, step: usize, dependency: usize) -> &[EdgeOrigin] {
        self.effective.origins(step, dependency)
    }

    /// What a step names, in document order, each once, before bodies are taken into account: its
    /// `depends_on`, `from_steps` and references, as far as such steps exist.
    pub fn raw_dependencies(&self, step: usize) -> &[usize] {
        self.raw.targets.row(step)
    }

    /// How `step` names `dependency`; empty when it does not.
    pub fn raw_origins(&self, step: usize, dependency: usize) -> &[EdgeOrigin] {
        self.raw.origins(step, dependency)
    }

    /// The fan-out whose body the step is in, by first owner in document order.
    pub fn owner(&self, step: usize) -> Option<usize> {
        self.owners.get(step).copied().flatten()
    }

    /// The body of a fan-out: the steps that it is the first to own, in the order in which it names them.
    pub fn body(&self, fan_out: usize) -> &[usize] {
        self.bodies.row(fan_out)
    }

    /// Whether `step` is in the body of `fan_out`, or in a body inside it.
    pub fn is_inside(&self, step: usize, fan_out: usize) -> bool {
        self.nesting.contains(fan_out, step)
    }

    /// Every condition that names the step as a branch, and for which result it runs.
    pub fn branch_of(&self, step: usize) -> &[(usize, bool)] {
        self.branches.row(step)
    }

    /// An order in which every step comes after what it waits for; ties in document order. `None`
    /// when there is a cycle.
    ///
    /// A fan-out comes after its body, since it ends after it; the body comes after what its
    /// owner waits for.
    pub fn order(&self) -> Option<&[usize]> {
        self.order.as_ref().map(|order| order.steps.as_slice())
    }

    /// Steps that can run side by side, group after group: a step's group is one more than its
    /// deepest dependency's, and lists its steps in document order.
    /// Body steps are not in it. Empty when there is a cycle.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        order::groups(self)
    }

    /// Every cycle: each strongly connected component of more than one step (or a self edge), as one closed walk
    /// that starts at its first step in document order.
    ///
    /// The walk is a shortest one, each step once: every step waits for the next, and the last for the first.
    /// Cycles come in document order of their first steps.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        cycles::components(self)
            .iter()
            .map(|members| cycles::walk(self, members))
            .collect()
    }

    /// All members of each strongly connected component, in document order: what [`Graph::cycles`] walks through.
    pub fn cycle_members(&self) -> Vec<Vec<usize>> {
        cycles::components(self)
    }

    /// [`Graph::cycle_members`] of what is left when some steps are taken out, each with a shortest walk through it.
    pub fn cycles_without(&self, left_out: &BTreeSet<usize>) -> Vec<(Vec<usize>, Vec<usize>)> {
        let components = cycles::components_without(self, left_out).into_iter();
        let walked = components.map(|members| (cycles::walk(self, &members), members));
        walked.collect()
    }

    /// Whether `ancestor` must end before `step` can start.
    ///
    /// Direct dependencies, chains and trees are answered in constant or logarithmic time; what is
    /// left is a search between the two. To ask about one step many times, take
    /// [`Graph::upstream`] or [`Graph::downstream`] once.
    pub fn is_upstream(&self, ancestor: usize, step: usize) -> bool {
        reach::is_upstream(self, ancestor, step)
    }

    /// Every step that must end before `step` can start, in document order.
    pub fn upstream(&self, step: usize) -> Vec<usize> {
        reach::closure(self, step, Self::dependencies)
    }

    /// Every step that cannot start before `step` has ended, in document order.
    pub fn downstream(&self, step: usize) -> Vec<usize> {
        reach::closure(self, step, Self::dependents)
    }
}
