//! A fan-out: its list becomes items, `until` looks at each, and what they delivered becomes its results.

use plan_model::{Digest, FanOut, OnItemError, Timestamp};
use serde_json::{Map, Value, json};

use super::Machine;
use super::basis::Basis;
use super::fan_in::Collector;
use super::frame::{Fan, Frame};
use super::phase::Phase;
use super::resolve::listed;
use super::scope::RunScope;
use super::slot::Slot;
use crate::event::{EventKind, ItemsExpanded, StopReason};
use crate::{Effect, Failure, FailureClass, RetryAdvice};

impl Machine {
    /// The items of a fan-out that can begin.
    pub(super) fn expand(
        &self,
        slot: Slot,
        fan_out: &FanOut,
        now: Timestamp,
    ) -> Result<EventKind, Failure> {
        let scope = RunScope::plain(self, slot);
        let over = &fan_out.over;
        let list = over
            .resolve(&scope)
            .map_err(|error| invalid(format!("there is no list: {error}")))?;
        let Value::Array(items) = &*list else {
            let found = plan_model::json_type(&list);
            return Err(invalid(format!("`{over}` is {found}, and no list")));
        };
        let most = self.layout.max_items;
        if u64::try_from(items.len()).unwrap_or(u64::MAX) > most {
            let message = format!(
                "`{over}` has {} items, and a fan-out may have {most}",
                items.len()
            );
            return Err(Failure::new(FailureClass::LimitExceeded, message));
        }
        let digests: Vec<Digest> = items.iter().map(Digest::of_json).collect();
        let before = self.fan(slot).map_or(&[][..], |fan| fan.frames.as_slice());
        let before = before.iter().map(|id| self.frame(*id));
        let kept = before
            .zip(&digests)
            .filter(|(frame, digest)| frame.digest == **digest)
            .map(|(frame, _)| frame.item);
        let kept: Vec<usize> = kept.collect();
        let fresh = items.len().saturating_sub(kept.len()) as u64;
        let most = self.layout.max_run_items;
        let all = self.state.items.saturating_add(fresh);
        if all > most {
            let message = format!(
                "the run may have {most} items of fan-outs, and with the {fresh} of `{over}` it would have {all}"
            );
            return Err(Failure::new(FailureClass::LimitExceeded, message));
        }
        let timeout = self.step_of(slot).timeout_secs;
        Ok(EventKind::ItemsExpanded(Box::new(ItemsExpanded {
            step: self.path(slot),
            count: items.len(),
            kept,
            digests,
            expires_at: timeout.map(|span| now.plus(span.as_duration())),
        })))
    }

    /// What follows for a fan-out in which no item is under way.
    pub(super) fn proceed(&self, slot: Slot) -> EventKind {
        let Some((fan, fan_out)) = self.fan(slot).zip(self.fan_out(slot)) else {
            return self.broken(slot, internal());
        };
        let Some((index, until)) = fan
            .judging
            .filter(|_| !fan.stopped)
            .zip(fan_out.until.as_ref())
        else {
            return self.conclude(slot, None);
        };
        let scope = RunScope::plain_within(self, fan.frames.get(index).copied());
        match until.evaluate(&scope) {
            Ok(result) => EventKind::UntilEvaluated {
                step: self.path(slot),
                index,
                result,
            },
            Err(error) => {
                let message = format!("`until` has no value for item {index}: {error}");
                self.broken(slot, invalid(message))
            }
        }
    }

    /// The end of a fan-out in which no item is under way. `dropped` says why it would end before its items.
    pub(super) fn conclude(&self, slot: Slot, dropped: Option<StopReason>) -> EventKind {
        let Some((fan, fan_out)) = self.fan(slot).zip(self.fan_out(slot)) else {
            return self.broken(slot, internal());
        };
        if fan.stopped {
            return self.too_late(slot, fan);
        }
        if let Some(item) = fan.failed
            && fan_out.on_item_error == OnItemError::Fail
        {
            return self.item_failure(slot, fan, item);
        }
        if let Some(reason) = dropped
            && (fan.cut || !fan.is_through())
        {
            let step = self.path(slot);
            return EventKind::FanOutDropped { step, reason };
        }
        if let Some(until) = &fan_out.until
            && !fan.matched
        {
            let message = format!(
                "`until` (`{}`) held for none of the {} items",
                until.source(),
                fan.items.len()
            );
            let failure = Failure::new(FailureClass::OutputContract, message);
            return self.broken(slot, failure);
        }
        match self.checked_results(slot, fan_out) {
            Ok(count) => EventKind::ListCollected {
                step: self.path(slot),
                count,
            },
            Err(failure) => self.broken(slot, failure),
        }
    }

