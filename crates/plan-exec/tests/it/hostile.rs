//! Tools, plans and clocks that misbehave.

use std::panic::panic_any;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use async_trait::async_trait;
use plan_exec::{
    Clock, Executor, Inputs, RunRequest, Tool, ToolContext, ToolError, ToolOutput, ToolRegistry,
    WhenWaiting, inputs,
};
use plan_model::{Timestamp, ToolName, ToolSpec};
use plan_run::{FailureClass, RunId, RunStatus};
use plan_store::MemoryStore;
use plan_testkit::{Gate, PausedClock, Scripted};
use serde_json::{Map, Value, json};

use crate::lab::{Lab, ask, call, plan, plan_with, registry, somebody, statuses, with};

/// A value of so many levels.
fn deep(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

#[tokio::test]
async fn a_watcher_that_polls_on_after_the_end_is_told_so_again() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work")]);
    let run = lab
        .start(&plan(&[call("a", "work", json!({}))]), &tools)
        .await;
    let mut updates = run.events();
    while updates.next().await.is_some() {}
    assert!(updates.next().await.is_none());
    assert!(updates.next().await.is_none());
    assert!(run.events().next().await.is_none());
}

#[tokio::test]
async fn values_that_nest_too_deep_where_they_are_put_together_fail_their_step_and_stay_out_of_the_journal()
 {
    for (levels, wraps, fits) in [(63, 0, true), (63, 55, false), (8, 55, true)] {
        let lab = Lab::new();
        let tools = registry([
            &Scripted::tool("give").returns(deep(levels)),
            &Scripted::tool("take"),
        ]);
        let wrapped = (0..wraps).fold(json!("${step.a.result}"), |inner, _| json!({"in": inner}));
        let text = plan(&[
            call("a", "give", json!({})),
            call("b", "take", json!({"x": wrapped})),
        ]);
        let run = lab.start(&text, &tools).await;
        let record = run.wait().await.unwrap();
        let step = record.step("b").unwrap();
        if fits {
            assert_eq!(record.status(), RunStatus::Succeeded, "{step:?}");
        } else {
            let failure = step.failure.as_ref().unwrap();
            assert_eq!(failure.class, FailureClass::LimitExceeded);
            assert_eq!(failure.message, "argument `x` nests deeper than 64 levels");
        }
        assert_eq!(lab.executor(&tools).open(run.id()).await.unwrap(), record);
    }
}

#[tokio::test]
async fn a_small_plan_does_not_make_a_huge_call() {
    let lab = Lab::new();
    let large = "x".repeat(1_000_000);
    let tools = registry([
        &Scripted::tool("give").returns(json!(large)),
        &Scripted::tool("take"),
    ]);
    let often = "${step.a.result}".repeat(1000);
    let many: Map<String, Value> = (0..20)
        .map(|at| (format!("x{at:02}"), json!("${step.a.result}")))
        .collect();
    for (arguments, told) in [
        (
            json!({"x": often}),
            "with argument `x` the values have more than 16777216 bytes",
        ),
        (
            Value::Object(many),
            "with argument `x16` the values have more than 16777216 bytes",
        ),
    ] {
        let text = plan(&[call("a", "give", json!({})), call("b", "take", arguments)]);
        let mut text = text;
        text["metadata"]["id"] = json!(format!("6a0e4f0e-5b1c-4a54-9d57-{:012x}", told.len()));
        let record = lab.run(&text, &tools).await;
        let failure = record.failure().unwrap();
        assert_eq!(failure.class, FailureClass::LimitExceeded);
        assert_eq!(failure.message, told);
    }
}

/// A tool whose calls end in panics where panics are least expected.
#[derive(Debug)]
struct Rude(ToolSpec, Manner);

#[derive(Debug, Clone, Copy)]
enum Manner {
    WhenDropped,
    WithAPayloadThatPanics,
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic_any("dropped");
        }
    }
}

