//! Joins over branches that exclude each other: P512.

use plan_model::edit::Edit;
use serde_json::{Value, json};

use crate::rules_control_flow::{condition, flow, found};
use crate::sample::{after, call, findings, related};

#[test]
fn exclusive_branches_are_followed_through_what_waits_for_all() {
    let steps = json!([
        condition("c", &["yes"], &["no"], json!({})),
        after("yes", &["c"]),
        after("no", &["c"]),
        after("far_yes", &["yes"]),
        after("join", &["far_yes", "no"]),
        after("behind", &["join"]),
    ]);
    assert_eq!(
        found(steps.clone()),
        [
            "P512 /steps/4/depends_on: `join` can never run: `far_yes` runs only where `c` holds, and `no` runs only where it does not"
        ]
    );
    let findings = findings(&flow(steps));
    let wrong = findings.iter().find(|f| f.code == "P512").unwrap();
    let Some(Edit::Set { pointer, value }) = &wrong.suggestions[0].edit else {
        panic!("{wrong:?}");
    };
    assert_eq!((pointer.as_str(), value), ("/steps/4/join", &json!("any")));
    assert_eq!(related(wrong).len(), 2);
}

#[test]
fn any_and_settled_join_what_excludes_each_other() {
    for join in ["any", "settled"] {
        let steps = json!([
            condition("c", &["yes"], &["no"], json!({})),
            after("yes", &["c"]),
            after("no", &["c"]),
            call(
                "join",
                json!({"q": "${step.yes.x ?? step.no.x}"}),
                json!({"join": join})
            ),
            after("behind", &["join", "c"]),
        ]);
        assert_eq!(found(steps), [""; 0], "{join}");
    }
}

#[test]
fn a_branch_that_waits_for_the_other_branch_never_runs() {
    let steps = json!([
        condition("c", &["yes"], &["no"], json!({})),
        after("yes", &["c"]),
        after("no", &["c", "yes"]),
    ]);
    let findings = findings(&flow(steps));
    let wrong = findings.iter().find(|f| f.code == "P512").unwrap();
    assert_eq!(
        wrong.line(),
        "P512 /steps/2/depends_on: `no` can never run: `yes` runs only where `c` holds, and it is chosen only where it does not"
    );
    assert!(wrong.suggestions.is_empty());
}

#[test]
fn branches_of_different_conditions_do_not_exclude_each_other() {
    let steps = json!([
        condition("c", &["yes"], &["no"], json!({})),
        condition("d", &["da"], &["net"], json!({})),
        after("yes", &["c"]),
        after("no", &["c"]),
        after("da", &["d"]),
        after("net", &["d"]),
        after("join", &["yes", "net"]),
    ]);
    assert_eq!(found(steps), [""; 0]);
}

#[test]
fn a_plan_of_two_thousand_conditions_is_checked_in_batches() {
    let mut steps = Vec::new();
    let mut before: Option<String> = None;
    for n in 0..2_000 {
        let (c, yes, no, join) = (
            format!("c{n}"),
            format!("yes{n}"),
            format!("no{n}"),
            format!("join{n}"),
        );
        let waits: Vec<&str> = before.as_deref().into_iter().collect();
        steps.push(condition(&c, &[&yes], &[&no], json!({"depends_on": waits})));
        steps.push(after(&yes, &[&c]));
        steps.push(after(&no, &[&c]));
        steps.push(call(
            &join,
            json!({}),
            json!({"depends_on": [yes, no], "join": "any"}),
        ));
        steps.push(after(&format!("next{n}"), &[&join]));
        before = Some(format!("next{n}"));
    }
    assert_eq!(steps.len(), 10_000);
    // the last join of the plan asks for both branches of the first condition
    steps[9_998] = call(
        "join1999",
        json!({}),
        json!({"depends_on": ["yes0", "no0"]}),
    );
    let found = found(Value::Array(steps));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("P512 /steps/9998/depends_on: `join1999` can never run"));
}

/// A condition with this expression.
fn tests(id: &str, expression: &str, true_steps: &[&str], false_steps: &[&str]) -> Value {
    let mut condition = condition(id, true_steps, false_steps, json!({}));
    condition["config"]["expression"] = expression.into();
    condition
}

#[test]
fn a_condition_that_asks_again_has_a_branch_that_never_runs() {
    let steps = json!([
        condition("c", &["again"], &[], json!({})),
        with_dependencies(
            tests("again", "${step.c.result}", &["yes"], &["no"]),
            &["c"]
        ),
        after("yes", &["again"]),
        after("no", &["again"]),
        after("behind", &["no"]),
    ]);
    assert_eq!(
        found(steps),
        [
            "P207 /steps/3: `no` can never run: it is chosen only where `c` holds, and only where it does not"
        ]
    );
}

#[test]
fn a_condition_is_the_same_in_every_run_whatever_half_of_it_reads() {
    let steps = json!([
        tests("c", "input.n > 2 && 1 > 2", &["yes"], &["no"]),
        after("yes", &["c"]),
        after("no", &["c"]),
        after("behind", &["yes"]),
    ]);
    assert_eq!(
        found(steps),
        ["P207 /steps/1: `yes` can never run: `c` always fails"]
    );
}

fn with_dependencies(mut step: Value, dependencies: &[&str]) -> Value {
    step["depends_on"] = json!(dependencies);
    step
}

#[test]
fn a_join_that_cannot_be_read_is_the_only_finding() {
    let steps = json!([
        condition("c", &["a"], &["b"], json!({})),
        after("a", &["c"]),
        after("b", &["c"]),
        call(
            "meet",
            json!({}),
            json!({"depends_on": ["a", "b"], "join": "either"})
        ),
    ]);
    let found = found(steps);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("P104 /steps/3/join"), "{found:?}");
}
