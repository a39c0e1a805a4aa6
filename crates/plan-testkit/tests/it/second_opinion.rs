//! The validator and the oracle agree, over valid plans and over plans with one fault and with several.

use std::collections::BTreeSet;

use plan_testkit::mutate::{self, Ground, Mutator};
use plan_testkit::{Case, generate, oracle};
use plan_validate::{Finding, Severity};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::campaign::cases;

/// Rules whose finding means that parts of the plan were not read, so that there is nothing to compare.
const UNREAD: &[&str] = &["P101", "P102", "P103", "P104", "P105", "P106", "P107"];

/// Mutators that leave the plan a native one of sound shape.
fn faults() -> Vec<&'static Mutator> {
    let of_plans = mutate::mutators().filter(|mutator| mutator.ground == Ground::Plan);
    of_plans
        .filter(|mutator| {
            matches!(
                mutator.code.get(..2),
                Some("P2" | "P3" | "P4" | "P5" | "P6" | "P7")
            )
        })
        .collect()
}

/// A plan with some of these faults in it, those that it has a place for.
fn with_faults(case: Case, chosen: &[(prop::sample::Index, u64)]) -> Case {
    let faults = faults();
    chosen.iter().fold(case, |case, (which, seed)| {
        match which.get(&faults).apply(&case, *seed) {
            Some(mutated) => mutated.case,
            None => case,
        }
    })
}

fn said(case: &Case, findings: &[Finding]) -> BTreeSet<(&'static str, String)> {
    let circles = oracle::circles(case);
    let said = findings
        .iter()
        .filter(|finding| oracle::CODES.contains(&finding.code.as_str()));
    let said = said.filter(|finding| finding.code != "P305" || finding.severity == Severity::Error);
    said.map(|finding| {
        let place = match finding.code.as_str() {
            // a circle has no one place: its first member stands for it
            "P203" => {
                let member = finding.message.split('`').nth(1).unwrap_or_default();
                let circle = circles
                    .iter()
                    .find(|circle| circle.iter().any(|id| id == member));
                circle.map_or_else(|| finding.line(), |circle| circle[0].clone())
            }
            _ => finding.pointer.as_str().to_owned(),
        };
        (finding.code.as_str(), place)
    })
    .collect()
}

/// Whether a place is in a part of the plan that could not be read, of which one finding speaks.
fn is_unread(findings: &[Finding], code: &str, place: &str) -> bool {
    findings.iter().any(|finding| match finding.code.as_str() {
        // what stands there may read anything
        "P408" | "P501" => code == "P210",
        "P509" => {
            let unread = finding.pointer.as_str();
            unread.ends_with("/config") && (code == "P210" || place.starts_with(unread))
        }
        _ => false,
    })
}

/// Where the two disagree.
fn difference(case: &Case) -> Option<String> {
    let findings = case.findings();
    if findings
        .iter()
        .any(|finding| UNREAD.contains(&finding.code.as_str()))
        || findings.len() >= 100
    {
        return None;
    }
    let said = said(case, &findings);
    let opinion = oracle::opinion(case);
    let only_said: Vec<_> = said
        .difference(&opinion.sure)
        .filter(|it| !opinion.open.contains(*it))
        .collect();
    let only_meant: Vec<_> = opinion
        .sure
        .difference(&said)
        .filter(|(code, place)| !is_unread(&findings, code, place))
        .collect();
    if only_said.is_empty() && only_meant.is_empty() {
        return None;
    }
    let lines: Vec<String> = findings.iter().map(Finding::line).collect();
    Some(format!(
        "only the validator: {only_said:?}\nonly the oracle: {only_meant:?}\n{}\npolicy {}\n{:#}",
        lines.join("\n"),
        case.policy,
        case.document
    ))
}

fn agree(cases: u32, faults: std::ops::Range<usize>) {
    let chosen = prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), faults);
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    };
    let result =
        TestRunner::new(config).run(
            &(generate::plans(), chosen),
            |(case, chosen)| match difference(&with_faults(case, &chosen)) {
                None => Ok(()),
                Some(difference) => Err(TestCaseError::fail(difference)),
            },
        );
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn they_agree_on_valid_plans() {
    agree(cases(2_000), 0..1);
}

#[test]
fn they_agree_on_plans_with_a_fault() {
    agree(cases(4_000), 1..2);
}

#[test]
fn they_agree_on_plans_with_several_faults() {
    agree(cases(4_000), 2..6);
}

#[test]
fn every_code_of_the_oracle_is_compared() {
    let planted: BTreeSet<&str> = faults().iter().map(|mutator| mutator.code).collect();
    let idle: Vec<_> = oracle::CODES
        .iter()
        .filter(|code| !planted.contains(*code))
        .collect();
    assert!(idle.is_empty(), "{idle:?}");
}
