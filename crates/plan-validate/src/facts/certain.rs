//! What is certain when a step starts: how conditions came out, and which approvals were given.
//!
//! An *outcome* is the result of a condition (it holds, or not) or the answer to an approval
//! (approved, or not). `start(s)` are the outcomes of every run in which `s` starts, `end(s)`
//! those of every run in which `s` succeeded:
//!
//! ```text
//! start(s) = own(s) ∪ join(s)
//! own(s)   = for every condition c that chooses s on side r: {c = r} ∪ implied(c, r) ∪ end(c)
//!            for the fan-out f whose body s is in: start(f)
//! join(s)  = all:     the union of end(d) over its dependencies d
//!            any:     what all end(d) share, over the d that can succeed in a run in which s starts
//!            settled: the union of end(d) over the d that are assured
//! end(s)   = start(s) ∪ {s approved}, where s is an approval that ends the run when it is rejected
//! ```
//!
//! Why this is sound, against the machine of a run (`join.rs`, `answer.rs`, `scope.rs` there):
//!
//! - A branch target starts only if each condition that names it succeeded with that result, whatever its
//!   join. A skipped or failed condition chooses nothing.
//! - Under `all` every dependency succeeded, under `any` one did, under `settled` each merely ended. A step
//!   without dependencies runs whatever its join. `on_error: continue` lets a run go on after a failure, but a step
//!   that failed has not succeeded, and only success is used.
//! - A step is *assured* if it succeeded in every run that still starts steps after it ended: its failure ends the run
//!   (`on_error: fail` under `failure_policy: stop`), no condition chooses it, and its own join cannot skip it.
//! - A body runs only while its fan-out does, so what was certain when that started still is. How a fan-out's
//!   items went says nothing: there may be none. Dependencies of a body on the outside are edges of its
//!   fan-out already.
//! - A rejection under `on_reject: cancel` ends the run, and an answer that comes too late fails the step, so such
//!   a step succeeded only if it was approved. Under `on_reject: continue` success says nothing; the output does,
//!   through a condition that reads it (see `implied`).
//! - A dependency whose outcomes contradict `own(s)` has not succeeded when `s` starts, so under `any` it is no
//!   way to `s`; nor is a step that never runs.
//! - What ended stays as it is. A resume resets a step together with everything that waits for it, and a step that
//!   was reset starts under the same rules.
//!
//! Outcomes are followed 64 at a time, one bit each, and only through the steps that they reach.

mod implied;
mod never;
mod sweep;

use plan_model::{OnReject, Step, StepConfig, StepKind};

use super::Facts;
pub(crate) use implied::{answers, decided};
use never::Never;
pub(crate) use never::assured;
pub(crate) use sweep::{Atom, Conflict, Mask, Sweep};

/// What is certain when the steps of a plan start.
#[derive(Debug, Default)]
pub(crate) struct Certain {
    /// The approvals of the plan, in its order.
    approvals: Vec<usize>,
    /// For every 64 approvals one word for each step.
    approved: Vec<Vec<u64>>,
    /// Steps that need an outcome and its opposite, in plan order.
    pub(crate) conflicts: Vec<Conflict>,
    /// Steps that join `any` or `settled` of what cannot deliver when they start, in plan order.
    pub(crate) undelivered: Vec<usize>,
    /// Branches of conditions that always come out the other way, in plan order.
    pub(crate) untaken: Vec<Untaken>,
}

/// A step that its condition never chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Untaken {
    /// The step.
    pub(crate) step: usize,
    /// The condition.
    pub(crate) condition: usize,
    /// How the condition always comes out.
    pub(crate) always: bool,
}

