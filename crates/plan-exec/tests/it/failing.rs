//! Failures of calls: typed, contained, on record.

use std::time::Duration;

use plan_exec::{Dispatched, ToolError, ToolRegistry, blocking_tool_fn};
use plan_run::event::EventKind;
use plan_run::record::AttemptResult;
use plan_run::{Effect, FailureClass, RunStatus};
use plan_testkit::Scripted;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::lab::{Lab, call, plan, plan_with, registry, statuses, with};

#[tokio::test]
async fn case_27_a_failed_call_fails_its_step_and_the_run_and_nothing_after_it_runs() {
    let raises = Scripted::tool("t").panics("a bug");
    let returns = Scripted::tool("t").fails(ToolError::permanent("no such page"));
    let gone = Scripted::tool("t").fails(
        ToolError::new(FailureClass::EndpointDown, "connection refused").dispatched(Dispatched::No),
    );
    for (tool, class, effect) in [
        (raises, FailureClass::Panicked, Effect::Unknown),
        (returns, FailureClass::Internal, Effect::Unknown),
        (gone, FailureClass::EndpointDown, Effect::None),
    ] {
        let lab = Lab::new();
        let after = Scripted::tool("after");
        let text = plan(&[
            call("a", "t", json!({})),
            with(call("b", "after", json!({})), json!({"depends_on": ["a"]})),
        ]);
        let record = lab.run(&text, &registry([&tool, &after])).await;
        assert_eq!(record.status(), RunStatus::Failed);
        assert_eq!(record.step("a").unwrap().status.to_string(), "failed");
        assert!(
            statuses(&record).contains("b skipped"),
            "{}",
            statuses(&record)
        );
        assert_eq!(after.calls(), []);
        let failure = record.failure().unwrap();
        assert_eq!((failure.class, failure.effect), (class, effect));
        assert_eq!(failure.step.as_ref().unwrap().to_string(), "a");
        assert_eq!(failure.attempt, Some(1));
    }
}

#[tokio::test]
async fn a_read_only_call_that_failed_changed_nothing() {
    let lab = Lab::new();
    let reads = Scripted::tool("reads").read_only().panics("a bug");
    let record = lab
        .run(&plan(&[call("a", "reads", json!({}))]), &registry([&reads]))
        .await;
    assert_eq!(record.failure().unwrap().effect, Effect::None);
}

#[tokio::test]
async fn case_37_a_result_that_cannot_be_stored_fails_its_own_step() {
    let deep = |_: &plan_testkit::Call| {
        let mut value = json!(1);
        for _ in 0..100_000 {
            value = Value::Array(vec![value]);
        }
        Ok(value)
    };
    let wide = |_: &plan_testkit::Call| Ok(json!("x".repeat(2 << 20)));
    for (tool, said) in [
        (
            Scripted::tool("bad").answers(deep),
            "the result has more than 64 levels",
        ),
        (
            Scripted::tool("bad").answers(wide),
            "the result has more than 1048576 bytes",
        ),
    ] {
        let lab = Lab::new();
        let good = Scripted::tool("good");
        let text = plan_with(
            &[
                call("a", "bad", json!({})),
                call("b", "good", json!({})),
                with(call("c", "good", json!({})), json!({"depends_on": ["b"]})),
            ],
            json!({"failure_policy": "finish_independent"}),
        );
        let record = lab.run(&text, &registry([&tool, &good])).await;
        assert_eq!(statuses(&record), "a failed, b succeeded, c succeeded");
        let failure = record.failure().unwrap();
        assert_eq!(
            (failure.class, failure.message.as_str()),
            (FailureClass::LimitExceeded, said)
        );
        let attempts = &record.step("a").unwrap().attempts;
        assert_eq!(attempts.len(), 1);
        assert_eq!(
            attempts[0].end.as_ref().unwrap().result,
            AttemptResult::Failed
        );
    }
}

#[tokio::test]
async fn case_40_a_panic_fails_its_step_alone() {
    let lab = Lab::new();
    let text = plan_with(
        &[call("a", "bad", json!({})), call("b", "good", json!({}))],
        json!({"failure_policy": "finish_independent"}),
    );
    let (bad, good) = (
        Scripted::tool("bad").panics("index out of range"),
        Scripted::tool("good"),
    );
    let record = lab.run(&text, &registry([&bad, &good])).await;
    assert_eq!(statuses(&record), "a failed, b succeeded");
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::Panicked);
    assert_eq!(failure.message, "the call panicked: index out of range");
}

