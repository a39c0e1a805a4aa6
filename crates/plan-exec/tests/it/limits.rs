//! Bounds on what runs at one time and in all.

use std::time::Duration;

use plan_exec::{Resume, RunRequest, ToolError};
use plan_run::{Effect, FailureClass, RunStatus};
use plan_testkit::Scripted;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::lab::{Lab, call, plan, plan_with, registry, statuses, with};

fn fan(tool: &str, width: usize) -> Vec<Value> {
    (0..width)
        .map(|at| call(&format!("s{at}"), tool, json!({})))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_run_at_once_than_the_plan_says() {
    let lab = Lab::new();
    let slow = Scripted::tool("slow").after(Duration::from_millis(10));
    let text = plan_with(&fan("slow", 9), json!({"limits": {"max_concurrency": 3}}));
    let began = Instant::now();
    lab.run(&text, &registry([&slow])).await;
    assert_eq!(slow.log().peak(), 3);
    assert_eq!(began.elapsed(), Duration::from_millis(30));
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_of_a_tool_run_at_once_than_it_says() {
    let lab = Lab::new();
    let one = Scripted::tool("one")
        .after(Duration::from_millis(10))
        .max_concurrency(1);
    let many = Scripted::tool("many").after(Duration::from_millis(10));
    let mut steps = fan("one", 4);
    steps.extend((0..4).map(|at| call(&format!("m{at}"), "many", json!({}))));
    let began = Instant::now();
    lab.run(&plan(&steps), &registry([&one, &many])).await;
    assert_eq!((one.log().peak(), many.log().peak()), (1, 4));
    assert_eq!(began.elapsed(), Duration::from_millis(40));
}

#[tokio::test(start_paused = true)]
async fn at_most_64_calls_run_at_once_unless_said_otherwise() {
    let lab = Lab::new();
    let slow = Scripted::tool("slow").after(Duration::from_millis(10));
    lab.run(&plan(&fan("slow", 200)), &registry([&slow])).await;
    assert_eq!(slow.log().peak(), 64);
}

#[tokio::test(start_paused = true)]
async fn case_38_a_crossed_deadline_reports_what_is_done_failed_in_flight_and_never_started() {
    let lab = Lab::new();
    let (quick, hangs) = (Scripted::tool("quick"), Scripted::tool("hangs").hangs());
    let broken = Scripted::tool("broken").fails(ToolError::permanent("no such page"));
    let tools = registry([&quick, &hangs, &broken]);
    let text = plan(&[
        call("done", "quick", json!({})),
        with(
            call("failed", "broken", json!({})),
            json!({"on_error": "continue"}),
        ),
        call("stuck", "hangs", json!({})),
        with(
            call("never", "quick", json!({})),
            json!({"depends_on": ["stuck"]}),
        ),
    ]);
    let request = RunRequest::default().deadline(Duration::from_mins(1));
    let began = Instant::now();
    let run = lab
        .executor(&tools)
        .start(lab.check(&text, &tools), request)
        .await
        .unwrap();
    let record = run.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(record.failure().unwrap().class, FailureClass::LimitExceeded);
    assert_eq!(
        statuses(&record),
        "done succeeded, failed failed, stuck cancelled, never skipped (run_failed)"
    );
    let failure = |id: &str| record.step(id).unwrap().failure.clone().unwrap();
    assert_eq!(failure("failed").message, "no such page");
    // nobody knows what the call in flight did
    assert_eq!(failure("stuck").effect, Effect::Unknown);
    assert!(
        began.elapsed() < Duration::from_secs(62),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(hangs.log().running(), 0);
}

/// `a`, and `b` after it, which fails every time and takes this long.
async fn failing(lab: &Lab, limits: Value, takes: Duration) -> (Vec<String>, usize) {
    let fine = Scripted::tool("fine").read_only();
    let broken = Scripted::tool("broken")
        .read_only()
        .fails(ToolError::permanent("no such page"))
        .after(takes);
    let tools = registry([&fine, &broken]);
    let text = plan_with(
        &[
            call("a", "fine", json!({})),
            with(call("b", "broken", json!({})), json!({"depends_on": ["a"]})),
        ],
        json!({"limits": limits}),
    );
    let run = lab.start(&text, &tools).await;
    let mut told = vec![run.wait().await.unwrap().failure().unwrap().message.clone()];
    for _ in 0..2 {
        // somebody says each time that it is mended
        let executor = lab.executor(&tools);
        let again = executor
            .resume_as(run.id(), Resume::WorldFixed)
            .await
            .unwrap();
        let record = again.wait().await.unwrap();
        assert_eq!(record.status(), RunStatus::Failed);
        told.push(record.failure().unwrap().message.clone());
    }
    assert_eq!(fine.calls().len(), 1);
    (told, broken.calls().len())
}

#[tokio::test(start_paused = true)]
async fn case_57_calls_and_driven_time_count_over_every_resume() {
    let lab = Lab::new();
    let (told, calls) = failing(&lab, json!({"max_tool_calls": 3}), Duration::ZERO).await;
    assert_eq!(calls, 2);
    assert_eq!(
        told,
        [
            "no such page",
            "no such page",
            "the run may make 3 tool calls and would make more"
        ]
    );

    let lab = Lab::new();
    let limits = json!({"max_wall_secs": 10});
    let (told, calls) = failing(&lab, limits, Duration::from_secs(4)).await;
    assert_eq!(calls, 3);
    assert_eq!(
        told,
        [
            "no such page",
            "no such page",
            "the run was driven for the 10 seconds that it may take"
        ]
    );
}
