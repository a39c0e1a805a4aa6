//! A process dies with calls in flight; another takes the run up.

use plan_exec::{Inputs, ToolRegistry};
use plan_run::event::EventKind;
use plan_run::{Decision, RunId, RunStatus, StepPath};
use plan_testkit::{Gate, Scripted};
use serde_json::{Value, json};

use crate::lab::{Lab, call, object, plan, registry, somebody, statuses, with};

/// Runs a plan in a runtime of its own until `gate` has seen `arrivals`, then kills that runtime.
fn die_at(lab: &Lab, text: &Value, tools: &ToolRegistry, gate: &Gate, arrivals: usize) -> RunId {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let run = runtime.block_on(async {
        let plan = lab.check(text, tools);
        let run = lab
            .executor(tools)
            .start(plan, Inputs::none())
            .await
            .unwrap();
        gate.arrived(arrivals).await;
        run.id().clone()
    });
    runtime.shutdown_background();
    run
}

fn step(id: &str) -> StepPath {
    id.parse().unwrap()
}

/// `first`, then `middle` which is in flight when the process dies, then `last`.
fn three() -> Value {
    plan(&[
        call("first", "first", json!({})),
        with(
            call("middle", "middle", json!({})),
            json!({"depends_on": ["first"]}),
        ),
        with(
            call("last", "last", json!({})),
            json!({"depends_on": ["middle"]}),
        ),
    ])
}

struct Tools {
    first: Scripted,
    middle: Scripted,
    last: Scripted,
}

impl Tools {
    fn new(middle: Scripted) -> Self {
        Self {
            first: Scripted::tool("first"),
            middle,
            last: Scripted::tool("last"),
        }
    }

    fn registry(&self) -> ToolRegistry {
        registry([&self.first, &self.middle, &self.last])
    }
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().unwrap()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    runtime().block_on(future)
}

#[test]
fn case_45_work_that_is_safe_to_repeat_is_repeated_under_its_key_and_nothing_else_is() {
    let lab = Lab::manual();
    let gate = Gate::new();
    let before = Tools::new(Scripted::tool("middle").idempotent().past(&gate));
    let run = die_at(&lab, &three(), &before.registry(), &gate, 1);
    lab.after_the_claim();
    let after = Tools::new(Scripted::tool("middle").idempotent());
    block_on(async {
        let record = lab
            .executor(&after.registry())
            .resume(&run)
            .await
            .unwrap()
            .wait()
            .await
            .unwrap();
        assert_eq!(
            statuses(&record),
            "first succeeded, middle succeeded, last succeeded"
        );
    });
    assert_eq!(
        (before.first.calls().len(), after.first.calls().len()),
        (1, 0)
    );
    assert_eq!(before.middle.calls()[0].key, after.middle.calls()[0].key);
    assert_eq!(after.last.calls().len(), 1);
}

#[test]
fn case_45_work_that_is_not_safe_to_repeat_is_in_doubt_and_waits_for_a_decision() {
    for (decision, expected, calls) in [
        (
            Decision::Retry,
            "first succeeded, middle succeeded, last succeeded",
            1,
        ),
        (
            Decision::MarkSucceeded(object(json!({"x": 1})).into()),
            "first succeeded, middle succeeded, last succeeded",
            0,
        ),
        (
            Decision::MarkFailed,
            "first succeeded, middle failed, last skipped (upstream_failed)",
            0,
        ),
    ] {
        let lab = Lab::manual();
        let gate = Gate::new();
        let before = Tools::new(Scripted::tool("middle").past(&gate));
        let run = die_at(&lab, &three(), &before.registry(), &gate, 1);
        lab.after_the_claim();
        let after = Tools::new(Scripted::tool("middle"));
        block_on(async {
            let executor = lab.executor(&after.registry());
            let record = executor.resume(&run).await.unwrap().wait().await.unwrap();
            assert_eq!(record.status(), RunStatus::Waiting);
            assert_eq!(
                statuses(&record),
                "first succeeded, middle in_doubt, last pending"
            );
            assert_eq!(after.middle.calls(), []);
            executor
                .decide(&run, step("middle"), decision.clone(), somebody())
                .await
                .unwrap();
            let record = executor.resume(&run).await.unwrap().wait().await.unwrap();
            let told = statuses(&record);
            let told = told.replace("run_failed", "upstream_failed");
            assert_eq!(told, expected, "{decision:?}");
            let twice = executor
                .decide(&run, step("middle"), Decision::Retry, somebody())
                .await;
            assert!(twice.is_err());
        });
        assert_eq!(after.middle.calls().len(), calls, "{decision:?}");
        assert_eq!(after.first.calls(), []);
    }
}

#[test]
fn case_45_a_run_goes_on_wherever_it_died() {
    // a chain of ten, killed at each of its calls in turn
    let chain: Vec<Value> = (0..10)
        .map(|at| {
            let after: Vec<String> = (0..at)
                .rev()
                .take(1)
                .map(|before| format!("s{before}"))
                .collect();
            with(
                call(&format!("s{at}"), "work", json!({})),
                json!({"depends_on": after}),
            )
        })
        .collect();
    for dies_at in 0..10_usize {
        let lab = Lab::manual();
        let gate = Gate::new();
        let mut before = Scripted::tool("work").read_only();
        for _ in 0..dies_at {
            before = before.returns(json!({}));
        }
        let before = before.returns(json!({})).past(&gate);
        let run = die_at(&lab, &plan(&chain), &registry([&before]), &gate, 1);
        lab.after_the_claim();
        let after = Scripted::tool("work").read_only();
        let record = block_on(async {
            let executor = lab.executor(&registry([&after]));
            let recovery = executor.recover().await.unwrap();
            assert_eq!((recovery.resumed.len(), recovery.left.len()), (1, 0));
            recovery.resumed[0].wait().await.unwrap()
        });
        assert_eq!(record.status(), RunStatus::Succeeded);
        assert_eq!(
            before.calls().len() + after.calls().len(),
            11,
            "killed at {dies_at}"
        );
        assert_eq!(record.run_id(), &run);
        let first = after.calls()[0].step.to_string();
        assert_eq!(first, format!("s{dies_at}"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stopped_executor_leaves_its_runs_to_be_taken_up_at_once() {
    let lab = Lab::new();
    let gate = Gate::new();
    let stuck = Scripted::tool("t").read_only().past(&gate);
    let tools = registry([&stuck]);
    let text = plan(&[call("a", "t", json!({}))]);
    let executor = lab.executor(&tools);
    let run = executor
        .start(lab.check(&text, &tools), Inputs::none())
        .await
        .unwrap();
    gate.arrived(1).await;
    executor.stop().await;
    let stopped = run.wait().await.unwrap_err();
    assert!(
        matches!(stopped, plan_exec::ExecError::Stopped { .. }),
        "{stopped}"
    );
    assert_eq!(stuck.log().running(), 0);
    gate.open();
    let record = lab.resume(&tools, run.id()).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    let journal = lab.journal(run.id()).await;
    let resumed = |event: &&plan_run::Event| matches!(event.kind, EventKind::RunResumed { .. });
    assert_eq!(journal.iter().filter(resumed).count(), 1);
}
