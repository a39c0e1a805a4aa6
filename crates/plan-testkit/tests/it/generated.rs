//! Generated plans are valid, and of every shape.

use std::collections::BTreeSet;

use plan_model::Digest;
use plan_testkit::{Case, generate};
use plan_validate::Finding;
use serde_json::Value;

fn lines(findings: &[Finding]) -> String {
    findings
        .iter()
        .map(Finding::line)
        .collect::<Vec<_>>()
        .join("\n")
}

fn is_valid(case: &Case, seed: u64) {
    let errors = case.errors();
    assert!(
        errors.is_empty(),
        "seed {seed}:\n{}\n{:#}",
        lines(&errors),
        case.document
    );
}

#[test]
fn every_generated_plan_is_valid() {
    for seed in 0..500 {
        is_valid(&generate::plan(seed), seed);
    }
}

#[test]
fn every_generated_planner_list_is_valid() {
    for seed in 0..300 {
        is_valid(&generate::planner_list(seed), seed);
    }
}

#[test]
fn the_digest_of_a_generated_plans_grant_is_that_of_its_json() {
    for seed in 0..100 {
        let plan = generate::plan(seed).validated().unwrap();
        let json = serde_json::to_value(plan.grant()).unwrap();
        assert_eq!(plan.grant().digest(), Digest::of_json(&json), "seed {seed}");
    }
}

#[test]
fn generated_plans_have_every_kind_and_every_field_of_flow() {
    let mut kinds = BTreeSet::new();
    let mut words = String::new();
    for seed in 0..200 {
        let case = generate::plan(seed);
        let steps = case.document["steps"].as_array().unwrap();
        kinds.extend(
            steps
                .iter()
                .filter_map(|step| step["config"]["type"].as_str())
                .map(str::to_owned),
        );
        words.push_str(&case.text());
    }
    assert_eq!(kinds.len(), 8, "{kinds:?}");
    for word in [
        "\"join\":\"any\"",
        "\"join\":\"settled\"",
        "\"until\"",
        "??",
        "\"collect\"",
        "\"retry\"",
        "[0].title",
    ] {
        assert!(words.contains(word), "{word}");
    }
}

#[test]
fn the_same_seed_gives_the_same_plan() {
    for seed in 0..50 {
        assert_eq!(generate::plan(seed), generate::plan(seed));
    }
}

#[test]
fn steps_stand_in_any_order() {
    let waits_for_a_later_one = |case: &Case| {
        let steps = case.document["steps"].as_array().unwrap();
        let ids: Vec<&Value> = steps.iter().map(|step| &step["id"]).collect();
        steps.iter().enumerate().any(|(at, step)| {
            let after = step["depends_on"].as_array().unwrap();
            after.iter().any(|id| ids[at..].contains(&id))
        })
    };
    assert!((0..50).any(|seed| waits_for_a_later_one(&generate::plan(seed))));
}
