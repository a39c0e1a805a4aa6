//! Which of the plan's own approvals come before a step on every way to it.

use std::collections::BTreeSet;
use std::rc::Rc;

use plan_model::{Join, OnError, OnReject, Step, StepConfig, StepId};

use crate::facts::Facts;

/// So many approvals are named before one step; the further ones are left out.
const MOST: usize = 64;

/// Approvals before steps: the nearest ones, since those before an approval are told with it.
///
/// An approval counts where its rejection ends the run, and only as far as every join on the way waits
/// for success. What is left out may hold nevertheless; what is named holds.
#[derive(Debug)]
pub(super) struct Gates<'f, 'a> {
    facts: &'f Facts<'a>,
    /// Over the dependencies among siblings; empty where the plan asks for no approval.
    nearest: Vec<Rc<BTreeSet<usize>>>,
}

impl<'f, 'a> Gates<'f, 'a> {
    /// Looks through the plan once, if it asks for any approval.
    pub(super) fn of(facts: &'f Facts<'a>) -> Self {
        let mut nearest = Vec::new();
        if facts.steps().any(|(_, step)| is_gate(step)) {
            let none = Rc::new(BTreeSet::new());
            nearest = vec![none; facts.plan.steps.len()];
            for &step in facts.graph.order().unwrap_or_default() {
                let found = merged(facts, step, &nearest);
                if let Some(place) = nearest.get_mut(step) {
                    *place = found;
                }
            }
        }
        Self { facts, nearest }
    }

    /// The approvals before a step, those before the fan-outs around it included.
    pub(super) fn before(&self, step: usize) -> BTreeSet<StepId> {
        let mut gates = BTreeSet::new();
        if self.nearest.is_empty() {
            return gates;
        }
        let mut at = Some(step);
        // ownership in a ring is refused elsewhere; here it must only end
        for _ in 0..=self.facts.limits.depth {
            let Some(index) = at else { break };
            let found = self
                .nearest
                .get(index)
                .into_iter()
                .flat_map(|own| own.iter());
            gates.extend(found.filter_map(|&gate| self.id(gate)).take(MOST));
            at = self.facts.owner(index);
        }
        gates
    }

    /// The fan-out that a step is in.
    pub(super) fn owner(&self, step: usize) -> Option<StepId> {
        self.id(self.facts.owner(step)?)
    }

    fn id(&self, step: usize) -> Option<StepId> {
        self.facts.step(step).map(|step| step.id.clone())
    }
}

/// What holds after a dependency succeeded, over all dependencies that must.
fn merged(facts: &Facts<'_>, index: usize, nearest: &[Rc<BTreeSet<usize>>]) -> Rc<BTreeSet<usize>> {
    let after = |&dependency: &usize| -> Rc<BTreeSet<usize>> {
        match facts.step(dependency) {
            Some(step) if is_gate(step) => Rc::new([dependency].into()),
            _ => nearest.get(dependency).cloned().unwrap_or_default(),
        }
    };
    let dependencies = facts.graph.dependencies(index).iter();
    let mut sets = dependencies.map(after);
    let join = facts.step(index).map_or(Join::Settled, |step| step.join);
    match join {
        Join::All => {
            let Some(mut all) = sets.next() else {
                return Rc::default();
            };
            for set in sets.filter(|set| !set.is_empty()) {
                if all.is_empty() {
                    all = set;
                } else if !Rc::ptr_eq(&all, &set) && !set.is_subset(&all) {
                    all = Rc::new(all.union(&set).copied().take(MOST).collect());
                }
            }
            all
        }
        Join::Any => {
            let Some(mut common) = sets.next() else {
                return Rc::default();
            };
            for set in sets {
                if !Rc::ptr_eq(&common, &set) {
                    common = Rc::new(common.intersection(&set).copied().collect());
                }
            }
            common
        }
        Join::Settled => Rc::default(),
    }
}

/// Whether nothing after the step starts unless a person approved.
fn is_gate(step: &Step) -> bool {
    matches!(&step.config, StepConfig::HumanInteraction(question)
        if question.approval_required && question.on_reject == OnReject::Cancel)
        && step.on_error == OnError::Fail
}
