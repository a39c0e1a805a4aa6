//! What several rules say of a step that is not there.

use super::further;
use crate::candidates::ranked;
use crate::facts::{Facts, MissingStep, Naming, Place};
use crate::findings::Findings;
use crate::rule::Rule;
use crate::text::quoted;

/// The most comparisons of names: where ten thousand names are wrong, the first few get candidates.
const MOST_COMPARED: usize = 100_000;

/// One finding of `rule` for each missing step whose plainest place is a `naming`.
pub(super) fn report(rule: &Rule, naming: Naming, facts: &Facts<'_>, findings: &mut Findings) {
    let missing = facts
        .missing_steps()
        .iter()
        .filter(|missing| missing.naming() == Some(naming));
    for (count, missing) in missing.enumerate() {
        let candidates = if count * facts.plan.steps.len() < MOST_COMPARED {
            // a step names another one, never itself
            let own = missing
                .places
                .first()
                .and_then(|place| holder(facts, place));
            let others = facts.plan.steps.iter().enumerate();
            let others = others.filter(|(index, _)| Some(*index) != own);
            ranked(
                missing.name.as_str(),
                others.map(|(_, step)| step.id.as_str()),
            )
        } else {
            Vec::new()
        };
        add(rule, missing, candidates, findings);
    }
}

/// The step that holds a place.
fn holder(facts: &Facts<'_>, place: &Place) -> Option<usize> {
    let mut segments = place.pointer.segments();
    if segments.next()? != "steps" {
        return None;
    }
    let index = segments.next()?.parse().ok()?;
    facts.step(index).map(|_| index)
}

fn add(rule: &Rule, missing: &MissingStep<'_>, candidates: Vec<&str>, findings: &mut Findings) {
    let mut places = missing.places.iter();
    let Some(first) = places.next() else { return };
    let message = format!("there is no step {}", quoted(missing.name));
    let places = places.map(|place| (place.pointer.clone(), place.naming.note()));
    let finding = further::places(rule.at(first.pointer.clone(), message), places);
    findings.add(finding.candidates(candidates));
}