#[async_trait]
impl Tool for Rude {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, _: Map<String, Value>, _: &ToolContext) -> Result<ToolOutput, ToolError> {
        match self.1 {
            Manner::WhenDropped => {
                let _bomb = Bomb;
                std::future::pending().await
            }
            Manner::WithAPayloadThatPanics => panic_any(Bomb),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn case_40_a_panic_while_a_call_is_dropped_fails_that_step_alone() {
    for manner in [Manner::WhenDropped, Manner::WithAPayloadThatPanics] {
        let lab = Lab::new();
        let spec = ToolSpec::named(ToolName::new("rude").unwrap());
        let tools = registry([&Scripted::tool("work")])
            .with(Rude(spec, manner))
            .unwrap();
        let text = plan_with(
            &[
                with(call("a", "rude", json!({})), json!({"timeout_secs": 1})),
                call("b", "work", json!({})),
                with(call("c", "work", json!({})), json!({"depends_on": ["b"]})),
            ],
            json!({"failure_policy": "finish_independent"}),
        );
        let record = lab.run(&text, &tools).await;
        assert_eq!(
            statuses(&record),
            "a failed, b succeeded, c succeeded",
            "{manner:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_call_that_blocks_its_thread_is_given_up_and_the_others_go_on() {
    let (release, held) = mpsc::channel::<()>();
    let held = Arc::new(Mutex::new(held));
    let blocks = plan_exec::tool_fn("blocks", "Blocks", move |(): ()| {
        let held = Arc::clone(&held);
        async move {
            let _ = held.lock().unwrap().recv();
            Ok::<_, ToolError>(1)
        }
    });
    let tools = registry([&Scripted::tool("work")]).with(blocks).unwrap();
    let text = plan_with(
        &[
            with(
                call("a", "blocks", json!({})),
                json!({"timeout_secs": 0.05}),
            ),
            call("b", "work", json!({})),
        ],
        json!({"failure_policy": "finish_independent"}),
    );
    let lab = Lab::manual();
    let run = Executor::new(tools.clone(), MemoryStore::default())
        .grace(Duration::from_millis(10))
        .start(lab.check(&text, &tools), Inputs::none())
        .await
        .unwrap();
    let record = run.wait().await.unwrap();
    drop(release);
    assert_eq!(statuses(&record), "a failed, b succeeded");
    assert_eq!(record.failure().unwrap().class, FailureClass::Timeout);
}

#[tokio::test]
async fn case_39_a_thousand_runs_at_once_keep_apart() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("echo")]);
    let text = plan_with(
        &[
            call("a", "echo", json!({"n": "${input.n}"})),
            call("b", "echo", json!({"n": "${step.a.n}"})),
        ],
        json!({
            "inputs": [{"name": "n", "value_type": "integer"}],
            "outputs": [{"name": "n", "source": "${step.b.n}"}],
        }),
    );
    let plan = lab.check(&text, &tools);
    let executor = lab.executor(&tools);
    let mut runs = Vec::new();
    for n in 0..1000 {
        runs.push(
            executor
                .start(plan.clone(), inputs! {"n": n})
                .await
                .unwrap(),
        );
    }
    for (n, run) in runs.iter().enumerate() {
        let record = run.wait().await.unwrap();
        assert_eq!(record.outputs()["n"], json!(n));
    }
}

/// Tokio's time, moved by hand also backwards.
#[derive(Debug, Clone)]
struct Wayward(PausedClock, Arc<AtomicI64>);

impl Clock for Wayward {
    fn now(&self) -> Timestamp {
        let now = self.0.now().as_millis() + self.1.load(Ordering::SeqCst);
        Timestamp::from_millis(now)
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_goes_back_stops_no_run() {
    let lab = Lab::new();
    let moved = Arc::new(AtomicI64::new(0));
    let start = Timestamp::from_millis(1_800_000_000_000);
    let clock = Wayward(PausedClock::at(start), Arc::clone(&moved));
    let back = Arc::clone(&moved);
    let work = Scripted::tool("work").read_only().answers(move |call| {
        back.fetch_sub(600_000, Ordering::SeqCst);
        if call.attempt < 3 {
            Err(ToolError::transient("again"))
        } else {
            Ok(json!({}))
        }
    });
    let tools = registry([&work]);
    let text = plan_with(
        &[with(
            call("a", "work", json!({})),
            json!({"retry": {"max_attempts": 4, "delay_secs": 1}}),
        )],
        json!({"limits": {"max_wall_secs": 3600}}),
    );
    let store = MemoryStore::with_clock(clock.clone());
    let executor = Executor::new(tools.clone(), store).clock(clock);
    let run = executor
        .start(lab.check(&text, &tools), Inputs::none())
        .await
        .unwrap();
    let record = run.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(work.calls().len(), 3);
    assert_eq!(executor.open(run.id()).await.unwrap(), record);
}

#[tokio::test(start_paused = true)]
async fn case_38_a_deadline_ends_a_run_that_waits_for_a_person() {
    let lab = Lab::new();
    let gate = Gate::new();
    let slow = Scripted::tool("slow").past(&gate);
    let tools = registry([&slow]);
    let text = plan(&[ask("q", json!({})), call("a", "slow", json!({}))]);
    let executor = lab.executor(&tools).when_waiting(WhenWaiting::Stay);
    let request = RunRequest::default().deadline(Duration::from_mins(1));
    let run = executor
        .start(lab.check(&text, &tools), request)
        .await
        .unwrap();
    gate.arrived(1).await;
    gate.open();
    let record = run.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(record.failure().unwrap().class, FailureClass::LimitExceeded);
    assert_eq!(record.step("a").unwrap().status.to_string(), "succeeded");
    assert!(
        record.step("q").unwrap().status.is_ended(),
        "{}",
        statuses(&record)
    );
}

#[tokio::test(start_paused = true)]
async fn a_rejection_lets_work_in_flight_end_and_starts_nothing_more() {
    let lab = Lab::new();
    let gate = Gate::new();
    let slow = Scripted::tool("slow").past(&gate);
    let next = Scripted::tool("next");
    let tools = registry([&slow, &next]);
    let text = plan(&[
        ask("q", json!({"approval_required": true})),
        call("a", "slow", json!({})),
        with(call("b", "next", json!({})), json!({"depends_on": ["a"]})),
    ]);
    let run = lab.start(&text, &tools).await;
    gate.arrived(1).await;
    let request = run.record().await.unwrap().waiting()[0].id.clone();
    run.answer(request, plan_run::Answer::Reject, somebody())
        .await
        .unwrap();
    assert_eq!(run.record().await.unwrap().status(), RunStatus::Running);
    gate.open();
    let record = run.wait().await.unwrap();
    assert_eq!(
        statuses(&record),
        "q cancelled, a succeeded, b skipped (run_cancelled)"
    );
    assert_eq!(record.status(), RunStatus::Cancelled);
    assert_eq!(record.step("q").unwrap().answered_by, Some(somebody()));
    assert_eq!(next.calls(), []);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_retry_is_not_made() {
    let lab = Lab::new();
    let flaky = Scripted::tool("flaky")
        .read_only()
        .fails(ToolError::transient("again"));
    let tools = registry([&flaky]);
    let retry = json!({"retry": {"max_attempts": 5, "delay_secs": 60, "jitter": false}});
    let text = plan(&[with(call("a", "flaky", json!({})), retry)]);
    let run = lab.start(&text, &tools).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(flaky.calls().len(), 1);
    run.cancel(somebody(), "enough").await.unwrap();
    let record = run.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Cancelled);
    assert_eq!(statuses(&record), "a cancelled");
    assert_eq!(flaky.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn recovery_takes_up_what_it_can_and_says_why_it_left_the_rest() {
    let lab = Lab::new();
    let gate = Gate::new();
    let tools = registry([
        &Scripted::tool("slow").past(&gate),
        &Scripted::tool("quick"),
    ]);
    let other = registry([
        &Scripted::tool("slow"),
        &Scripted::tool("quick").idempotent(),
    ]);
    let asks = |tool: &str, id: u32| {
        let mut text = plan(&[
            ask("q", json!({})),
            with(call("a", tool, json!({})), json!({"depends_on": ["q"]})),
        ]);
        text["metadata"]["id"] = json!(format!("6a0e4f0e-5b1c-4a54-9d57-{id:012x}"));
        text
    };
    let waiting = lab.start(&asks("slow", 1), &tools).await;
    let changed = lab.start(&asks("quick", 2), &tools).await;
    waiting.wait().await.unwrap();
    changed.wait().await.unwrap();
    let mut text = plan(&[call("a", "slow", json!({}))]);
    text["metadata"]["id"] = json!(format!("6a0e4f0e-5b1c-4a54-9d57-{:012x}", 3));
    let driven = lab.start(&text, &tools).await;
    gate.arrived(1).await;
    let recovery = lab.executor(&other).recover().await.unwrap();
    let resumed: Vec<&RunId> = recovery
        .resumed
        .iter()
        .map(plan_exec::RunHandle::id)
        .collect();
    assert_eq!(resumed, [waiting.id()]);
    let mut left: Vec<String> = recovery
        .left
        .iter()
        .map(|(_, error)| error.to_string())
        .collect();
    left.sort();
    assert_eq!(left.len(), 2);
    assert!(left[0].contains("is driven by"), "{left:?}");
    assert!(left[1].contains("are gone or changed: `quick`"), "{left:?}");
    gate.open();
    assert_eq!(driven.wait().await.unwrap().status(), RunStatus::Succeeded);
}

#[test]
fn a_registry_is_a_value_that_threads_share() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<ToolRegistry>();
    shared::<Executor>();
}
