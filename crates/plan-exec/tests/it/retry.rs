//! Attempts: which failures are tried again, when, and under which key.

use std::time::Duration;

use plan_exec::{Dispatched, ToolError};
use plan_run::{FailureClass, RetryAdvice, RunStatus};
use plan_testkit::Scripted;
use serde_json::json;
use tokio::time::Instant;

use crate::lab::{Lab, call, plan, registry, with};

#[tokio::test(start_paused = true)]
async fn a_transient_failure_is_tried_again_under_the_same_key() {
    let lab = Lab::new();
    let flaky = Scripted::tool("flaky")
        .idempotent()
        .fails(ToolError::transient("reset"))
        .fails(ToolError::transient("reset"))
        .returns(json!({"x": 1}));
    let text = plan(&[with(
        call("a", "flaky", json!({})),
        json!({"retry": {"max_attempts": 5, "delay_secs": 2, "backoff": true, "jitter": false}}),
    )]);
    let began = Instant::now();
    let record = lab.run(&text, &registry([&flaky])).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    // 2 s, then twice that
    assert!(
        began.elapsed() >= Duration::from_secs(6),
        "{:?}",
        began.elapsed()
    );
    assert!(
        began.elapsed() < Duration::from_millis(6100),
        "{:?}",
        began.elapsed()
    );
    let calls = flaky.calls();
    assert_eq!(
        calls.iter().map(|call| call.attempt).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert!(calls.iter().all(|call| call.key == calls[0].key));
    assert_eq!(record.step("a").unwrap().attempts.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn jitter_never_waits_longer_than_the_delay() {
    let lab = Lab::new();
    let flaky = Scripted::tool("flaky")
        .idempotent()
        .fails(ToolError::transient("reset"))
        .returns(json!({}));
    let text = plan(&[with(
        call("a", "flaky", json!({})),
        json!({"retry": {"max_attempts": 2, "delay_secs": 10}}),
    )]);
    let began = Instant::now();
    lab.run(&text, &registry([&flaky])).await;
    assert!(
        began.elapsed() <= Duration::from_millis(10_100),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn the_pause_that_the_other_side_asks_for_is_kept() {
    let lab = Lab::new();
    let limited = ToolError::new(FailureClass::RateLimited, "429")
        .retry(RetryAdvice::After(Duration::from_secs(30)));
    let tool = Scripted::tool("t")
        .idempotent()
        .fails(limited)
        .returns(json!({}));
    let text = plan(&[with(
        call("a", "t", json!({})),
        json!({"retry": {"max_attempts": 2, "delay_secs": 1}}),
    )]);
    let began = Instant::now();
    let record = lab.run(&text, &registry([&tool])).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert!(
        began.elapsed() >= Duration::from_secs(30),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn advice_never_to_retry_is_kept() {
    let lab = Lab::new();
    let tool = Scripted::tool("t")
        .idempotent()
        .fails(ToolError::transient("gone for good").retry(RetryAdvice::Never));
    let text = plan(&[with(
        call("a", "t", json!({})),
        json!({"retry": {"max_attempts": 5, "delay_secs": 0}}),
    )]);
    let record = lab.run(&text, &registry([&tool])).await;
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(tool.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn work_that_is_not_safe_to_repeat_is_tried_again_only_when_it_never_left() {
    for (dispatched, calls) in [
        (Dispatched::No, 3),
        (Dispatched::Unknown, 1),
        (Dispatched::Yes, 1),
    ] {
        let lab = Lab::new();
        let failure = ToolError::transient("reset").dispatched(dispatched);
        // a key lets the plan ask for retries at all
        let tool = Scripted::tool("t")
            .declared(|spec| spec.idempotency_key = plan_model::IdempotencyKeySupport::None)
            .fails(failure);
        let text = plan(&[with(
            call("a", "t", json!({})),
            json!({"retry": {"max_attempts": 3, "delay_secs": 0}}),
        )]);
        let mut lab = lab;
        // the finding that refuses such plans by default is not the executor's only guard
        lab.policy = lab
            .policy
            .severity("P510", Some(plan_validate::Severity::Warning));
        let record = lab.run(&text, &registry([&tool])).await;
        assert_eq!(record.status(), RunStatus::Failed);
        assert_eq!(tool.calls().len(), calls, "{dispatched:?}");
    }
}
