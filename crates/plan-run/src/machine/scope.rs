//! What references read in a run.

use std::collections::BTreeMap;

use plan_model::{ItemName, Path, Reference, Root, Scope, ScopeValue, SecretName};
use plan_validate::ValidatedPlan;
use serde_json::Value;

use super::Machine;
use super::basis::Basis;
use super::frame::FrameId;
use super::phase::Phase;
use super::slot::Slot;

/// What stands in a view where a secret or a sensitive value would.
pub(super) const HIDDEN: &str = "[hidden]";

/// The values that a run has at this moment.
///
/// A step's values are resolved when it starts. All that it waits for has ended
/// then, and what has ended stays as it is, so a later look gives the same.
#[derive(Debug)]
pub(super) struct RunScope<'a, P = ValidatedPlan> {
    machine: &'a Machine<P>,
    /// The item whose values are read.
    frame: Option<FrameId>,
    view: View<'a>,
}

#[derive(Debug)]
enum View<'a> {
    /// For eyes and records: secrets and sensitive inputs are hidden.
    Shown(Value),
    /// For decisions: every value, no secrets.
    Plain,
    /// For effects: every value and these secrets.
    Revealed(&'a BTreeMap<SecretName, Value>),
}

impl<'a, P: Basis> RunScope<'a, P> {
    /// What a step reads, as records show it.
    pub(super) fn shown(machine: &'a Machine<P>, slot: Slot) -> Self {
        Self {
            machine,
            frame: machine.frame_of(slot),
            view: View::Shown(Value::from(HIDDEN)),
        }
    }

    /// What the decisions of a step read.
    pub(super) fn plain(machine: &'a Machine<P>, slot: Slot) -> Self {
        Self::plain_within(machine, machine.frame_of(slot))
    }

    /// What is read from within an item, or from the main flow.
    pub(super) fn plain_within(machine: &'a Machine<P>, frame: Option<FrameId>) -> Self {
        Self {
            machine,
            frame,
            view: View::Plain,
        }
    }

    /// What a step's effect reads.
    pub(super) fn revealed(
        machine: &'a Machine<P>,
        slot: Slot,
        secrets: &'a BTreeMap<SecretName, Value>,
    ) -> Self {
        Self {
            machine,
            frame: machine.frame_of(slot),
            view: View::Revealed(secrets),
        }
    }
}

impl<P: Basis> Scope for RunScope<'_, P> {
    fn root(&self, path: &Path) -> Option<ScopeValue<'_>> {
        let state = &self.machine.state;
        match &path.root {
            Root::Input(name) => {
                let inputs = match self.view {
                    View::Shown(_) => &state.masked_inputs,
                    View::Plain | View::Revealed(_) => &state.created.inputs,
                };
                inputs.get(name.as_str()).map(ScopeValue::Value)
            }
            Root::Config(key) => self
                .machine
                .plan
                .plan()
                .config
                .get(key)
                .map(ScopeValue::Value),
            Root::Step(id) => {
                let place = self.machine.plan.graph().index_of(id)?;
                let slot = self.machine.seen(self.frame, place)?;
                let step = state.steps.at(slot);
                match &step.phase {
                    Phase::Succeeded => step.outputs.as_deref().map(ScopeValue::Outputs),
                    Phase::Failed | Phase::Skipped(_) | Phase::Cancelled => {
                        Some(ScopeValue::Absent)
                    }
                    Phase::Blocked
                    | Phase::Ready
                    | Phase::InFlight
                    | Phase::Owed
                    | Phase::Delayed(_)
                    | Phase::Asking(_)
                    | Phase::Spread
                    | Phase::Doubtful => None,
                }
            }
            Root::Secret(name) => match &self.view {
                View::Shown(hidden) => Some(ScopeValue::Value(hidden)),
                View::Plain => None,
                View::Revealed(secrets) => secrets.get(name).map(ScopeValue::Value),
            },
            Root::Item(name) => self.item(name),
        }
    }
}

impl<P: Basis> RunScope<'_, P> {
    /// The innermost item of this name; none outside of fan-outs.
    fn item(&self, name: &ItemName) -> Option<ScopeValue<'_>> {
        let machine = self.machine;
        let mut around = self.frame;
        while let Some(id) = around {
            let frame = machine.frame(id);
            if machine.fan_out(frame.owner)?.item_var == *name {
                let fan = machine.fan(frame.owner)?;
                let items = match (&self.view, &fan.masked) {
                    (View::Shown(_), Some(masked)) => masked,
                    _ => &fan.items,
                };
                return items.get(frame.item).map(ScopeValue::Value);
            }
            around = machine.frame_of(frame.owner);
        }
        None
    }
}

impl<P: Basis> Machine<P> {
    /// Whether the list of a fan-out holds what views hide: it is a sensitive input's, or of a hidden item.
    pub(super) fn hides_items(&self, slot: Slot, over: &Reference) -> bool {
        over.paths().any(|path| match &path.root {
            Root::Input(name) => {
                let inputs = &self.plan.plan().inputs;
                inputs
                    .iter()
                    .any(|input| input.name == *name && input.sensitive)
            }
            Root::Item(name) => {
                let mut around = self.frame_of(slot);
                while let Some(id) = around {
                    let owner = self.frame(id).owner;
                    if self.fan_out(owner).is_some_and(|it| it.item_var == *name) {
                        return self.fan(owner).is_some_and(|fan| fan.masked.is_some());
                    }
                    around = self.frame_of(owner);
                }
                false
            }
            Root::Config(_) | Root::Step(_) | Root::Secret(_) => false,
        })
    }
}

/// The value with every scalar hidden; null, names of members and lengths stay.
pub(super) fn masked(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Value::from(HIDDEN),
        Value::Array(items) => Value::Array(items.iter().map(masked).collect()),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, member)| (name.clone(), masked(member)))
                .collect(),
        ),
    }
}
