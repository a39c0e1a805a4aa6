//! What several rules say of a step that is not there.

use super::further;
use crate::candidates::ranked;
use crate::facts::{Facts, MissingStep, Naming};
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
            ranked(
                missing.name.as_str(),
                facts.plan.steps.iter().map(|step| step.id.as_str()),
            )
        } else {
            Vec::new()
        };
        add(rule, missing, candidates, findings);
    }
}

fn add(rule: &Rule, missing: &MissingStep<'_>, candidates: Vec<&str>, findings: &mut Findings) {
    let mut places = missing.places.iter();
    let Some(first) = places.next() else { return };
    let message = format!("there is no step {}", quoted(missing.name));
    let places = places.map(|place| (place.pointer.clone(), place.naming.note()));
    let finding = further::places(rule.at(first.pointer.clone(), message), places);
    findings.add(finding.candidates(candidates));
}
