//! Steps that a plan names and does not have.

use std::collections::BTreeMap;

use plan_model::{Pointer, Step, StepConfig, StepId};

use super::{Facts, step_pointer};

/// A name of no step, and every place that uses it.
#[derive(Debug, Clone)]
pub(crate) struct MissingStep<'a> {
    pub(crate) name: &'a StepId,
    /// Ordered by [`Naming`], then as they stand in the plan.
    pub(crate) places: Vec<Place>,
}

/// A place that names a step.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) naming: Naming,
    pub(crate) pointer: Pointer,
}

/// How a place names a step, from the plainest to the least plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Naming {
    /// `depends_on`
    Dependency,
    /// `${step.ID}`
    Reference,
    /// `true_steps` and `false_steps`
    Branch,
    /// `spawn_steps`
    Body,
    /// `from_steps`
    Source,
}

impl Naming {
    /// What such a place does with the step.
    pub(crate) fn note(self) -> &'static str {
        match self {
            Self::Dependency => "waited for here",
            Self::Reference => "read here",
            Self::Branch => "chosen here",
            Self::Body => "spawned here",
            Self::Source => "collected here",
        }
    }
}

impl MissingStep<'_> {
    /// How the plainest of the places names it: that place's rule speaks of all of them.
    pub(crate) fn naming(&self) -> Option<Naming> {
        self.places.first().map(|place| place.naming)
    }
}

/// Every name of no step, in alphabetical order.
///
/// None where a step has no id: it may be the one that is meant.
pub(super) fn of<'a>(facts: &Facts<'a>) -> Vec<MissingStep<'a>> {
    if !facts.graph.has_unknown_names() && !has_unknown_outputs(facts) {
        return Vec::new();
    }
    if facts
        .steps()
        .any(|(index, step)| has_no_id(facts, index, step))
    {
        return Vec::new();
    }
    let mut places: BTreeMap<&'a StepId, Vec<Place>> = BTreeMap::new();
    let mut look = |name: &'a StepId, naming: Naming, pointer: &dyn Fn() -> Pointer| {
        if facts.index_of(name).is_some() {
            return;
        }
        let pointer = pointer();
        if !facts.is_unread(&pointer) {
            places
                .entry(name)
                .or_default()
                .push(Place { naming, pointer });
        }
    };
    for (index, step) in facts.steps() {
        for (at, name) in step.depends_on.iter().enumerate() {
            let pointer = || step_pointer(index).join("depends_on").join(at);
            look(name, Naming::Dependency, &pointer);
        }
        let mut list = |field: &str, names: &'a [StepId], naming: Naming| {
            for (at, name) in names.iter().enumerate() {
                let pointer = || step_pointer(index).join("config").join(field).join(at);
                look(name, naming, &pointer);
            }
        };
        match &step.config {
            StepConfig::Condition(condition) => {
                list("true_steps", &condition.true_steps, Naming::Branch);
                list("false_steps", &condition.false_steps, Naming::Branch);
            }
            StepConfig::FanOut(fan) => list("spawn_steps", &fan.spawn_steps, Naming::Body),
            StepConfig::FanIn(fan) => list("from_steps", &fan.from_steps, Naming::Source),
            StepConfig::ToolCall(_)
            | StepConfig::CodeCall(_)
            | StepConfig::PromptCall(_)
            | StepConfig::AgentCall(_)
            | StepConfig::HumanInteraction(_) => {}
        }
    }
    for read in &facts.uses {
        for name in read.reference.steps() {
            look(name, Naming::Reference, &|| read.pointer());
        }
    }
    places
        .into_iter()
        .map(|(name, mut places)| {
            places.sort_by_key(|place| place.naming);
            MissingStep { name, places }
        })
        .collect()
}

/// Whether an output of the plan reads a step that there is not.
fn has_unknown_outputs(facts: &Facts<'_>) -> bool {
    let mut read = facts.plan.outputs.iter().flat_map(|it| it.source.steps());
    read.any(|id| facts.index_of(id).is_none())
}

/// Whether the reader found no id. The stand-in that it takes is no text of the grammar.
fn has_no_id(facts: &Facts<'_>, index: usize, step: &Step) -> bool {
    step.id.as_str().contains(' ')
        && step.id.as_str() == format!("step {}", index + 1)
        && facts.is_unread(&step_pointer(index).join("id"))
}
