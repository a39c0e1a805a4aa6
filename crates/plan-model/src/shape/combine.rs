//! Shapes of values that are of both shapes, or of either.

use std::sync::Arc;

use serde_json::Value;

use super::types::Types;
use super::{Members, Shape, fit};
use crate::number::same;

impl Shape {
    /// The shape of values that both shapes have, perhaps of more.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        let members = match (&self.members, &other.members) {
            (Some(ours), Some(theirs)) => Some(Arc::new(ours.meet(theirs))),
            (ours, theirs) => ours.as_ref().or(theirs.as_ref()).cloned(),
        };
        let item = match (&self.item, &other.item) {
            (Some(ours), Some(theirs)) => Some(Arc::new(ours.meet(theirs))),
            (ours, theirs) => ours.as_ref().or(theirs.as_ref()).cloned(),
        };
        let met = Self {
            types: self.types & other.types,
            choices: None,
            members,
            item,
            kind: self.kind.as_ref().or(other.kind.as_ref()).cloned(),
        };
        let choices = match (&self.choices, &other.choices) {
            (Some(ours), Some(theirs)) => ours
                .iter()
                .filter(|ours| theirs.iter().any(|theirs| same(ours, theirs)))
                .cloned()
                .collect(),
            (Some(choices), None) | (None, Some(choices)) => choices.to_vec(),
            (None, None) => return met,
        };
        met.of_choices(choices)
    }

    /// The shape of values that either shape has.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        if self.is_nothing() {
            return other.clone();
        }
        if other.is_nothing() {
            return self.clone();
        }
        let choices = match (self.few_values(), other.few_values()) {
            (Some(mut ours), Some(theirs)) => {
                for value in theirs {
                    if !ours.iter().any(|ours| same(ours, &value)) {
                        ours.push(value);
                    }
                }
                Some(ours.into())
            }
            _ => None,
        };
        let objects = [self, other].map(|shape| shape.types.meets(Types::OBJECT));
        let arrays = [self, other].map(|shape| shape.types.meets(Types::ARRAY));
        let kind = if self.kind == other.kind || other.types == Types::NULL {
            self.kind.clone()
        } else if self.types == Types::NULL {
            other.kind.clone()
        } else {
            None
        };
        Self {
            types: self.types | other.types,
            choices,
            members: match (objects, &self.members, &other.members) {
                ([true, true], Some(ours), Some(theirs)) => Some(Arc::new(ours.join(theirs))),
                ([true, false], members, _) | ([false, true], _, members) => members.clone(),
                _ => None,
            },
            item: match (arrays, &self.item, &other.item) {
                ([true, true], Some(ours), Some(theirs)) => Some(Arc::new(ours.join(theirs))),
                ([true, false], item, _) | ([false, true], _, item) => item.clone(),
                _ => None,
            },
            kind,
        }
    }

    /// The shape of values that any of the shapes has; nothing when there are none.
    pub fn join_all(shapes: impl IntoIterator<Item = Self>) -> Self {
        shapes
            .into_iter()
            .reduce(|all, shape| all.join(&shape))
            .unwrap_or_else(Self::nothing)
    }

    /// This shape with no values but those of `choices` that it has.
    pub(super) fn of_choices(mut self, choices: Vec<Value>) -> Self {
        let kept: Vec<Value> = choices
            .into_iter()
            .filter(|choice| fit::admits(&self, choice))
            .collect();
        self.types = kept
            .iter()
            .map(Types::of_value)
            .fold(Types::NONE, |types, next| types | next);
        self.choices = Some(kept.into());
        self
    }

    /// All values of the shape, where they are known or the shape is null alone.
    fn few_values(&self) -> Option<Vec<Value>> {
        match &self.choices {
            Some(choices) => Some(choices.to_vec()),
            None if self.types == Types::NULL => Some(vec![Value::Null]),
            None => None,
        }
    }
}

impl Members {
    fn meet(&self, other: &Self) -> Self {
        let names = self.named.keys().chain(other.named.keys());
        Self {
            named: names
                .map(|name| (name.clone(), self.get(name).meet(other.get(name))))
                .collect(),
            required: self.required.union(&other.required).cloned().collect(),
            rest: self.rest.meet(&other.rest),
        }
    }

    fn join(&self, other: &Self) -> Self {
        let names = self.named.keys().chain(other.named.keys());
        Self {
            named: names
                .map(|name| (name.clone(), self.get(name).join(other.get(name))))
                .collect(),
            required: self
                .required
                .intersection(&other.required)
                .cloned()
                .collect(),
            rest: self.rest.join(&other.rest),
        }
    }
}
