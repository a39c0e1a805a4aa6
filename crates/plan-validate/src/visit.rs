//! One walk over a plan for all the rules that look at its steps.
//!
//! A plan of ten thousand steps is larger than the caches of a processor. If every rule walked over it, each would
//! fetch every step once more; so the rules come to the step instead, one after another, while it is at hand.

use std::cell::OnceCell;

use plan_model::{Reference, Shape, Step};

use crate::facts::{Facts, Misfit, Use};
use crate::findings::Findings;
use crate::rule::{Check, Rule};

/// So many references of a step are looked through one by one.
const FEW_READS: usize = 16;

/// A step that rules look at, and what several of them ask about it.
#[derive(Debug)]
pub(crate) struct Visit<'v, 'a> {
    pub(crate) index: usize,
    pub(crate) step: &'a Step,
    /// The references of the step.
    pub(crate) reads: &'v [Use<'a>],
    misfits: OnceCell<Vec<Misfit>>,
    is_marked: OnceCell<bool>,
}

impl<'v, 'a> Visit<'v, 'a> {
    fn new(index: usize, step: &'a Step, reads: &'v [Use<'a>]) -> Self {
        Self {
            index,
            step,
            reads,
            misfits: OnceCell::new(),
            is_marked: OnceCell::new(),
        }
    }

    /// Every reference of the step that an argument does not take.
    pub(crate) fn misfits(&self, facts: &Facts<'_>) -> impl Iterator<Item = (&Use<'a>, &Misfit)> {
        let misfits = self.misfits.get_or_init(|| facts.misfits_of(self.reads));
        let misfits = misfits.iter();
        misfits.filter_map(|misfit| Some((self.reads.get(misfit.read)?, misfit)))
    }

    /// What a reference of the step's expression can be.
    pub(crate) fn shape_of(&self, facts: &Facts<'_>, reference: &Reference) -> Shape {
        match self.read_of(reference) {
            Some(read) => facts.shape_of(read),
            None => facts.reference_shape(reference, Some(self.index)),
        }
    }

    /// The step that a reference of the step's expression reads first.
    pub(crate) fn source_of(&self, facts: &Facts<'_>, reference: &Reference) -> Option<usize> {
        match self.read_of(reference) {
            Some(read) => read.source(),
            None => facts.index_of(reference.first().step()?),
        }
    }

    /// The use that this very reference is. Among many it is not looked for.
    fn read_of(&self, reference: &Reference) -> Option<&'v Use<'a>> {
        let mut reads = self.reads.iter().take(FEW_READS);
        reads.find(|read| std::ptr::eq(read.reference, reference))
    }

    /// What `find` says of the step, asked once for all rules.
    pub(crate) fn is_marked(&self, find: impl FnOnce() -> bool) -> bool {
        *self.is_marked.get_or_init(find)
    }
}

/// The looks of some rules.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    plan: Vec<fn(&Facts<'_>, &mut Findings)>,
    step: Vec<for<'a> fn(&Facts<'a>, &Visit<'_, 'a>, &mut Findings)>,
}

impl Looks {
    pub(crate) fn of<'r>(rules: impl Iterator<Item = &'r Rule>) -> Self {
        let mut looks = Self::default();
        rules.for_each(|rule| looks.add(&rule.check));
        looks
    }

    /// Several checks are no more than one deep.
    fn add(&mut self, check: &Check) {
        match check {
            Check::Plan(check) => self.plan.push(*check),
            Check::Step(check) => self.step.push(*check),
            Check::Several(checks) => checks.iter().for_each(|check| self.add(check)),
            Check::Problem(_) | Check::Elsewhere => {}
        }
    }

    /// Every rule at every step, then every rule at the whole plan.
    pub(crate) fn at(&self, facts: &Facts<'_>, findings: &mut Findings) {
        for (index, step) in facts.steps() {
            let visit = Visit::new(index, step, facts.uses_of(index));
            for check in &self.step {
                check(facts, &visit, findings);
            }
        }
        for check in &self.plan {
            check(facts, findings);
        }
    }
}
