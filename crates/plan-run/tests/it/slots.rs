//! What starts side by side.

use serde_json::{Value, json};

use crate::harness::{Driver, call};

fn many(tool: &str, count: usize) -> Value {
    let calls = (0..count).map(|n| call(&format!("s{n}"), tool, &[], &json!({})));
    Value::Array(calls.collect())
}

#[test]
fn case_26_independent_steps_start_together() {
    let run = Driver::new(&many("read", 5));
    assert_eq!(run.in_flight(), ["s0", "s1", "s2", "s3", "s4"]);
}

#[test]
fn sixty_four_effects_run_at_one_time_unless_the_plan_says_less() {
    let mut run = Driver::new(&many("read", 70));
    assert_eq!(run.in_flight().len(), 64);
    run.succeed("s3", json!({}));
    assert_eq!(
        run.in_flight().last().unwrap(),
        "s64",
        "the next in plan order"
    );
    let limited = Driver::with(
        &many("read", 5),
        &json!({ "limits": { "max_concurrency": 2 } }),
        json!({}),
    );
    assert_eq!(limited.in_flight(), ["s0", "s1"]);
}

#[test]
fn a_tool_takes_no_more_calls_at_one_time_than_it_says() {
    let mut steps = many("slow", 5);
    steps
        .as_array_mut()
        .unwrap()
        .push(call("other", "read", &[], &json!({})));
    let mut run = Driver::new(&steps);
    assert_eq!(run.in_flight(), ["s0", "s1", "other"]);
    run.succeed("s1", json!({}));
    assert_eq!(run.in_flight(), ["s0", "s2", "other"]);
}

#[test]
fn a_person_and_a_condition_take_no_slot() {
    let ask = json!({ "type": "HUMAN_INTERACTION", "prompt": "?", "response_field": "r" });
    let steps = json!([
        crate::harness::step("ask", ask, &[]),
        crate::harness::condition("c", "1 < 2", &["b"], &[], &[]),
        call("a", "read", &[], &json!({})),
        call("b", "read", &["c"], &json!({})),
    ]);
    let run = Driver::with(
        &steps,
        &json!({ "limits": { "max_concurrency": 1 } }),
        json!({}),
    );
    assert_eq!(
        run.statuses(),
        "running: ask waiting, c succeeded, a running, b pending"
    );
}

#[test]
fn a_retry_that_is_due_shares_the_slots() {
    let mut steps = many("slow", 3);
    steps[0]["retry"] = json!({ "max_attempts": 2, "delay_secs": 1, "jitter": false });
    let mut run = Driver::new(&steps);
    let failed = crate::harness::failure(plan_run::FailureClass::Transient, plan_run::Effect::None);
    run.settle("s0", Err(failed));
    assert_eq!(run.in_flight(), ["s1", "s2"], "a delay holds no slot");
    run.after(1000);
    assert_eq!(run.in_flight(), ["s1", "s2"]);
    run.succeed("s2", json!({}));
    assert_eq!(run.in_flight(), ["s0", "s1"]);
}

#[test]
fn case_44_a_step_costs_the_same_in_a_long_plan() {
    // twice the steps, about twice the proposals and events; no wall clock is read
    let events = |count: usize| Driver::new(&many("read", count)).journal.len();
    assert_eq!(events(32), 33);
    let mut run = Driver::new(&many("read", 1000));
    let mut proposals = 0;
    for n in 0..1000 {
        let before = run.journal.len();
        run.succeed(&format!("s{n}"), json!({}));
        proposals += run.journal.len() - before;
    }
    assert_eq!(proposals, 1000 + (1000 - 64) + 1);
}
