//! From a plan to its edges.

use std::cell::Cell;
use std::collections::HashMap;

use super::nesting::Nesting;
use super::order::Order;
use super::table::Table;
use super::{EdgeOrigin, Graph};
use crate::{Plan, Step, StepConfig, StepId};

const DECLARED: u8 = 1;
const REFERENCE: u8 = 2;
const BODY: u8 = 4;

/// The origins that each set of bits stands for.
const ORIGINS: [&[EdgeOrigin]; 8] = {
    use EdgeOrigin::{Body, Declared, Reference};
    [
        &[],
        &[Declared],
        &[Reference],
        &[Declared, Reference],
        &[Body],
        &[Declared, Body],
        &[Reference, Body],
        &[Declared, Reference, Body],
    ]
};

/// Edges from each step to what it waits for, with their origins.
#[derive(Debug, Clone)]
pub(super) struct Edges {
    /// In document order.
    pub(super) targets: Table<usize>,
    /// Beside `targets`, as bits.
    origins: Table<u8>,
}

impl Edges {
    fn new(steps: usize, mut edges: Vec<(usize, usize, u8)>) -> Self {
        // the steps mostly come in order, so that this sort is one look; a step names few others
        edges.sort_by_key(|(step, ..)| *step);
        let rows = edges.chunk_by_mut(|(before, ..), (step, ..)| before == step);
        rows.for_each(<[_]>::sort_unstable);
        edges.dedup_by(|(step, target, origin), kept| {
            let same = (*step, *target) == (kept.0, kept.1);
            if same {
                kept.2 |= *origin;
            }
            same
        });
        let targets = edges.iter().map(|(step, target, _)| (*step, *target));
        let origins = edges.iter().map(|(step, _, origin)| (*step, *origin));
        Self {
            targets: Table::from_sorted(steps, targets),
            origins: Table::from_sorted(steps, origins),
        }
    }

    /// Why there is an edge; empty when there is none.
    pub(super) fn origins(&self, step: usize, target: usize) -> &'static [EdgeOrigin] {
        let bits = self
            .targets
            .row(step)
            .binary_search(&target)
            .ok()
            .and_then(|at| self.origins.row(step).get(at));
        bits.and_then(|bits| ORIGINS.get(usize::from(*bits)))
            .copied()
            .unwrap_or_default()
    }
}

/// The graph of a plan.
pub(super) fn graph(plan: &Plan) -> Graph {
    let count = plan.steps.len();
    let mut ids = HashMap::with_capacity(count);
    for (index, step) in plan.steps.iter().enumerate() {
        ids.entry(step.id.clone()).or_insert(index);
    }

    let register = Register {
        ids: &ids,
        unknown: Cell::new(false),
    };
    let named = Named::of(plan, &register);
    let has_unknown_names = register.unknown.get();
    let nesting = Nesting::new(&named.owners);
    let lifted = named
        .edges
        .iter()
        .filter_map(|&(step, target, origin)| {
            let (sibling, waited) = nesting.siblings(step, target)?;
            let origin = if sibling == step { origin } else { BODY };
            Some((sibling, waited, origin))
        })
        .collect();
    let effective = Edges::new(count, lifted);

    let mut backwards: Vec<(usize, usize)> = (0..count)
        .flat_map(|step| {
            effective
                .targets
                .row(step)
                .iter()
                .map(move |target| (*target, step))
        })
        .collect();
    // sorting is stable, so the steps of each row stay in document order
    backwards.sort_by_key(|(target, _)| *target);

    let mut graph = Graph {
        ids,
        raw: Edges::new(count, named.edges),
        effective,
        dependents: Table::from_sorted(count, backwards),
        owners: named.owners,
        bodies: Table::from_sorted(count, named.bodies),
        nesting,
        branches: Table::from_sorted(count, named.branches),
        has_unknown_names,
        order: None,
    };
    graph.order = Order::of(&graph);
    graph
}

/// Looks names up, and remembers whether any of them was no step's.
struct Register<'i> {
    ids: &'i HashMap<StepId, usize>,
    unknown: Cell<bool>,
}

impl Register<'_> {
    fn get(&self, id: &StepId) -> Option<usize> {
        let found = self.ids.get(id).copied();
        if found.is_none() {
            self.unknown.set(true);
        }
        found
    }
}

/// What the steps of a plan name, found in one walk over them.
struct Named {
    /// Every edge that a step names, with its origin.
    edges: Vec<(usize, usize, u8)>,
    /// The first owner of each step. None owns itself.
    owners: Vec<Option<usize>>,
    /// What each fan-out is the first to own.
    bodies: Vec<(usize, usize)>,
    /// The conditions that name each step as a branch.
    branches: Vec<(usize, (usize, bool))>,
}

impl Named {
    fn of(plan: &Plan, register: &Register<'_>) -> Self {
        let mut named = Self {
            edges: Vec::with_capacity(plan.steps.len() * 2),
            owners: vec![None; plan.steps.len()],
            bodies: Vec::new(),
            branches: Vec::new(),
        };
        for (index, step) in plan.steps.iter().enumerate() {
            named.add(index, step, register);
        }
        named.branches.sort_unstable();
        named.branches.dedup();
        named
    }

    fn add(&mut self, index: usize, step: &Step, register: &Register<'_>) {
        let mut name = |id: &StepId, origin| {
            if let Some(target) = register.get(id) {
                self.edges.push((index, target, origin));
            }
        };
        step.depends_on.iter().for_each(|id| name(id, DECLARED));
        step.collected().iter().for_each(|id| name(id, REFERENCE));
        step.references(&mut |reference, _| {
            reference.steps().for_each(|id| name(id, REFERENCE));
        });
        match &step.config {
            StepConfig::FanOut(fan_out) => {
                for spawned in fan_out.spawn_steps.iter().filter_map(|id| register.get(id)) {
                    if spawned != index
                        && let Some(owner @ None) = self.owners.get_mut(spawned)
                    {
                        *owner = Some(index);
                        self.bodies.push((index, spawned));
                    }
                }
            }
            StepConfig::Condition(condition) => {
                for (targets, result) in [
                    (&condition.true_steps, true),
                    (&condition.false_steps, false),
                ] {
                    let targets = targets.iter().filter_map(|id| register.get(id));
                    let chosen = targets.map(|target| (target, (index, result)));
                    self.branches.extend(chosen);
                }
            }
            _ => {}
        }
    }
}
