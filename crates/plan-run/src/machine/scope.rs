//! What references read in a run.

use std::collections::BTreeMap;

use plan_model::{Path, Root, Scope, ScopeValue, SecretName};
use serde_json::Value;

use super::Machine;
use super::phase::Phase;
use super::slot::Slot;

/// What stands in a view where a secret or a sensitive value would.
pub(super) const HIDDEN: &str = "[hidden]";

/// The values that a run has at this moment.
///
/// A step's values are resolved when it starts. All that it waits for has ended
/// then, and what has ended stays as it is, so a later look gives the same.
#[derive(Debug)]
pub(super) struct RunScope<'a> {
    machine: &'a Machine,
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

impl<'a> RunScope<'a> {
    pub(super) fn shown(machine: &'a Machine) -> Self {
        Self {
            machine,
            view: View::Shown(Value::from(HIDDEN)),
        }
    }

    pub(super) fn plain(machine: &'a Machine) -> Self {
        Self {
            machine,
            view: View::Plain,
        }
    }

    pub(super) fn revealed(machine: &'a Machine, secrets: &'a BTreeMap<SecretName, Value>) -> Self {
        Self {
            machine,
            view: View::Revealed(secrets),
        }
    }
}

impl Scope for RunScope<'_> {
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
                let slot = Slot(self.machine.plan.graph().index_of(id)?);
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
                    | Phase::Doubtful => None,
                }
            }
            Root::Secret(name) => match &self.view {
                View::Shown(hidden) => Some(ScopeValue::Value(hidden)),
                View::Plain => None,
                View::Revealed(secrets) => secrets.get(name).map(ScopeValue::Value),
            },
            // steps outside a fan-out have no item
            Root::Item(_) => None,
        }
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