    /// The results, if they keep to their bounds and to what is declared; how many there are.
    fn checked_results(&self, slot: Slot, fan_out: &FanOut) -> Result<usize, Failure> {
        let Some(fan) = self.fan(slot) else {
            return Err(internal());
        };
        let mut weight = Collector::new(self.limits());
        for id in fan.opened() {
            weight.add("results", self.item_slot(self.frame(id)).as_ref(), self)?;
        }
        weight.add_errors(&self.errors(slot))?;
        let step = self.step_of(slot);
        if !step.outputs.is_empty() {
            self.plan
                .check_outputs(&step.id, &self.results(slot, fan_out))
                .map_err(|problems| {
                    Failure::new(FailureClass::OutputContract, listed(&problems))
                })?;
        }
        Ok(fan.next)
    }

    /// The failure of a fan-out whose item failed: that of the step in it, without what it wrote.
    fn item_failure(&self, slot: Slot, fan: &Fan, item: usize) -> EventKind {
        let failed = fan
            .frames
            .get(item)
            .and_then(|id| self.frame(*id).failed)
            .and_then(|slot| self.state.steps.at(slot).failure.as_deref());
        let mut failure = failed.cloned().unwrap_or_else(internal);
        failure.retry = RetryAdvice::Never;
        failure.stdout_tail = None;
        failure.stderr_tail = None;
        EventKind::StepFailed {
            step: self.path(slot),
            failure: Box::new(failure),
        }
    }

    fn too_late(&self, slot: Slot, fan: &Fan) -> EventKind {
        let span = self.step_of(slot).timeout_secs.unwrap_or_default();
        let ended = fan.opened().map(|id| self.frame(id));
        let ended = ended.filter(|frame| frame.left == 0 && !frame.cut).count();
        let message = format!(
            "the items did not end within {span} s: {ended} of {} had",
            fan.items.len()
        );
        let step = self.path(slot);
        let failure = Failure::new(FailureClass::Timeout, message)
            .with_retry(RetryAdvice::Never)
            .at(step.clone(), None);
        EventKind::StepFailed {
            step,
            failure: Box::new(failure),
        }
    }
}

impl<P: Basis> Machine<P> {
    /// The step whose outputs an item delivers: the last of the body; none where the item failed.
    fn item_slot(&self, frame: &Frame) -> Option<Slot> {
        let last = self.body(frame.owner).len().checked_sub(1)?;
        frame.failed.is_none().then(|| frame.slot(last))
    }

    /// The outputs of a fan-out whose items have ended.
    pub(super) fn results(&self, slot: Slot, fan_out: &FanOut) -> Map<String, Value> {
        let Some(fan) = self.fan(slot) else {
            return Map::new();
        };
        let results = fan.opened().map(|id| {
            let delivers = self.item_slot(self.frame(id));
            delivers.map_or(Value::Null, |slot| self.element(slot))
        });
        let mut outputs = Map::new();
        outputs.insert("results".to_owned(), results.collect());
        if fan_out.on_item_error == OnItemError::Collect {
            outputs.insert("errors".to_owned(), Value::Array(self.errors(slot)));
        }
        outputs
    }

    /// What is said of the items that failed, in item order.
    fn errors(&self, slot: Slot) -> Vec<Value> {
        let collects = |fan_out: &FanOut| fan_out.on_item_error == OnItemError::Collect;
        if !self.fan_out(slot).is_some_and(collects) {
            return Vec::new();
        }
        let opened = self.fan(slot).into_iter().flat_map(Fan::opened);
        let failed = opened.filter_map(|id| {
            let frame = self.frame(id);
            Some((frame.item, frame.failed?))
        });
        let error = |(item, slot): (usize, Slot)| {
            let failure = self.state.steps.at(slot).failure.as_deref();
            let class = failure.map_or(FailureClass::Internal, |failure| failure.class);
            let message = failure.map_or("", |failure| failure.message.as_str());
            json!({ "index": item, "class": class.as_str(), "message": message })
        };
        failed.map(error).collect()
    }

    /// The outputs of an ended step as one element of a list.
    pub(super) fn element(&self, slot: Slot) -> Value {
        let step = self.state.steps.at(slot);
        match (&step.phase, &step.outputs) {
            (Phase::Succeeded, Some(outputs)) => match self.step_of(slot).outputs.as_slice() {
                [output] => outputs
                    .get(output.name.as_str())
                    .cloned()
                    .unwrap_or_default(),
                _ => Value::Object((**outputs).clone()),
            },
            _ => Value::Null,
        }
    }
}

fn invalid(message: String) -> Failure {
    Failure::new(FailureClass::InvalidArguments, message)
        .with_effect(Effect::None)
        .with_retry(RetryAdvice::Never)
}

fn internal() -> Failure {
    Failure::new(FailureClass::Internal, "an item failed and did not say why")
}
