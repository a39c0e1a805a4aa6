//! Shapes of values that are of both shapes, or of either.

use std::sync::Arc;

use serde_json::Value;

use super::parts::{Items, Members};
use super::sizes::Sizes;
use super::types::Types;
use super::{Shape, fit};
use crate::number::same;

/// How many pairs of shapes are looked at for one combination: what would take more is left wider.
const MOST_PAIRS: usize = 20_000;
/// How many values are kept one by one.
const MOST_CHOICES: usize = 1_000;

/// The pairs that may still be looked at.
///
/// Combining is quadratic in the worst case, and a schema combines many: without a bound a small hostile one would
/// grow past all memory.
#[derive(Debug)]
pub(super) struct Work(usize);

impl Default for Work {
    fn default() -> Self {
        Self(MOST_PAIRS)
    }
}

impl Work {
    fn is_done(&mut self) -> bool {
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                false
            }
            None => true,
        }
    }
}

impl Shape {
    /// The shape of values that both shapes have, perhaps of more.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        self.meet_within(other, &mut Work::default())
    }

    /// The shape of values that either shape has.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        self.join_within(other, &mut Work::default())
    }

    /// The shape of values that any of the shapes has; nothing when there are none.
    pub fn join_all(shapes: impl IntoIterator<Item = Self>) -> Self {
        Self::join_all_within(shapes, &mut Work::default())
    }

    pub(super) fn join_all_within(shapes: impl IntoIterator<Item = Self>, work: &mut Work) -> Self {
        shapes
            .into_iter()
            .reduce(|all, shape| all.join_within(&shape, work))
            .unwrap_or_else(Self::nothing)
    }

    pub(super) fn meet_within(&self, other: &Self, work: &mut Work) -> Self {
        // either of the two has all that both have
        if work.is_done() {
            return self.clone();
        }
        let members = match (&self.members, &other.members) {
            (Some(ours), Some(theirs)) => Some(Arc::new(ours.meet(theirs, work))),
            (ours, theirs) => ours.as_ref().or(theirs.as_ref()).cloned(),
        };
        let items = match (&self.items, &other.items) {
            (Some(ours), Some(theirs)) => Some(Arc::new(ours.meet(theirs, work))),
            (ours, theirs) => ours.as_ref().or(theirs.as_ref()).cloned(),
        };
        let met = Self {
            types: self.types & other.types,
            choices: None,
            members,
            items,
            sizes: match (&self.sizes, &other.sizes) {
                (Some(ours), Some(theirs)) => Some(Arc::new(ours.meet(theirs))),
                (ours, theirs) => ours.as_ref().or(theirs.as_ref()).cloned(),
            },
            kinds: self.kinds.as_ref().or(other.kinds.as_ref()).cloned(),
            path: self.path.or(other.path),
        };
        let choices = match (&self.choices, &other.choices) {
            (Some(ours), Some(theirs)) => ours
                .iter()
                .filter(|ours| theirs.iter().any(|theirs| same(ours, theirs)))
                .cloned()
                .collect(),
            (Some(choices), None) | (None, Some(choices)) => choices.to_vec(),
            (None, None) => return met.settled(),
        };
        met.of_choices(choices)
    }

    pub(super) fn join_within(&self, other: &Self, work: &mut Work) -> Self {
        if self.is_nothing() {
            return other.clone();
        }
        if other.is_nothing() {
            return self.clone();
        }
        let types = self.types | other.types;
        if work.is_done() {
            return Self::of_types(types);
        }
        let objects = [self, other].map(|shape| shape.types.meets(Types::OBJECT));
        let arrays = [self, other].map(|shape| shape.types.meets(Types::ARRAY));
        let sizes = self.sizes().join(self.types, &other.sizes(), other.types);
        let joined = Self {
            types,
            choices: self.choices_with(other),
            members: match (objects, &self.members, &other.members) {
                ([true, true], Some(ours), Some(theirs)) => Some(Arc::new(ours.join(theirs, work))),
                ([true, false], members, _) | ([false, true], _, members) => members.clone(),
                _ => None,
            },
            items: match (arrays, &self.items, &other.items) {
                ([true, true], Some(ours), Some(theirs)) => Some(Arc::new(ours.join(theirs, work))),
                ([true, false], items, _) | ([false, true], _, items) => items.clone(),
                _ => None,
            },
            sizes: (!sizes.is_any()).then(|| Arc::new(sizes)),
            // null is of no kind, and none is missed for it
            kinds: match (&self.kinds, &other.kinds) {
                (kinds, None) if other.types == Types::NULL => kinds.clone(),
                (None, kinds) if self.types == Types::NULL => kinds.clone(),
                (Some(ours), Some(theirs)) => Some(either(ours, theirs)),
                _ => None,
            },
            path: match (self.path, other.path) {
                (path, None) if other.types == Types::NULL => path,
                (None, path) if self.types == Types::NULL => path,
                (ours, theirs) if ours == theirs => ours,
                _ => None,
            },
        };
        joined.settled()
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
        self.settled()
    }

    /// Leaves out what says nothing of the values that are left.
    pub(super) fn settled(mut self) -> Self {
        if let Some(choices) = &self.choices {
            // the values themselves say it
            self.sizes = None;
            if choices.is_empty() {
                self.choices = None;
            }
        } else if let Some(known) = &self.sizes {
            let mut sizes = Sizes::clone(known);
            self.types = sizes.settle(self.types);
            if sizes.is_any() {
                self.sizes = None;
            } else if sizes != **known {
                self.sizes = Some(Arc::new(sizes));
            }
        }
        if !self.types.meets(Types::OBJECT) {
            self.members = None;
        }
        if !self.types.meets(Types::ARRAY) {
            self.items = None;
        }
        self
    }

    /// How large the values are.
    pub(super) fn sizes(&self) -> Sizes {
        let Some(choices) = &self.choices else {
            return self.sizes.as_deref().copied().unwrap_or_default();
        };
        let mut all = (Types::NONE, Sizes::default());
        for choice in choices.iter() {
            let one = (Types::of_value(choice), Sizes::of_value(choice));
            all = (all.0 | one.0, all.1.join(all.0, &one.1, one.0));
        }
        all.1
    }

    /// The values of both shapes, where those of both are known.
    fn choices_with(&self, other: &Self) -> Option<Arc<[Value]>> {
        let (mut ours, theirs) = (self.few_values()?, other.few_values()?);
        if ours.len() + theirs.len() > MOST_CHOICES {
            return None;
        }
        for value in theirs {
            if !ours.iter().any(|ours| same(ours, &value)) {
                ours.push(value);
            }
        }
        Some(ours.into())
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

/// The kinds of either, sorted, each once.
fn either(ours: &Arc<[Box<str>]>, theirs: &Arc<[Box<str>]>) -> Arc<[Box<str>]> {
    if ours == theirs {
        return Arc::clone(ours);
    }
    let mut kinds: Vec<Box<str>> = ours.iter().chain(theirs.iter()).cloned().collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.into()
}

impl Members {
    fn meet(&self, other: &Self, work: &mut Work) -> Self {
        Self {
            named: self.both(other, |a, b| a.meet_within(b, work)),
            required: self.required.union(&other.required).cloned().collect(),
            rest: self.rest.meet_within(&other.rest, work),
        }
    }

    fn join(&self, other: &Self, work: &mut Work) -> Self {
        Self {
            named: self.both(other, |a, b| a.join_within(b, work)),
            required: self
                .required
                .intersection(&other.required)
                .cloned()
                .collect(),
            rest: self.rest.join_within(&other.rest, work),
        }
    }

    fn both(
        &self,
        other: &Self,
        mut combine: impl FnMut(&Shape, &Shape) -> Shape,
    ) -> std::collections::BTreeMap<String, Shape> {
        let more = other.named.keys();
        let more = more.filter(|name| !self.named.contains_key(*name));
        let names = self.named.keys().chain(more);
        names
            .map(|name| (name.clone(), combine(self.get(name), other.get(name))))
            .collect()
    }
}

impl Items {
    fn meet(&self, other: &Self, work: &mut Work) -> Self {
        Self {
            first: self.both(other, |a, b| a.meet_within(b, work)),
            rest: self.rest.meet_within(&other.rest, work),
        }
    }

    fn join(&self, other: &Self, work: &mut Work) -> Self {
        Self {
            first: self.both(other, |a, b| a.join_within(b, work)),
            rest: self.rest.join_within(&other.rest, work),
        }
    }

    fn both(&self, other: &Self, mut combine: impl FnMut(&Shape, &Shape) -> Shape) -> Vec<Shape> {
        let longest = self.first.len().max(other.first.len());
        (0..longest)
            .map(|index| combine(self.get(index), other.get(index)))
            .collect()
    }
}
