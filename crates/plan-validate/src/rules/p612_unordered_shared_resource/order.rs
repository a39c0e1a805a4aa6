//! Whether something orders the steps that name one path.
//!
//! In an order of the graph a reader is compared with the writer before it, and a
//! writer with that writer and the readers since: a number of questions in
//! proportion to the steps, since what is ordered pair by pair is ordered.

use plan_model::StepConfig;

use super::super::scope;
use super::touch::Touch;
use crate::facts::Facts;

/// So many pairs are compared in one plan. Past that the rule has nothing to say.
const MOST_COMPARED: usize = 2_048;

/// The places of steps in one order of the graph, made when first asked.
#[derive(Debug, Default)]
pub(super) struct Order {
    places: Vec<usize>,
    compared: usize,
}

impl Order {
    /// Puts touches into an order of the graph; `None` where there is a cycle.
    pub(super) fn sort(&mut self, facts: &Facts<'_>, touches: &mut [Touch<'_>]) -> Option<()> {
        if self.places.is_empty() {
            let order = facts.graph.order()?;
            self.places = vec![0; order.len()];
            for (place, step) in order.iter().enumerate() {
                if let Some(slot) = self.places.get_mut(*step) {
                    *slot = place;
                }
            }
        }
        touches.sort_by_key(|touch| self.places.get(touch.step).copied());
        Some(())
    }

    /// The first two touches that nothing orders, one of which writes.
    pub(super) fn unordered<'a>(
        &mut self,
        facts: &Facts<'_>,
        touches: &[Touch<'a>],
    ) -> Option<(Touch<'a>, Touch<'a>)> {
        let mut writer: Option<Touch<'a>> = None;
        let mut readers: Vec<Touch<'a>> = Vec::new();
        for touch in touches {
            if touch.writes && runs_beside_itself(facts, touch.step) {
                return Some((*touch, *touch));
            }
            if let Some(writer) = writer
                && self.is_unordered(facts, writer.step, touch.step)
            {
                return Some((writer, *touch));
            }
            if !touch.writes {
                readers.push(*touch);
                continue;
            }
            for reader in readers.drain(..) {
                if self.is_unordered(facts, reader.step, touch.step) {
                    return Some((reader, *touch));
                }
            }
            writer = Some(*touch);
        }
        None
    }

    /// Whether both steps can run at one time.
    fn is_unordered(&mut self, facts: &Facts<'_>, a: usize, b: usize) -> bool {
        self.compared += 1;
        if a == b || self.compared > MOST_COMPARED || facts.guards().exclude(facts, a, b) {
            return false;
        }
        let Some((a, b, around)) = siblings(facts, a, b) else {
            return false;
        };
        match around {
            // an item runs its body in order
            Some(_) => runs_beside_itself(facts, a),
            None => !facts.graph.is_upstream(a, b) && !facts.graph.is_upstream(b, a),
        }
    }
}

/// The steps of one body, or of the main flow, that hold both steps; and the fan-out of that body.
///
/// `None` where one step is around the other.
fn siblings(facts: &Facts<'_>, a: usize, b: usize) -> Option<(usize, usize, Option<usize>)> {
    let chain = |step: usize| -> Vec<usize> {
        let mut chain: Vec<usize> = scope::owners(facts, step)
            .take(facts.limits.depth)
            .collect();
        chain.insert(0, step);
        chain.reverse();
        chain
    };
    let (chain_a, chain_b) = (chain(a), chain(b));
    let pairs = chain_a.iter().zip(&chain_b);
    let shared = pairs.take_while(|(a, b)| a == b).count();
    let around = shared.checked_sub(1).and_then(|at| chain_a.get(at));
    Some((
        *chain_a.get(shared)?,
        *chain_b.get(shared)?,
        around.copied(),
    ))
}

/// Whether a fan-out around the step runs several items at one time.
fn runs_beside_itself(facts: &Facts<'_>, step: usize) -> bool {
    scope::owners(facts, step).any(|owner| {
        matches!(
            facts.step(owner).map(|step| &step.config),
            Some(StepConfig::FanOut(fan)) if fan.max_parallel > 1
        )
    })
}
