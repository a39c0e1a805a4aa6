//! Fan-outs within each other: in a ring, so that none of them can ever start, or too deep.

use plan_model::StepConfig;

use super::RULE;
use crate::facts::Facts;
use crate::findings::Findings;
use crate::rules::{further, place};
use crate::text::{listed, quoted};

/// How deep fan-outs may nest. Records of runs, and the lists of lists that fan-outs deliver, nest as deep.
const DEPTH: usize = 16;

pub(super) fn check(facts: &Facts<'_>, findings: &mut Findings) {
    for ring in rings(facts) {
        let names = ring
            .iter()
            .filter_map(|step| facts.step(*step))
            .map(|step| step.id.as_str());
        let message = format!(
            "fan-outs are in the bodies of each other: {}",
            listed(names)
        );
        let mut places = ring.iter().map(|step| place::config(*step, "spawn_steps"));
        let Some(first) = places.next() else { continue };
        let places = places.map(|place| (place, "a body of the ring"));
        findings.add(further::places(RULE.at(first, message), places));
    }
}

/// The first fan-out, from the outside, that is nested too deep; those within it are not told one by one.
pub(super) fn check_depth(facts: &Facts<'_>, index: usize, findings: &mut Findings) {
    let around = std::iter::successors(facts.owner(index), |owner| facts.owner(*owner));
    // one more than that, in a ring too, says enough
    let depth = around.take(DEPTH + 1).count() + 1;
    if depth == DEPTH + 1
        && let Some(step) = facts.step(index)
    {
        let message = format!(
            "{} is within {DEPTH} other fan-outs, and may be within {}",
            quoted(&step.id),
            DEPTH - 1
        );
        findings.add(RULE.at(place::config(index, "spawn_steps"), message));
    }
}

/// Every ring of two or more, its members in document order.
fn rings(facts: &Facts<'_>) -> Vec<Vec<usize>> {
    // the walk on which each step was met first
    let mut met = vec![None; facts.plan.steps.len()];
    let mut rings = Vec::new();
    let fan_outs = facts
        .steps()
        .filter(|(_, step)| matches!(step.config, StepConfig::FanOut(_)));
    for (start, _) in fan_outs {
        let mut walk = Vec::new();
        let mut at = Some(start);
        while let Some(step) = at {
            match met.get_mut(step) {
                Some(slot @ None) => *slot = Some(start),
                Some(Some(by)) if *by == start => {
                    // the walk came round: the ring begins where it was entered
                    let mut ring: Vec<usize> = walk
                        .iter()
                        .copied()
                        .skip_while(|member| *member != step)
                        .collect();
                    ring.sort_unstable();
                    if ring.len() > 1 {
                        rings.push(ring);
                    }
                    break;
                }
                _ => break,
            }
            walk.push(step);
            at = facts.owner(step);
        }
    }
    rings.sort();
    rings
}
