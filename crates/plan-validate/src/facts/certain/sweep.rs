//! Following outcomes through the graph.

use std::collections::HashSet;

use plan_model::{Join, StepConfig};

use super::implied::Implied;
use super::{Untaken, ends_when_rejected, never};
use crate::facts::Facts;

/// Something that is certain or not when a step starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Atom {
    /// How a condition came out, or an approval.
    Outcome(usize),
    /// That a step succeeded.
    Success(usize),
}

/// What is certain of up to 64 atoms, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mask {
    /// It held, was approved, succeeded.
    pub(crate) holds: u64,
    /// It did not.
    pub(crate) fails: u64,
}

impl Mask {
    fn or(self, other: Self) -> Self {
        Self {
            holds: self.holds | other.holds,
            fails: self.fails | other.fails,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            holds: self.holds & other.holds,
            fails: self.fails & other.fails,
        }
    }

    fn is_empty(self) -> bool {
        self.holds | self.fails == 0
    }

    /// What would have to hold and not to hold.
    fn conflict(self) -> u64 {
        self.holds & self.fails
    }
}

/// A step that needs an outcome and its opposite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The step.
    pub(crate) step: usize,
    /// The condition or approval.
    pub(crate) outcome: usize,
    /// The dependency that needs it to hold; `None` where the step is chosen by that itself.
    pub(crate) when_true: Option<usize>,
    /// The dependency that needs it not to hold; likewise.
    pub(crate) when_false: Option<usize>,
}

/// Follows atoms, 64 at a time. What one batch finds out about steps that never start serves the next.
#[derive(Debug)]
pub(crate) struct Sweep<'f, 'a> {
    facts: &'f Facts<'a>,
    implied: &'f [Implied],
    /// Steps in an order in which each comes after what it waits for, and a fan-out before its body.
    order: Vec<usize>,
    positions: Vec<usize>,
    /// Each condition with each step that it chooses, sorted.
    targets: Vec<(usize, usize)>,
    assured: Vec<bool>,
    never: Vec<bool>,
    /// Dependencies under `any` or `settled` that have not succeeded when the step starts: step, dependency.
    dead: HashSet<(usize, usize)>,
    conflicts: Vec<Conflict>,
    undelivered: Vec<usize>,
    // of the present batch
    starts: Vec<Mask>,
    own: Vec<Mask>,
    /// The bits that the success of a step adds.
    success: Vec<u64>,
    touched: Vec<usize>,
    /// Positions to look at, as bits.
    pending: Vec<u64>,
}

impl<'f, 'a> Sweep<'f, 'a> {
    /// For a plan without a cycle.
    pub(crate) fn new(facts: &'f Facts<'a>, implied: &'f [Implied], untaken: &[Untaken]) -> Self {
        let count = facts.plan.steps.len();
        let (order, positions) = start_order(facts);
        let mut targets: Vec<(usize, usize)> = (0..count)
            .flat_map(|step| {
                facts
                    .graph
                    .branch_of(step)
                    .iter()
                    .map(move |(c, _)| (*c, step))
            })
            .collect();
        targets.sort_unstable();
        let mut never = vec![false; count];
        for untaken in untaken {
            if let Some(slot) = never.get_mut(untaken.step) {
                *slot = true;
            }
        }
        Self {
            facts,
            implied,
            pending: vec![0; order.len().div_ceil(64)],
            order,
            positions,
            targets,
            // only `settled` asks
            assured: if facts
                .steps()
                .any(|(step, _)| facts.join(step) == Some(Join::Settled))
            {
                never::assured(facts)
            } else {
                Vec::new()
            },
            never,
            dead: HashSet::new(),
            conflicts: Vec::new(),
            undelivered: Vec::new(),
            starts: vec![Mask::default(); count],
            own: vec![Mask::default(); count],
            success: vec![0; count],
            touched: Vec::new(),
        }
    }

    /// Follows at most 64 atoms; calls `visit` with each step of which anything is certain.
    pub(crate) fn run(&mut self, batch: &[Atom], visit: &mut dyn FnMut(usize, Mask)) {
        self.seed(batch);
        let mut word = 0;
        while let Some(bits) = self.pending.get_mut(word) {
            let bit = bits.trailing_zeros();
            if bit == 64 {
                word += 1;
                continue;
            }
            *bits &= *bits - 1;
            let position = word * 64 + usize::try_from(bit).unwrap_or(0);
            if let Some(step) = self.order.get(position).copied() {
                self.look(step, batch, visit);
            }
        }
        for step in std::mem::take(&mut self.touched) {
            set(&mut self.starts, step, Mask::default());
            set(&mut self.own, step, Mask::default());
            set(&mut self.success, step, 0);
        }
    }

