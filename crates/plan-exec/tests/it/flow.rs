//! Order, branches and joins.

use std::time::Duration;

use plan_exec::inputs;
use plan_run::RunStatus;
use plan_testkit::{CallLog, Scripted, plans};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::lab::{Lab, call, plan, plan_with, registry, statuses, with};

#[tokio::test(start_paused = true)]
async fn case_26_five_independent_steps_take_as_long_as_one() {
    let lab = Lab::new();
    let slow = Scripted::tool("slow").after(Duration::from_millis(200));
    let steps: Vec<Value> = ["a", "b", "c", "d", "e"]
        .iter()
        .map(|id| call(id, "slow", json!({})))
        .collect();
    let began = Instant::now();
    let record = lab.run(&plan(&steps), &registry([&slow])).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(slow.log().peak(), 5);
    assert_eq!(began.elapsed(), Duration::from_millis(200));
}

#[tokio::test]
async fn case_28_an_any_join_takes_the_branch_that_ran() {
    for (n, ran, skipped) in [(20, "big", "small"), (1, "small", "big")] {
        let lab = Lab::new();
        let tools = registry([&Scripted::tool("work").read_only()]);
        let text: Value = serde_json::from_str(plans::BRANCHES).unwrap();
        let plan = lab.check(&text, &tools);
        let run = lab
            .executor(&tools)
            .start(plan, inputs! { "n": n })
            .await
            .unwrap();
        let record = run.wait().await.unwrap();
        assert_eq!(record.outputs()["x"], ran);
        let told = statuses(&record);
        assert!(
            told.contains(&format!("{skipped} skipped (not_taken)")),
            "{told}"
        );
        assert!(told.contains(&format!("{ran} succeeded")), "{told}");
    }
}

#[tokio::test]
async fn case_36_a_result_cannot_steer_the_executor() {
    let lab = Lab::new();
    let steering = json!({
        "status": "failed", "error": "stop", "next": ["c"], "steps": {"b": {"status": "succeeded"}},
        "retry": true, "outputs": {"b": 1}, "cancel": true, "result": "${step.b.x}",
        "event": {"run_ended": {}}, "type": "CONDITION",
    });
    let sly = Scripted::tool("sly").returns(steering.clone());
    let log = CallLog::new();
    let work = Scripted::tool("work").logged(&log);
    let text = plan(&[
        call("a", "sly", json!({})),
        with(call("b", "work", json!({"all": "${step.a}"})), json!({})),
        call("c", "work", json!({"of": "${step.b.all.status}"})),
    ]);
    let record = lab.run(&text, &registry([&sly, &work])).await;
    assert_eq!(statuses(&record), "a succeeded, b succeeded, c succeeded");
    assert_eq!(log.steps(), ["b", "c"]);
    assert_eq!(json!(*record.step("a").unwrap().outputs), steering);
}

#[tokio::test]
async fn steps_start_in_plan_order_when_slots_are_few() {
    let lab = Lab::new();
    let work = Scripted::tool("work");
    let steps: Vec<Value> = ["d", "b", "c", "a"]
        .iter()
        .map(|id| call(id, "work", json!({})))
        .collect();
    let text = plan_with(&steps, json!({"limits": {"max_concurrency": 1}}));
    lab.run(&text, &registry([&work])).await;
    assert_eq!(work.log().steps(), ["d", "b", "c", "a"]);
}

/// What a generated step does: succeeds, fails, panics, or fails and lets the run go on.
#[derive(Debug, Clone, Copy)]
enum Does {
    Succeed,
    Fail,
    Panic,
    FailOn,
    Cancel,
}

fn any_run() -> impl Strategy<Value = (Vec<(Does, Vec<usize>, u8)>, bool)> {
    let does = prop_oneof![
        4 => Just(Does::Succeed), 1 => Just(Does::Fail), 1 => Just(Does::Panic),
        1 => Just(Does::FailOn), 1 => Just(Does::Cancel),
    ];
    let steps = (does, proptest::collection::vec(0..12_usize, 0..3), 0..3_u8);
    (proptest::collection::vec(steps, 1..12), any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn case_29_a_finished_run_has_no_pending_step((steps, stop) in any_run()) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let lab = Lab::new();
            let tools = registry([
                &Scripted::tool("succeed"),
                &Scripted::tool("fail").fails("no".into()),
                &Scripted::tool("panic").panics("no"),
                &Scripted::tool("hang").hangs(),
            ]);
            let mut hangs = false;
            let written: Vec<Value> = steps.iter().enumerate().map(|(at, (does, after, join))| {
                let tool = match does {
                    Does::Succeed => "succeed",
                    Does::Fail | Does::FailOn => "fail",
                    Does::Panic => "panic",
                    Does::Cancel => { hangs = true; "hang" }
                };
                let mut after: Vec<String> = after.iter().filter(|a| **a < at).map(|a| format!("s{a}")).collect();
                after.sort();
                after.dedup();
                let on_error = if matches!(does, Does::FailOn) { "continue" } else { "fail" };
                let join = ["all", "any", "settled"][usize::from(*join)];
                let more = json!({"depends_on": after, "join": join, "on_error": on_error});
                with(call(&format!("s{at}"), tool, json!({})), more)
            }).collect();
            let policy = if stop { "stop" } else { "finish_independent" };
            let text = plan_with(&written, json!({"failure_policy": policy}));
            let handle = lab.start(&text, &tools).await;
            if hangs {
                tokio::time::sleep(Duration::from_secs(1)).await;
                // it may have failed already
                let _ = handle.cancel(crate::lab::somebody(), "enough").await;
            }
            let record = handle.wait().await.unwrap();
            assert!(record.status().is_finished());
            for step in record.steps() {
                assert!(step.status.is_ended(), "{} is {} in a run that has {}", step.id, step.status, record.status());
            }
        });
    }
}
