//! The plan as a list of steps, each with its place and its owner.

use serde_json::Value;

use crate::within::{list, names, text};

use super::graph::{self, Edge};
use super::reads::{self, Read};
use crate::case::Case;

/// A plan with its host.
#[derive(Debug)]
pub(super) struct View<'c> {
    pub(super) plan: &'c Value,
    pub(super) catalog: &'c Value,
    pub(super) policy: &'c Value,
    pub(super) steps: Vec<StepView<'c>>,
    /// What each step reads.
    pub(super) reads: Vec<Vec<Read>>,
    /// The fan-out in whose body each step is.
    owners: Vec<Option<usize>>,
    /// What waits for what among siblings.
    pub(super) edges: Vec<Edge>,
    /// For each step everything that it waits for, through others too.
    upstream: Vec<Vec<usize>>,
}

/// One step.
#[derive(Debug)]
pub(super) struct StepView<'c> {
    pub(super) at: usize,
    pub(super) id: &'c str,
    pub(super) kind: &'c str,
    pub(super) value: &'c Value,
}

impl<'c> View<'c> {
    pub(super) fn of(case: &'c Case) -> Self {
        let steps = list(&case.document, "/steps");
        let steps = steps.iter().enumerate().map(|(at, value)| StepView {
            at,
            id: text(value, "/id"),
            kind: text(value, "/config/type"),
            value,
        });
        let mut view = Self {
            plan: &case.document,
            catalog: &case.catalog,
            policy: &case.policy,
            steps: steps.collect(),
            reads: Vec::new(),
            owners: Vec::new(),
            edges: Vec::new(),
            upstream: Vec::new(),
        };
        view.reads = view.steps.iter().map(reads::of_step).collect();
        view.owners = view
            .steps
            .iter()
            .map(|step| view.first_owner(step))
            .collect();
        view.edges = graph::effective(&view);
        let steps = view.steps.iter();
        view.upstream = steps
            .map(|step| graph::upstream(&view.edges, step.at))
            .collect();
        view
    }

    /// The first fan-out that lists a step in its body.
    fn first_owner(&self, step: &StepView<'_>) -> Option<usize> {
        if self.step(step.id)?.at != step.at {
            return None;
        }
        let mut others = self.steps.iter().filter(|owner| owner.at != step.at);
        others
            .find(|owner| owner.body().contains(&step.id))
            .map(|owner| owner.at)
    }

    /// The step of an id: the first, where several have it.
    pub(super) fn step(&self, id: &str) -> Option<&StepView<'c>> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// The fan-out in whose body a step is: the first that lists it.
    pub(super) fn owner(&self, step: &StepView<'_>) -> Option<&StepView<'c>> {
        let owner = self.owners.get(step.at).copied().flatten()?;
        self.steps.get(owner)
    }

    /// Whether a step waits for another, directly or through others.
    pub(super) fn waits(&self, step: usize, other: usize) -> bool {
        self.upstream
            .get(step)
            .is_some_and(|upstream| upstream.contains(&other))
    }

    /// Whether two steps wait for each other.
    pub(super) fn are_in_a_circle(&self, one: usize, other: usize) -> bool {
        self.waits(one, other) && self.waits(other, one)
    }

    /// The fan-outs around a step, the innermost first. A ring of owners ends where it closes.
    pub(super) fn around(&self, step: &StepView<'_>) -> Vec<&StepView<'c>> {
        let mut around: Vec<&StepView<'c>> = Vec::new();
        let mut next = self.owner(step);
        while let Some(owner) = next {
            if owner.at == step.at || around.iter().any(|seen| seen.at == owner.at) {
                break;
            }
            around.push(owner);
            next = self.owner(owner);
        }
        around
    }

    /// Whether a step is in the body of one of these fan-outs' rings: owners that own each other.
    pub(super) fn is_in_a_ring(&self, step: &StepView<'_>) -> bool {
        let mut next = self.owner(step);
        for _ in 0..=self.steps.len() {
            match next {
                Some(owner) if owner.at == step.at => return true,
                Some(owner) => next = self.owner(owner),
                None => return false,
            }
        }
        false
    }

    /// A tool of the catalog.
    pub(super) fn tool(&self, name: &str) -> Option<&'c Value> {
        list(self.catalog, "/tools")
            .iter()
            .find(|tool| text(tool, "/name") == name)
    }
}

impl<'c> StepView<'c> {
    /// Where something of this step is.
    pub(super) fn place(&self, within: &str) -> String {
        format!("/steps/{}{within}", self.at)
    }

    pub(super) fn body(&self) -> Vec<&'c str> {
        names(self.value, "/config/spawn_steps")
    }

    pub(super) fn config(&self, member: &str) -> &'c str {
        text(self.value, &format!("/config/{member}"))
    }
}
