//! What a watcher sees, and when.

use plan_exec::{Inputs, RunUpdate, ToolContext, ToolError, ToolRegistry, tool_fn_with_context};
use plan_run::Event;
use plan_testkit::{Gate, Scripted, plans};
use serde_json::{Value, json};

use crate::lab::{Lab, begun, call, events, names, plan, registry};

#[tokio::test]
async fn a_watcher_sees_every_event_of_the_journal_in_order_and_then_the_end() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work").read_only()]);
    let text: Value = serde_json::from_str(plans::DIAMOND).unwrap();
    let plan = lab.check(&text, &tools);
    let executor = lab.executor(&tools);
    let run = executor
        .start(plan, plan_exec::inputs! { "topic": "x" })
        .await
        .unwrap();
    let mut updates = run.events();
    let mut seen: Vec<Event> = Vec::new();
    while let Some(update) = updates.next().await {
        if let RunUpdate::Recorded(event) = update {
            seen.push(Event::clone(&event));
        }
    }
    assert_eq!(seen, lab.journal(run.id()).await);
    assert_eq!(names(&seen)[0], "run_created");
    assert_eq!(names(&seen).last().unwrap(), "run_ended");
}

#[tokio::test]
async fn the_start_of_a_step_shares_the_append_that_ended_the_one_before() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work").read_only()]);
    let store =
        plan_testkit::FaultyStore::new(lab.store.clone(), u64::MAX, plan_testkit::Fault::Before);
    let steps: Vec<Value> = (0..10)
        .map(|at| {
            let after: Vec<String> = (0..at)
                .rev()
                .take(1)
                .map(|before| format!("s{before}"))
                .collect();
            crate::lab::with(
                call(&format!("s{at}"), "work", json!({})),
                json!({"depends_on": after}),
            )
        })
        .collect();
    let executor = lab.executor_over(&tools, store.clone());
    let run = executor
        .start(lab.check(&plan(&steps), &tools), Inputs::none())
        .await
        .unwrap();
    run.wait().await.unwrap();
    // the first start, nine ends with the next start, and the last end with the end of the run
    assert_eq!(store.appends(), 11);
    assert_eq!(begun(&lab.journal(run.id()).await).len(), 10);
}

#[tokio::test]
async fn a_call_runs_only_once_its_start_is_in_the_journal() {
    let lab = Lab::new();
    let gate = Gate::new();
    let tools = registry([&Scripted::tool("work").past(&gate)]);
    let run = lab
        .start(&plan(&[call("a", "work", json!({}))]), &tools)
        .await;
    gate.arrived(1).await;
    let journal = events(&lab.store, run.id()).await;
    assert_eq!(names(&journal), ["run_created", "attempt_started a"]);
    gate.open();
    run.wait().await.unwrap();
}

#[tokio::test]
async fn progress_reaches_whoever_watches_and_no_journal() {
    let lab = Lab::new();
    let tool = tool_fn_with_context("work", "Works", |(): (), cx: ToolContext| async move {
        cx.progress("half way");
        Ok::<_, ToolError>(1)
    });
    let tools = ToolRegistry::new().with(tool).unwrap();
    let run = lab
        .start(&plan(&[call("a", "work", json!({}))]), &tools)
        .await;
    let mut updates = run.events();
    let mut said = Vec::new();
    while let Some(update) = updates.next().await {
        if let RunUpdate::Progress {
            step,
            attempt,
            message,
        } = update
        {
            said.push(format!("{step} {attempt} {message}"));
        }
    }
    assert_eq!(said, ["a 1 half way"]);
    let journal = names(&lab.journal(run.id()).await);
    assert_eq!(journal.len(), 4, "{journal:?}");
}
