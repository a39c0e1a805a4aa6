//! What is known inside of objects and arrays.

use std::collections::{BTreeMap, BTreeSet};

use super::Shape;
use super::sizes::Count;

/// What is known of an object.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Members {
    pub(super) named: BTreeMap<String, Shape>,
    pub(super) required: BTreeSet<String>,
    /// What every other member is; nothing when there is none.
    pub(super) rest: Shape,
}

/// What is known of an array.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Items {
    /// The first elements, where there are so many.
    pub(super) first: Vec<Shape>,
    /// What every other element is; nothing when there is none.
    pub(super) rest: Shape,
}

impl Members {
    pub(super) fn get(&self, name: &str) -> &Shape {
        self.named.get(name).unwrap_or(&self.rest)
    }

    /// How many members there can be.
    pub(super) fn count(&self) -> Count {
        let possible = self.named.values().filter(|shape| !shape.is_nothing());
        Count {
            least: len(self.required.len()),
            most: if self.rest.is_nothing() {
                len(possible.count())
            } else {
                u64::MAX
            },
        }
    }
}

impl Items {
    /// An array whose elements are all alike.
    pub(super) fn all(rest: Shape) -> Self {
        Self {
            first: Vec::new(),
            rest,
        }
    }

    pub(super) fn get(&self, index: usize) -> &Shape {
        self.first.get(index).unwrap_or(&self.rest)
    }

    /// How many elements there can be.
    pub(super) fn count(&self) -> Count {
        let nothing = self.first.iter().position(Shape::is_nothing);
        let most = match nothing {
            Some(index) => len(index),
            None if self.rest.is_nothing() => len(self.first.len()),
            None => u64::MAX,
        };
        Count { least: 0, most }
    }

    /// What any element is.
    pub(super) fn any(&self) -> Shape {
        let first = self.first.iter().cloned();
        Shape::join_all(first.chain(std::iter::once(self.rest.clone())))
    }
}

fn len(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