    /// Steps that need a contradiction, and joins that nothing delivers to, in plan order.
    pub(crate) fn finish(mut self) -> (Vec<Conflict>, Vec<usize>) {
        self.conflicts
            .sort_unstable_by_key(|conflict| (conflict.step, conflict.outcome));
        self.conflicts.dedup_by_key(|conflict| conflict.step);
        self.undelivered.sort_unstable();
        self.undelivered.dedup();
        (self.conflicts, self.undelivered)
    }

    /// Where the atoms of a batch come from.
    fn seed(&mut self, batch: &[Atom]) {
        for (atom, bit) in batch.iter().zip((0..64).map(|n| 1_u64 << n)) {
            match *atom {
                Atom::Success(step) => self.delivers(step, bit),
                Atom::Outcome(step) => match self.facts.step(step).map(|step| &step.config) {
                    Some(StepConfig::Condition(_)) => self.chooses(step, bit),
                    Some(StepConfig::HumanInteraction(_))
                        if self.facts.step(step).is_some_and(ends_when_rejected) =>
                    {
                        self.delivers(step, bit);
                    }
                    _ => {}
                },
            }
        }
        for (atom, bit) in batch.iter().zip((0..64).map(|n| 1_u64 << n)) {
            if let Atom::Outcome(outcome) = *atom {
                self.implies(outcome, bit);
            }
        }
    }

    fn delivers(&mut self, step: usize, bit: u64) {
        if let Some(bits) = self.success.get_mut(step) {
            *bits |= bit;
        }
        self.touched.push(step);
        self.reach(step);
    }

    fn chooses(&mut self, condition: usize, bit: u64) {
        for target in self.targets_of(condition) {
            // a step in both branches of one condition is P503's
            if let [(_, result)] = self.sides(condition, target) {
                self.own_bit(target, bit, *result);
            }
        }
    }