impl Facts<'_> {
    /// What is certain when each step starts. Found once, on first use.
    pub(crate) fn certain(&self) -> &Certain {
        self.certain.get_or_init(|| of(self))
    }

    /// The approval steps that must have been approved whenever `step` starts, in plan order.
    ///
    /// None where the plan has a cycle.
    pub(crate) fn approvals_before(
        &self,
        step: usize,
    ) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let certain = self.certain();
        let words = certain.approved.iter().zip(certain.approvals.chunks(64));
        let words = words.filter_map(move |(words, approvals)| {
            let word = words.get(step).copied().filter(|word| *word != 0)?;
            Some((word, approvals))
        });
        words.flat_map(|(word, approvals)| {
            let given =
                move |(bit, approval): (usize, &usize)| (word >> bit & 1 == 1).then_some(*approval);
            approvals.iter().enumerate().filter_map(given)
        })
    }

    /// How many approval steps must have been approved whenever `step` starts.
    pub(crate) fn count_approvals_before(&self, step: usize) -> u32 {
        let words = self.certain().approved.iter();
        words
            .filter_map(|words| words.get(step))
            .map(|word| word.count_ones())
            .sum()
    }

    /// Whether the approval step `approval` must have been approved whenever `step` starts.
    pub(crate) fn is_approved_before(&self, step: usize, approval: usize) -> bool {
        let certain = self.certain();
        let Ok(at) = certain.approvals.binary_search(&approval) else {
            return false;
        };
        let words = certain.approved.get(at / 64);
        let word = words.and_then(|words| words.get(step)).copied();
        word.unwrap_or(0) >> (at % 64) & 1 == 1
    }

    /// The approval steps of the plan, in its order.
    pub(crate) fn approvals(&self) -> &[usize] {
        &self.certain().approvals
    }
}

/// Whether a step is an approval whose success means that it was approved.
fn ends_when_rejected(step: &Step) -> bool {
    matches!(&step.config, StepConfig::HumanInteraction(ask)
        if ask.approval_required && ask.on_reject == OnReject::Cancel)
}

fn of(facts: &Facts<'_>) -> Certain {
    let mut certain = Certain::default();
    if facts.graph.order().is_none() {
        // nothing of a plan with a cycle runs
        return certain;
    }
    certain.approvals = approvals(facts);
    certain.untaken = never::untaken(facts);
    let implied = implied::of(facts);
    let atoms = atoms(facts, &certain.approvals, &implied);
    if atoms.is_empty() && certain.untaken.is_empty() {
        return certain;
    }
    let mut sweep = Sweep::new(facts, &implied, &certain.untaken);
    let mut words = certain.approvals.chunks(64);
    for batch in atoms.chunks(64) {
        let mut approved = words.next().map(|approvals| {
            let bits = u64::MAX >> (64 - approvals.len().clamp(1, 64));
            (bits, vec![0_u64; facts.plan.steps.len()])
        });
        sweep.run(batch, &mut |step, mask: Mask| {
            if let Some((bits, approved)) = &mut approved
                && let Some(word) = approved.get_mut(step)
            {
                *word = mask.holds & *bits;
            }
        });
        certain
            .approved
            .extend(approved.map(|(_, approved)| approved));
    }
    let (conflicts, undelivered) = sweep.finish();
    let never = Never::of(facts, &certain.untaken, &conflicts, &undelivered);
    certain.conflicts = conflicts;
    certain
        .conflicts
        .retain(|conflict| never.is_root(facts, conflict.step));
    certain.undelivered = undelivered;
    certain
        .undelivered
        .retain(|step| never.is_root(facts, *step));
    certain
        .untaken
        .retain(|untaken| never.is_root(facts, untaken.step));
    certain
}

/// The approvals of the main flow; there can be none in a body.
fn approvals(facts: &Facts<'_>) -> Vec<usize> {
    let is_approval = |(index, step): (usize, &Step)| match &step.config {
        StepConfig::HumanInteraction(ask) => {
            (ask.approval_required && facts.owner(index).is_none()).then_some(index)
        }
        _ => None,
    };
    let people = facts.of_kinds(&[StepKind::HumanInteraction]);
    people.filter_map(is_approval).collect()
}

/// What is followed: approvals first, in plan order, then conditions that can exclude anything.
fn atoms(facts: &Facts<'_>, approvals: &[usize], implied: &[implied::Implied]) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = approvals.iter().copied().map(Atom::Outcome).collect();
    // a condition that others read can contradict them, even with one branch
    let mut read: Vec<usize> = implied.iter().map(|implied| implied.outcome).collect();
    read.sort_unstable();
    read.dedup();
    atoms.extend(
        facts
            .of_kinds(&[StepKind::Condition])
            .filter_map(|(index, step)| match &step.config {
                StepConfig::Condition(condition) => {
                    let both =
                        !condition.true_steps.is_empty() && !condition.false_steps.is_empty();
                    (both || read.binary_search(&index).is_ok()).then_some(Atom::Outcome(index))
                }
                _ => None,
            }),
    );
    atoms
}