#[tokio::test]
async fn a_panic_on_a_thread_of_its_own_fails_its_step_alone() {
    let lab = Lab::new();
    let tool = blocking_tool_fn("bad", "Panics", |(): (), _| -> Result<u8, ToolError> {
        panic!("on a thread")
    });
    let tools = ToolRegistry::new().with(tool).unwrap();
    let record = lab.run(&plan(&[call("a", "bad", json!({}))]), &tools).await;
    assert_eq!(
        record.failure().unwrap().message,
        "the call panicked: on a thread"
    );
}

#[tokio::test(start_paused = true)]
async fn case_40_a_late_result_of_a_timed_out_attempt_changes_nothing() {
    let lab = Lab::new();
    let late = Scripted::tool("late").lingers(json!({"x": "too late"}));
    let text = plan_with(
        &[
            with(
                call("a", "late", json!({})),
                json!({"timeout_secs": 3, "on_error": "continue"}),
            ),
            with(
                call("b", "echo", json!({"x": "${step.a.x}"})),
                json!({"join": "settled"}),
            ),
        ],
        json!({}),
    );
    let echo = Scripted::tool("echo");
    let run = lab.start(&text, &registry([&late, &echo])).await;
    let record = run.wait().await.unwrap();
    assert_eq!(statuses(&record), "a failed, b succeeded");
    assert_eq!(record.step("b").unwrap().outputs["x"], Value::Null);
    let step = record.step("a").unwrap();
    assert_eq!(step.failure.as_ref().unwrap().class, FailureClass::Timeout);
    assert!(step.attempts[0].late.is_some());
    let journal = lab.journal(run.id()).await;
    let lates = journal
        .iter()
        .filter(|event| matches!(event.kind, EventKind::LateResult { .. }));
    assert_eq!(lates.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_never_looks_at_its_cancellation_is_dropped_at_its_time() {
    let lab = Lab::new();
    let hangs = Scripted::tool("hangs").hangs();
    let text = plan(&[with(
        call("a", "hangs", json!({})),
        json!({"timeout_secs": 1.5}),
    )]);
    let began = Instant::now();
    let record = lab.run(&text, &registry([&hangs])).await;
    assert_eq!(began.elapsed(), Duration::from_millis(1500));
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::Timeout);
    assert_eq!(failure.message, "the call did not end within 1.5 s");
    assert_eq!(failure.effect, Effect::Unknown);
    assert_eq!(hangs.log().running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_tools_own_timeout_holds_where_the_step_has_none() {
    let lab = Lab::new();
    let hangs = Scripted::tool("hangs")
        .hangs()
        .timeout(Duration::from_secs(7));
    let began = Instant::now();
    let record = lab
        .run(&plan(&[call("a", "hangs", json!({}))]), &registry([&hangs]))
        .await;
    assert_eq!(record.failure().unwrap().class, FailureClass::Timeout);
    assert_eq!(began.elapsed(), Duration::from_secs(7));
}

#[tokio::test]
async fn outputs_that_break_their_declaration_fail_the_step() {
    let lab = Lab::new();
    let odd = Scripted::tool("odd").returns(json!({"n": "three"}));
    let text = plan(&[with(
        call("a", "odd", json!({})),
        json!({"outputs": [{"name": "n", "value_type": "integer"}]}),
    )]);
    let record = lab.run(&text, &registry([&odd])).await;
    assert_eq!(
        record.failure().unwrap().class,
        FailureClass::OutputContract
    );
}

#[tokio::test]
async fn case_43_what_a_tool_says_of_its_failure_is_stripped_and_capped_before_it_is_kept() {
    let lab = Lab::new();
    let noise = format!(
        "\u{1b}[2Jno\u{1b}]0;title\u{7} page\u{202e}{}",
        "x".repeat(100_000)
    );
    let odd = Scripted::tool("odd")
        .fails(ToolError::permanent(noise.clone()).output(Some(noise.clone()), Some(noise)));
    let text = plan(&[call("a", "odd", json!({}))]);
    let record = lab.run(&text, &registry([&odd])).await;
    let failure = record.failure().unwrap();
    assert!(
        failure.message.starts_with("no page"),
        "{:.20}",
        failure.message
    );
    assert!(failure.message.len() < 5_000, "{}", failure.message.len());
    assert!(!failure.message.contains(['\u{1b}', '\u{7}', '\u{202e}']));
    // what it printed is kept as it was, up to its bound: whoever shows it strips it
    assert!(failure.stderr_tail.as_ref().unwrap().len() <= 256 << 10);
    assert!(lab.journal(record.run_id()).await.len() < 10);
}
