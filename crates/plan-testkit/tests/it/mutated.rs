//! Every rule finds what is planted for it, and says nothing else.

use std::collections::{BTreeMap, BTreeSet};

use plan_testkit::mutate::{self, Mutated, Mutator};
use plan_validate::{Finding, Severity, rules};

use crate::campaign::cases;

/// Rules that no fault in a plan, a catalog, a policy or inputs can be planted for, and why.
const WITHOUT_MUTATOR: &[(&str, &str)] = &[];

/// Faults that rightly refuse a plan for a second reason: the mutator, the further code, the reason.
const FURTHER: &[(&str, &str, &str)] = &[];

/// So many plans are mutated by each mutator, in a whole campaign.
const PLANS: u32 = 20;

fn plans() -> usize {
    usize::try_from(cases(PLANS)).unwrap()
}

fn lines(findings: &[Finding]) -> String {
    findings
        .iter()
        .map(Finding::line)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The first plans that a mutator has a place in.
fn mutated(mutator: &Mutator) -> Vec<(u64, Mutated)> {
    let all = (0..2_000).filter_map(|seed| Some((seed, mutator.apply(&mutator.base(seed), seed)?)));
    all.take(plans()).collect()
}

fn is_planted(finding: &Finding, mutator: &Mutator, mutated: &Mutated) -> bool {
    let place = mutated.pointer.as_deref();
    finding.code == mutator.code && place.is_none_or(|place| finding.pointer.as_str() == place)
}

#[test]
fn every_rule_has_a_mutator() {
    let with: BTreeSet<&str> = mutate::mutators().map(|mutator| mutator.code).collect();
    let known: BTreeSet<&str> = rules().iter().map(|rule| rule.code.as_str()).collect();
    let without: BTreeSet<&str> = WITHOUT_MUTATOR.iter().map(|(code, _)| *code).collect();
    let missing: Vec<&&str> = known
        .difference(&with)
        .filter(|code| !without.contains(**code))
        .collect();
    assert!(missing.is_empty(), "rules without a mutator: {missing:?}");
    let of_no_rule = with.difference(&known).chain(without.difference(&known));
    let stale: Vec<&&str> = without.intersection(&with).chain(of_no_rule).collect();
    assert!(stale.is_empty(), "listed in vain: {stale:?}");
}

#[test]
fn names_of_mutators_are_unique() {
    let names: BTreeSet<&str> = mutate::mutators().map(|mutator| mutator.name).collect();
    assert_eq!(names.len(), mutate::mutators().count());
}

#[test]
fn every_rule_finds_what_is_planted_and_nothing_else_is_said() {
    let (mut wrong, mut further) = (Vec::new(), BTreeMap::new());
    let (mut cases, mut single) = (0_usize, 0_usize);
    for mutator in mutate::mutators() {
        let all = mutated(mutator);
        if all.len() < plans() {
            wrong.push(format!(
                "{} {}: only {} places",
                mutator.code,
                mutator.name,
                all.len()
            ));
        }
        for (seed, mutated) in all {
            let findings = mutated.case.findings();
            if !findings
                .iter()
                .any(|finding| is_planted(finding, mutator, &mutated))
            {
                wrong.push(format!(
                    "{} {}, seed {seed}: not found at {:?}\n{}",
                    mutator.code,
                    mutator.name,
                    mutated.pointer,
                    lines(&findings)
                ));
                break;
            }
            let errors: Vec<&Finding> = findings
                .iter()
                .filter(|finding| finding.severity == Severity::Error)
                .collect();
            cases += 1;
            single += usize::from(errors.len() <= 1);
            for finding in errors
                .into_iter()
                .filter(|finding| !is_planted(finding, mutator, &mutated))
            {
                let listed = FURTHER
                    .iter()
                    .any(|(name, code, _)| *name == mutator.name && finding.code == *code);
                let seen = further
                    .entry((mutator.name, finding.code.as_str()))
                    .or_insert(0_usize);
                *seen += 1;
                if !listed && *seen == 1 {
                    wrong.push(format!(
                        "{} {}, seed {seed} at {:?}: also says\n{}",
                        mutator.code,
                        mutator.name,
                        mutated.pointer,
                        lines(&findings)
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let stale: Vec<_> = FURTHER
        .iter()
        .filter(|(name, code, _)| !further.contains_key(&(*name, *code)))
        .collect();
    assert!(stale.is_empty(), "listed in vain: {stale:?}");
    assert!(
        single * 100 >= cases * 95,
        "{single} of {cases} have at most one error"
    );
}
