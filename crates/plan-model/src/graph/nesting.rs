//! Which step is inside which fan-out, and which siblings hold two steps.
//!
//! Ancestors are found in logarithmic time through one jump per step (Myers,
//! "An applicative random-access stack", 1983), so that fan-outs nested
//! thousands deep cost no more than flat ones.

/// The forest of owners, without the rings that a wrong plan may have.
#[derive(Debug, Clone)]
pub(super) struct Nesting {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: Option<usize>,
    depth: usize,
    /// An ancestor further up; itself at a root.
    jump: usize,
}

impl Nesting {
    /// The forest of these owners. A step on a ring of owners counts as one of the main flow.
    pub(super) fn new(owners: &[Option<usize>]) -> Self {
        let mut nodes: Vec<Node> = owners
            .iter()
            .enumerate()
            .map(|(step, owner)| Node {
                parent: *owner,
                depth: 0,
                jump: step,
            })
            .collect();
        open_rings(&mut nodes);
        let mut nesting = Self { nodes };
        let mut placed = vec![false; owners.len()];
        let mut path = Vec::new();
        for step in 0..owners.len() {
            let mut next = Some(step);
            while let Some(at) = next.filter(|at| !placed.get(*at).copied().unwrap_or(true)) {
                path.push(at);
                next = nesting.parent(at);
            }
            while let Some(at) = path.pop() {
                nesting.place(at);
                if let Some(placed) = placed.get_mut(at) {
                    *placed = true;
                }
            }
        }
        nesting
    }

    /// The fan-out that holds a step.
    pub(super) fn parent(&self, step: usize) -> Option<usize> {
        self.nodes.get(step)?.parent
    }

    /// Whether `inner` is inside `outer`, and not `outer` itself.
    pub(super) fn contains(&self, outer: usize, inner: usize) -> bool {
        let depth = self.depth(outer);
        self.depth(inner) > depth && self.ancestor_at(inner, depth) == outer
    }

    /// The two siblings that hold two steps, or are them. `None` when one step is inside the other.
    pub(super) fn siblings(&self, step: usize, other: usize) -> Option<(usize, usize)> {
        let depth = self.depth(step).min(self.depth(other));
        let (mut a, mut b) = (
            self.ancestor_at(step, depth),
            self.ancestor_at(other, depth),
        );
        if a == b {
            return (step == other).then_some((step, other));
        }
        while self.parent(a) != self.parent(b) {
            let (up_a, up_b) = (self.jump(a), self.jump(b));
            if up_a == up_b {
                // the jump went past the place: go one step
                match (self.parent(a), self.parent(b)) {
                    (Some(next_a), Some(next_b)) => (a, b) = (next_a, next_b),
                    _ => break,
                }
            } else {
                (a, b) = (up_a, up_b);
            }
        }
        Some((a, b))
    }

    fn depth(&self, step: usize) -> usize {
        self.nodes.get(step).map_or(0, |node| node.depth)
    }

    fn jump(&self, step: usize) -> usize {
        self.nodes.get(step).map_or(step, |node| node.jump)
    }

    fn ancestor_at(&self, mut step: usize, depth: usize) -> usize {
        while self.depth(step) > depth {
            let far = self.jump(step);
            step = if self.depth(far) >= depth {
                far
            } else {
                self.parent(step).unwrap_or(far)
            };
        }
        step
    }

    /// Fills in depth and jump of a step whose parent has them.
    fn place(&mut self, step: usize) {
        let Some(parent) = self.parent(step) else {
            return;
        };
        let far = self.jump(parent);
        let (near, next) = (
            self.depth(parent) - self.depth(far),
            self.depth(far) - self.depth(self.jump(far)),
        );
        let jump = if near == next { self.jump(far) } else { parent };
        let depth = self.depth(parent) + 1;
        if let Some(node) = self.nodes.get_mut(step) {
            node.depth = depth;
            node.jump = jump;
        }
    }
}

/// Takes the owner from every step that is, through its owners, inside itself.
fn open_rings(nodes: &mut [Node]) {
    // the walk in which each step was met, counted from 1
    let mut met = vec![0_usize; nodes.len()];
    let mut rings = Vec::new();
    for start in 0..nodes.len() {
        let walk = start + 1;
        let mut next = Some(start);
        while let Some(at) = next {
            match met.get_mut(at) {
                Some(seen @ 0) => *seen = walk,
                Some(seen) if *seen == walk => {
                    rings.push(at);
                    break;
                }
                _ => break,
            }
            next = nodes.get(at).and_then(|node| node.parent);
        }
    }
    for ring in rings {
        let mut next = Some(ring);
        while let Some(node) = next.and_then(|at| nodes.get_mut(at)) {
            next = node.parent.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siblings_hold_the_two_steps() {
        // 0 holds 1, which holds 2 and 3; 4 holds 5; 6 is alone
        let owners = [None, Some(0), Some(1), Some(1), None, Some(4), None];
        let nesting = Nesting::new(&owners);
        assert_eq!(nesting.siblings(2, 3), Some((2, 3)));
        assert_eq!(nesting.siblings(2, 6), Some((0, 6)));
        assert_eq!(nesting.siblings(5, 3), Some((4, 0)));
        assert_eq!(nesting.siblings(2, 0), None);
        assert_eq!(nesting.siblings(0, 2), None);
        assert_eq!(nesting.siblings(6, 6), Some((6, 6)));
        assert!(nesting.contains(0, 3));
        assert!(!nesting.contains(3, 0));
        assert!(!nesting.contains(0, 0));
    }

    #[test]
    fn a_step_on_a_ring_of_owners_counts_as_main_flow() {
        // 0 and 1 own each other, 2 is in 1, 3 owns itself
        let nesting = Nesting::new(&[Some(1), Some(0), Some(1), Some(3)]);
        let parents: Vec<_> = (0..4).map(|step| nesting.parent(step)).collect();
        assert_eq!(parents, [None, None, Some(1), None]);
        assert_eq!(nesting.siblings(2, 0), Some((1, 0)));
    }

    #[test]
    fn deep_nesting_is_climbed_fast() {
        let count = 20_000;
        let owners: Vec<_> = (0..count).map(|step: usize| step.checked_sub(1)).collect();
        let nesting = Nesting::new(&owners);
        for step in 1..count {
            assert!(nesting.contains(0, step));
            assert_eq!(
                nesting.siblings(step, count - 1).is_none(),
                step < count - 1
            );
        }
    }
}
