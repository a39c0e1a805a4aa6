//! A fan-in: the outputs of several steps as one list, in the order in which it names them.

use plan_model::{FanIn, Limits};
use serde_json::{Map, Value};

use super::Machine;
use super::basis::Basis;
use super::measure::{Excess, weigh};
use super::phase::Phase;
use super::resolve::listed;
use super::slot::Slot;
use crate::event::EventKind;
use crate::{Effect, Failure, FailureClass, RetryAdvice};

impl Machine {
    /// The end of a fan-in: its list, if that keeps to its bounds and to what is declared.
    pub(super) fn collect(&self, slot: Slot, fan_in: &FanIn) -> Result<EventKind, Failure> {
        let mut weight = Collector::new(self.limits());
        for source in self.sources(slot, fan_in) {
            weight.add(fan_in.collect_field.as_str(), source.as_ref(), self)?;
        }
        let step = self.step_of(slot);
        if !step.outputs.is_empty() {
            self.plan
                .check_outputs(&step.id, &self.collected(slot, fan_in))
                .map_err(|problems| {
                    Failure::new(FailureClass::OutputContract, listed(&problems))
                })?;
        }
        Ok(EventKind::ListCollected {
            step: self.path(slot),
            count: fan_in.from_steps.len(),
        })
    }
}

impl<P: Basis> Machine<P> {
    /// The outputs of a fan-in whose sources have ended.
    pub(super) fn collected(&self, slot: Slot, fan_in: &FanIn) -> Map<String, Value> {
        let sources = self.sources(slot, fan_in);
        let list: Value = sources
            .map(|source| source.map_or(Value::Null, |source| self.element(source)))
            .collect();
        Map::from_iter([(fan_in.collect_field.to_string(), list)])
    }

    fn sources<'a>(
        &'a self,
        slot: Slot,
        fan_in: &'a FanIn,
    ) -> impl Iterator<Item = Option<Slot>> + 'a {
        let frame = self.frame_of(slot);
        let place = |id| self.plan.graph().index_of(id);
        let sources = fan_in.from_steps.iter();
        sources.map(move |id| place(id).and_then(|place| self.seen(frame, place)))
    }
}

/// Weighs a derived list before memory is spent on it.
pub(super) struct Collector {
    limits: Limits,
    left: usize,
}

impl Collector {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            left: limits.derived_bytes,
        }
    }

    /// Adds the element that a step is in the list of this name.
    pub(super) fn add(
        &mut self,
        list: &str,
        source: Option<&Slot>,
        machine: &Machine,
    ) -> Result<(), Failure> {
        let outputs = source
            .map(|slot| machine.state.steps.at(*slot))
            .filter(|step| step.phase == Phase::Succeeded)
            .and_then(|step| step.outputs.as_ref());
        self.left = self.left.saturating_sub(4);
        for (name, value) in outputs.into_iter().flat_map(|outputs| outputs.iter()) {
            // an array and perhaps an object are around it
            let depth = self.limits.depth.saturating_sub(2);
            self.left = self
                .left
                .checked_sub(name.len())
                .ok_or(Excess::Bytes)
                .and_then(|left| weigh(value, depth, left))
                .map_err(|excess| self.too_much(list, excess))?;
        }
        Ok(())
    }

    /// Adds what is said of items that failed.
    pub(super) fn add_errors(&mut self, errors: &[Value]) -> Result<(), Failure> {
        for error in errors {
            self.left = weigh(error, self.limits.depth, self.left)
                .map_err(|excess| self.too_much("errors", excess))?;
        }
        Ok(())
    }

    fn too_much(&self, list: &str, excess: Excess) -> Failure {
        let limits = &self.limits;
        let message = match excess {
            Excess::Depth => format!("`{list}` nests deeper than {} levels", limits.depth),
            Excess::Bytes => format!("`{list}` has more than {} bytes", limits.derived_bytes),
        };
        Failure::new(FailureClass::LimitExceeded, message)
            .with_effect(Effect::None)
            .with_retry(RetryAdvice::Never)
    }
}
