//! What can happen next, kept by `apply` so that `next` never looks at every step.

use std::collections::BTreeSet;

use super::slot::Slot;

/// Steps that something can be proposed for, in plan order.
#[derive(Debug, Clone, Default)]
pub(super) struct Ready {
    /// Steps that need a decision and no slot: skips, branches, questions, schedules.
    pub(super) decisions: BTreeSet<Slot>,
    /// Steps whose attempt may start as soon as a slot is free.
    pub(super) starts: BTreeSet<Slot>,
    pools: Vec<Pool>,
}

/// The slots of one tool that limits its calls.
#[derive(Debug, Clone)]
struct Pool {
    limit: usize,
    in_flight: usize,
    /// Steps that are among [`Ready::starts`].
    admitted: BTreeSet<Slot>,
    /// Steps that wait for a call of this tool to end.
    held: BTreeSet<Slot>,
}

impl Ready {
    /// Nothing is ready; a pool for each limit.
    pub(super) fn new(limits: &[usize]) -> Self {
        let pools = limits
            .iter()
            .map(|limit| Pool {
                limit: (*limit).max(1),
                in_flight: 0,
                admitted: BTreeSet::new(),
                held: BTreeSet::new(),
            })
            .collect();
        Self {
            decisions: BTreeSet::new(),
            starts: BTreeSet::new(),
            pools,
        }
    }

    /// The step can start.
    pub(super) fn offer(&mut self, slot: Slot, pool: Option<usize>) {
        match pool.and_then(|pool| self.pools.get_mut(pool)) {
            None => {
                self.starts.insert(slot);
            }
            Some(pool) => {
                pool.held.insert(slot);
                pool.balance(&mut self.starts);
            }
        }
    }

    /// The step can no longer start.
    pub(super) fn withdraw(&mut self, slot: Slot, pool: Option<usize>) {
        self.starts.remove(&slot);
        if let Some(pool) = pool.and_then(|pool| self.pools.get_mut(pool)) {
            pool.held.remove(&slot);
            pool.admitted.remove(&slot);
            pool.balance(&mut self.starts);
        }
    }

    /// An attempt of this pool started.
    pub(super) fn started(&mut self, pool: Option<usize>) {
        if let Some(pool) = pool.and_then(|pool| self.pools.get_mut(pool)) {
            pool.in_flight += 1;
            pool.balance(&mut self.starts);
        }
    }

    /// An attempt of this pool ended.
    pub(super) fn ended(&mut self, pool: Option<usize>) {
        if let Some(pool) = pool.and_then(|pool| self.pools.get_mut(pool)) {
            pool.in_flight = pool.in_flight.saturating_sub(1);
            pool.balance(&mut self.starts);
        }
    }

    /// How many more attempts of this pool may start; no bound without a pool.
    pub(super) fn free(&self, pool: Option<usize>) -> usize {
        pool.and_then(|pool| self.pools.get(pool))
            .map_or(usize::MAX, |pool| pool.limit.saturating_sub(pool.in_flight))
    }
}

impl Pool {
    /// Admits as many as there are free slots, the first in plan order.
    fn balance(&mut self, starts: &mut BTreeSet<Slot>) {
        let free = self.limit.saturating_sub(self.in_flight);
        while self.admitted.len() > free {
            let Some(slot) = self.admitted.pop_last() else {
                break;
            };
            starts.remove(&slot);
            self.held.insert(slot);
        }
        while self.admitted.len() < free {
            let Some(slot) = self.held.pop_first() else {
                break;
            };
            starts.insert(slot);
            self.admitted.insert(slot);
        }
        while let (Some(first), Some(last)) = (self.held.first(), self.admitted.last())
            && first < last
        {
            let (Some(earlier), Some(later)) = (self.held.pop_first(), self.admitted.pop_last())
            else {
                break;
            };
            starts.remove(&later);
            starts.insert(earlier);
            self.admitted.insert(earlier);
            self.held.insert(later);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(ready: &Ready) -> Vec<usize> {
        ready.starts.iter().map(|slot| slot.index()).collect()
    }

    #[test]
    fn a_tool_with_a_limit_offers_no_more_than_it_takes() {
        let mut ready = Ready::new(&[2]);
        for slot in [5, 1, 3, 0] {
            ready.offer(Slot::main(slot), Some(0));
        }
        ready.offer(Slot::main(9), None);
        assert_eq!(
            starts(&ready),
            [0, 1, 9],
            "the first in plan order, and what has no limit"
        );
        ready.withdraw(Slot::main(0), Some(0));
        ready.started(Some(0));
        assert_eq!(starts(&ready), [1, 9]);
        assert_eq!(ready.free(Some(0)), 1);
        ready.ended(Some(0));
        assert_eq!(starts(&ready), [1, 3, 9]);
    }
}