    /// The branches of a condition that a step is in.
    fn sides(&self, condition: usize, target: usize) -> &'f [(usize, bool)] {
        let branches = self.facts.graph.branch_of(target);
        let first = branches.partition_point(|(by, _)| *by < condition);
        let end = branches.partition_point(|(by, _)| *by <= condition);
        branches.get(first..end).unwrap_or_default()
    }

    fn implies(&mut self, outcome: usize, bit: u64) {
        let implied = self.implied;
        let first = implied.partition_point(|implied| implied.outcome < outcome);
        let all = implied.iter().skip(first);
        for implied in all.take_while(|implied| implied.outcome == outcome) {
            for target in self.targets_of(implied.condition) {
                let chosen = (implied.condition, implied.result);
                if self.sides(implied.condition, target).contains(&chosen) {
                    self.own_bit(target, bit, implied.holds);
                }
            }
        }
    }

    fn own_bit(&mut self, step: usize, bit: u64, holds: bool) {
        if let Some(own) = self.own.get_mut(step) {
            *(if holds {
                &mut own.holds
            } else {
                &mut own.fails
            }) |= bit;
        }
        self.touched.push(step);
        self.pend(step);
    }

    /// The steps that a condition chooses; none for other kinds.
    fn targets_of(&self, condition: usize) -> Vec<usize> {
        let step = self.facts.step(condition);
        if !step.is_some_and(|step| matches!(step.config, StepConfig::Condition(_))) {
            return Vec::new();
        }
        let first = self.targets.partition_point(|(by, _)| *by < condition);
        let rows = self.targets.iter().skip(first);
        let rows = rows.take_while(|(by, _)| *by == condition);
        let mut targets: Vec<usize> = rows.map(|(_, target)| *target).collect();
        targets.dedup();
        targets
    }

    fn pend(&mut self, step: usize) {
        let Some(position) = self.positions.get(step) else {
            return;
        };
        if let Some(word) = self.pending.get_mut(position / 64) {
            *word |= 1 << (position % 64);
        }
    }

    /// Looks at everything that reads off what is certain of a step.
    fn reach(&mut self, step: usize) {
        let graph = self.facts.graph;
        for next in graph.dependents(step).iter().chain(graph.body(step)) {
            self.pend(*next);
        }
        for target in self.targets_of(step) {
            if self.comes_before(step, target) {
                self.pend(target);
            }
        }
    }

    fn is_never(&self, step: usize) -> bool {
        self.never.get(step).copied().unwrap_or(false)
    }

    fn comes_before(&self, step: usize, other: usize) -> bool {
        self.positions.get(step) < self.positions.get(other)
    }

    fn end(&self, step: usize) -> Mask {
        let mut mask = self.starts.get(step).copied().unwrap_or_default();
        mask.holds |= self.success.get(step).copied().unwrap_or(0);
        mask
    }

    fn look(&mut self, step: usize, batch: &[Atom], visit: &mut dyn FnMut(usize, Mask)) {
        let own = self.own_of(step);
        let mask = self.join_of(step, own);
        if mask.is_empty() {
            return;
        }
        let conflict = mask.conflict();
        if conflict != 0 && !self.is_never(step) {
            let at = usize::try_from(conflict.trailing_zeros()).unwrap_or(0);
            if let Some(Atom::Outcome(outcome)) = batch.get(at) {
                let bit = 1 << at;
                self.conflicts.push(Conflict {
                    step,
                    outcome: *outcome,
                    when_true: self.witness(step, (own.holds & bit != 0, true), bit),
                    when_false: self.witness(step, (own.fails & bit != 0, false), bit),
                });
            }
            set(&mut self.never, step, true);
        }
        set(&mut self.starts, step, mask);
        self.touched.push(step);
        self.reach(step);
        visit(step, mask);
    }

    /// What a step needs by its conditions and the fan-out around it.
    fn own_of(&self, step: usize) -> Mask {
        let mut own = self.own.get(step).copied().unwrap_or_default();
        for (condition, _) in self.facts.graph.branch_of(step) {
            if self.comes_before(*condition, step) {
                own = own.or(self.end(*condition));
            }
        }
        if let Some(owner) = self.facts.owner(step)
            && self.comes_before(owner, step)
        {
            own = own.or(self.starts.get(owner).copied().unwrap_or_default());
        }
        own
    }

    /// That, and what its join needs.
    fn join_of(&mut self, step: usize, own: Mask) -> Mask {
        let facts = self.facts;
        let dependencies = facts.graph.dependencies(step);
        let join = facts.join(step).unwrap_or(Join::Settled);
        if join == Join::All {
            let mut all = own;
            for dependency in dependencies {
                all = all.or(self.end(*dependency));
                if self.is_never(*dependency) {
                    set(&mut self.never, step, true);
                }
            }
            return all;
        }
        let mut shared: Option<Mask> = None;
        let mut assured = Mask::default();
        let (mut ways, mut dead) = (0, 0);
        for dependency in dependencies {
            if self.dead.contains(&(step, *dependency)) {
                dead += 1;
                continue;
            }
            if self.is_never(*dependency) {
                continue;
            }
            let end = self.end(*dependency);
            if own.or(end).conflict() != 0 && own.conflict() == 0 {
                self.dead.insert((step, *dependency));
                dead += 1;
                continue;
            }
            ways += 1;
            shared = Some(shared.map_or(end, |shared| shared.and(end)));
            if self.assured.get(*dependency).copied().unwrap_or(false) {
                assured = assured.or(end);
            }
        }
        if ways == 0 && dead > 0 {
            self.undelivered.push(step);
        }
        if ways == 0 && !dependencies.is_empty() && join == Join::Any {
            set(&mut self.never, step, true);
        }
        match join {
            Join::Any => own.or(shared.unwrap_or_default()),
            Join::Settled | Join::All => own.or(assured),
        }
    }

    /// The dependency that brings a need, where the step does not have it of itself.
    fn witness(&self, step: usize, (own, holds): (bool, bool), bit: u64) -> Option<usize> {
        let brings = |dependency: &&usize| {
            let end = self.end(**dependency);
            (if holds { end.holds } else { end.fails }) & bit != 0
        };
        let mut dependencies = self.facts.graph.dependencies(step).iter();
        if own {
            None
        } else {
            dependencies.find(brings).copied()
        }
    }
}

fn set<T>(slots: &mut [T], at: usize, value: T) {
    if let Some(slot) = slots.get_mut(at) {
        *slot = value;
    }
}

/// The graph's order, but with each fan-out before its body: it starts before that.
fn start_order(facts: &Facts<'_>) -> (Vec<usize>, Vec<usize>) {
    let ends = facts.graph.order().unwrap_or_default();
    let mut positions = vec![usize::MAX; facts.plan.steps.len()];
    let mut order = Vec::with_capacity(ends.len());
    let mut around = Vec::new();
    for step in ends {
        let mut next = Some(*step);
        // a ring of owners ends where it meets a step of the way
        while let Some(at) = next.filter(|at| positions.get(*at) == Some(&usize::MAX)) {
            set(&mut positions, at, 0);
            around.push(at);
            next = facts.owner(at);
        }
        while let Some(at) = around.pop() {
            set(&mut positions, at, order.len());
            order.push(at);
        }
    }
    (order, positions)
}
