//! Bounds on what runs at one time and in all.

use std::time::Duration;

use plan_exec::RunRequest;
use plan_run::{FailureClass, RunStatus};
use plan_testkit::Scripted;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::lab::{Lab, call, plan, plan_with, registry, with};

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
async fn a_crossed_deadline_reports_what_is_done_in_flight_and_never_started() {
    let lab = Lab::new();
    let (quick, hangs) = (Scripted::tool("quick"), Scripted::tool("hangs").hangs());
    let tools = registry([&quick, &hangs]);
    let text = plan(&[
        call("done", "quick", json!({})),
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
    assert_eq!(record.step("done").unwrap().status.to_string(), "succeeded");
    assert_eq!(
        record.step("stuck").unwrap().status.to_string(),
        "cancelled"
    );
    assert_eq!(record.step("never").unwrap().status.to_string(), "skipped");
    assert!(
        began.elapsed() < Duration::from_secs(62),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(hangs.log().running(), 0);
}
