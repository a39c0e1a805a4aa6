//! What may newly reach steps: items, collected outputs, other ways around approvals.

use std::collections::BTreeSet;

use plan_model::StepId;
use serde_json::Value;

use super::super::permission::{Aspect, Subject};
use super::super::source::{Relay, RelayKind};
use super::{Compared, equal, shown};
use crate::text;

impl Compared<'_> {
    /// A step that passes values on, or asks a person.
    pub(super) fn relay(&mut self, step: &StepId, relay: &Relay) {
        let (aspect, new) = match &relay.kind {
            RelayKind::Items(new) => (Aspect::Items, new),
            RelayKind::Collects(new) => (Aspect::Collects, new),
            RelayKind::Asks(new) => (Aspect::Asks, new),
            RelayKind::Decides(new) => (Aspect::Decides, new),
        };
        let subject = Subject::Step(step.to_string(), aspect);
        let old = self.old.get(&subject);
        let name = text::quoted(step);
        if !old.is_some_and(|old| equal(old, new)) {
            let found = match &relay.kind {
                RelayKind::Items(new) => items(old, new),
                RelayKind::Collects(new) => Some(format!(
                    "collect from {}",
                    new.get("from").map(shown).unwrap_or_default()
                )),
                RelayKind::Asks(new) => asks(old, new),
                RelayKind::Decides(new) => Some(format!("decide by {}", shown(new))),
            };
            if let Some(found) = found {
                self.add(
                    &subject,
                    Some(step),
                    format!("step {name} may newly {found}"),
                );
            }
        }
        if self.old.contains_key(&subject) {
            self.within(step);
        }
    }

    /// The fan-out around a step.
    pub(super) fn within(&mut self, step: &StepId) {
        let subject = Subject::Step(step.to_string(), Aspect::Within);
        let (old, new) = (self.old.get(&subject), self.new.get(&subject));
        if let Some(owner) = new.filter(|new| old != Some(new)) {
            let message = format!(
                "step {} may newly repeat for each item of {}",
                text::quoted(step),
                text::quoted(owner.as_str().unwrap_or_default())
            );
            self.add(&subject, Some(step), message);
        }
    }

    /// The approvals before a step.
    pub(super) fn behind(&mut self, step: &StepId, behind: &BTreeSet<StepId>, may_newly: &str) {
        let subject = Subject::Step(step.to_string(), Aspect::Behind);
        let gates = self.old.get(&subject).and_then(Value::as_array);
        for gate in gates.into_iter().flatten() {
            let gate = gate.as_str().unwrap_or_default();
            if !behind.iter().any(|known| known.as_str() == gate) {
                let message = format!(
                    "{may_newly} without the approval of step {}",
                    text::quoted(gate)
                );
                self.add(&subject, Some(step), message);
            }
        }
    }
}

fn items(old: Option<&Value>, new: &Value) -> Option<String> {
    let list = new.get("list").and_then(Value::as_str).unwrap_or_default();
    let same = |member: &str| old.and_then(|old| old.get(member)) == new.get(member);
    if !(same("list") && same("item")) {
        return Some(format!("go through the items of {}", text::capped(list)));
    }
    if !same("gives") {
        let gives = new.get("gives").and_then(Value::as_str).unwrap_or_default();
        let gives = text::quoted(gives);
        return Some(format!("give what step {gives} gives for each item"));
    }
    let fails = |value: Option<&Value>| {
        value.and_then(|value| value.get("on_error")) == Some(&Value::from("fail"))
    };
    if fails(old) && !fails(Some(new)) {
        return Some("go on after an item that failed".to_owned());
    }
    if same("until") {
        return None;
    }
    let stopped = old
        .and_then(|old| old.get("until"))
        .is_some_and(Value::is_string);
    stopped.then(|| format!("go further through the items of {}", text::capped(list)))
}

fn asks(old: Option<&Value>, new: &Value) -> Option<String> {
    let holds = |value: Option<&Value>, member: &str, word: &Value| {
        value.and_then(|value| value.get(member)) == Some(word)
    };
    let approval = Value::Bool(true);
    let is_approval = holds(Some(new), "approval", &approval);
    let prompt = || new.get("prompt").map(shown).unwrap_or_default();
    let Some(_) = old else {
        return (!is_approval).then(|| format!("ask a person {}", prompt()));
    };
    if holds(old, "approval", &approval) && !is_approval {
        return Some("go on without an approval".to_owned());
    }
    let cancel = Value::from("cancel");
    if holds(old, "on_reject", &cancel) && !holds(Some(new), "on_reject", &cancel) {
        return Some("go on after a rejection".to_owned());
    }
    let same = old.and_then(|old| old.get("prompt")) == new.get("prompt");
    (!same).then(|| format!("ask a person {}", prompt()))
}
