//! The order of steps, and the groups that can run side by side.
//!
//! Kahn's algorithm over starts and ends: a fan-out with a body starts before
//! it and ends after it, every other step does both at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Graph;

/// An order of all steps, and what is asked of it.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// The steps in order.
    pub(super) steps: Vec<usize>,
    /// Where each step stands in `steps`.
    pub(super) positions: Vec<usize>,
    /// A spanning forest of the edges: the interval that a step's descendants in it fill.
    pub(super) spans: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    Start,
    End,
}

impl Order {
    /// The order of a graph; `None` when there is a cycle.
    pub(super) fn of(graph: &Graph) -> Option<Self> {
        let steps = sorted(graph);
        if steps.len() < graph.len() {
            return None;
        }
        let mut positions = vec![0; steps.len()];
        for (position, step) in steps.iter().enumerate() {
            *positions.get_mut(*step)? = position;
        }
        let spans = spans(graph, &steps, &positions)?;
        Some(Self {
            steps,
            positions,
            spans,
        })
    }

    /// Whether the spanning forest has a way from `ancestor` down to `step`.
    pub(super) fn spans(&self, ancestor: usize, step: usize) -> bool {
        match (self.spans.get(ancestor), self.spans.get(step)) {
            (Some((first, last)), Some((at, _))) => first <= at && at < last,
            _ => false,
        }
    }
}

/// As many steps as can be put in order.
fn sorted(graph: &Graph) -> Vec<usize> {
    let count = graph.len();
    let mut starts: Vec<usize> = (0..count)
        .map(|step| {
            graph.dependencies(step).len() + usize::from(graph.nesting.parent(step).is_some())
        })
        .collect();
    // an end waits for the start of its step, and for the ends of its body
    let mut ends = vec![1_usize; count];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    for step in 0..count {
        if let Some(parent) = graph.nesting.parent(step) {
            if let Some(waits) = ends.get_mut(parent) {
                *waits += 1;
            }
            if let Some(children) = children.get_mut(parent) {
                children.push(step);
            }
        }
    }
    let mut ready: BinaryHeap<Reverse<(usize, Moment)>> = starts
        .iter()
        .enumerate()
        .filter(|(_, waits)| **waits == 0)
        .map(|(step, _)| Reverse((step, Moment::Start)))
        .collect();
    let mut steps = Vec::with_capacity(count);
    while let Some(Reverse((step, moment))) = ready.pop() {
        let mut happened = |waits: &mut [usize], step: usize, moment| {
            if let Some(waits) = waits.get_mut(step) {
                *waits = waits.saturating_sub(1);
                if *waits == 0 {
                    ready.push(Reverse((step, moment)));
                }
            }
        };
        match moment {
            Moment::Start => {
                happened(&mut ends, step, Moment::End);
                for child in children.get(step).into_iter().flatten() {
                    happened(&mut starts, *child, Moment::Start);
                }
            }
            Moment::End => {
                steps.push(step);
                for dependent in graph.dependents(step) {
                    happened(&mut starts, *dependent, Moment::Start);
                }
                if let Some(parent) = graph.nesting.parent(step) {
                    happened(&mut ends, parent, Moment::End);
                }
            }
        }
    }
    steps
}

/// Numbers a spanning forest in which a step hangs below the last of its dependencies, so that
/// chains and trees need no search.
fn spans(graph: &Graph, steps: &[usize], positions: &[usize]) -> Option<Vec<(usize, usize)>> {
    let above = |step: usize| {
        graph
            .dependencies(step)
            .iter()
            .copied()
            .max_by_key(|dependency| positions.get(*dependency))
    };
    let mut sizes = vec![1_usize; steps.len()];
    for &step in steps.iter().rev() {
        if let Some(above) = above(step) {
            let size = *sizes.get(step)?;
            *sizes.get_mut(above)? += size;
        }
    }
    let mut spans = vec![(0, 0); steps.len()];
    // where the next step below each one goes, and the next root
    let mut next_below = vec![0; steps.len()];
    let mut next_root = 0;
    for &step in steps {
        let size = *sizes.get(step)?;
        let slot = match above(step) {
            Some(above) => next_below.get_mut(above)?,
            None => &mut next_root,
        };
        let first = *slot;
        *slot += size;
        *spans.get_mut(step)? = (first, first + size);
        *next_below.get_mut(step)? = first + 1;
    }
    Some(spans)
}

/// Steps of the main flow by the length of the longest way to them.
pub(super) fn groups(graph: &Graph) -> Vec<Vec<usize>> {
    let mut depths = vec![0_usize; graph.len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &step in graph.order().unwrap_or_default() {
        if graph.nesting.parent(step).is_some() {
            continue;
        }
        let depth = graph
            .dependencies(step)
            .iter()
            .filter_map(|dependency| depths.get(*dependency))
            .max()
            .map_or(0, |deepest| deepest + 1);
        if let Some(slot) = depths.get_mut(step) {
            *slot = depth;
        }
        match groups.get_mut(depth) {
            Some(group) => group.push(step),
            None => groups.push(vec![step]),
        }
    }
    for group in &mut groups {
        group.sort_unstable();
    }
    groups
}
