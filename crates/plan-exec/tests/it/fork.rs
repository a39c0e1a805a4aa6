//! Forks of runs that have ended, over a store.

use plan_exec::{ForkError, Inputs, LoadError, RunRequest, StartError, ToolError, inputs};
use plan_model::StepId;
use plan_run::event::Trigger;
use plan_run::{ForkRefused, RunId, RunStatus};
use plan_store::{RunFilter, RunStore};
use plan_testkit::{Gate, Scripted};
use serde_json::{Value, json};

use crate::lab::{Lab, call, names, plan, plan_with, registry, statuses, with};

fn id(step: &str) -> StepId {
    StepId::new(step).unwrap()
}

/// `a`, then `b`, which reads what it said, then `c`.
fn chain() -> Value {
    let after = |step, before: &str| with(step, json!({"depends_on": [before]}));
    plan_with(
        &[
            call("a", "look", json!({"topic": "${input.topic}"})),
            after(call("b", "send", json!({"text": "${step.a.said}"})), "a"),
            after(call("c", "look", json!({"topic": "c"})), "b"),
        ],
        json!({"inputs": [{"name": "topic", "value_type": "string"}]}),
    )
}

#[tokio::test]
async fn a_fork_makes_the_calls_from_its_steps_on_and_no_other() {
    let lab = Lab::new();
    let look = Scripted::tool("look")
        .read_only()
        .returns(json!({"said": "hi"}));
    let send = Scripted::tool("send");
    let tools = registry([&look, &send]);
    let executor = lab.executor(&tools);
    let checked = lab.check(&chain(), &tools);
    let request = RunRequest::new(inputs! { "topic": "rust" }).tag("team", "blue");
    let run = executor.start(checked, request).await.unwrap();
    run.wait().await.unwrap();
    let journal = lab.journal(run.id()).await;

    let preview = executor.preview_fork(run.id(), [id("b")]).await.unwrap();
    let reset: Vec<String> = preview.reset.iter().map(ToString::to_string).collect();
    assert_eq!(reset, ["b", "c"]);
    let fork = executor.fork(run.id(), [id("b")]).await.unwrap();
    let record = fork.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(look.log().steps(), ["a", "c", "c"]);
    assert_eq!(send.log().steps(), ["b", "b"]);
    let calls = send.calls();
    assert_eq!(calls[0].arguments, calls[1].arguments);
    assert_ne!(calls[0].key, calls[1].key);

    assert_ne!(fork.id(), run.id());
    assert_eq!(record.forked_from(), Some(run.id()));
    assert_eq!(record.inputs()["topic"], "rust");
    assert_eq!(record.tags()["team"], "blue");
    // the run before is as it was, and the new one needs it no more
    assert_eq!(lab.journal(run.id()).await, journal);
    let own = lab.journal(fork.id()).await;
    assert_eq!(own[1..journal.len()], journal[1..]);
    let after = names(&own[journal.len()..]);
    assert_eq!(
        after,
        [
            "run_forked",
            "attempt_started b",
            "attempt_ended b",
            "attempt_started c",
            "attempt_ended c",
            "run_ended"
        ]
    );
    let plan_run::EventKind::RunCreated(created) = &own[0].kind else {
        panic!("{own:?}");
    };
    assert_eq!(created.trigger, Trigger::Fork);
    assert_eq!(executor.open(fork.id()).await.unwrap(), record);
    let (filter, page) = (RunFilter::default(), plan_store::Page::default());
    let heads = lab.store.list(&filter, &page).await.unwrap().heads;
    assert_eq!(heads.len(), 2);
}

#[tokio::test]
async fn a_fork_outlives_its_process() {
    let lab = Lab::new();
    let gate = Gate::new();
    let look = Scripted::tool("look")
        .read_only()
        .returns(json!({"said": "hi"}));
    let send = Scripted::tool("send");
    let tools = registry([&look, &send]);
    let checked = lab.check(&chain(), &tools);
    let executor = lab.executor(&tools);
    let run = executor
        .start(checked, inputs! { "topic": "x" })
        .await
        .unwrap();
    run.wait().await.unwrap();
    let slow = registry([
        &Scripted::tool("look")
            .read_only()
            .returns(json!({"said": "hi"})),
        &Scripted::tool("send").past(&gate),
    ]);
    let fork = lab.executor(&slow).fork(run.id(), [id("a")]).await.unwrap();
    gate.arrived(1).await;
    fork.stop().await;
    let record = lab.resume(&tools, fork.id()).await;
    assert_eq!(statuses(&record), "a succeeded, b in_doubt, c pending");
    assert_eq!(record.forked_from(), Some(run.id()));
}

#[tokio::test]
async fn a_fork_says_why_there_is_none() {
    let lab = Lab::new();
    let gate = Gate::new();
    let slow = Scripted::tool("look").read_only().past(&gate);
    let tools = registry([&slow]);
    let executor = lab.executor(&tools);
    let text = plan(&[call("a", "look", json!({}))]);
    let run = executor
        .start(lab.check(&text, &tools), Inputs::none())
        .await
        .unwrap();
    gate.arrived(1).await;
    let early = executor.fork(run.id(), [id("a")]).await.unwrap_err();
    assert!(
        matches!(
            early,
            ForkError::Refused {
                refused: ForkRefused::NotEnded(RunStatus::Running),
                ..
            }
        ),
        "{early}"
    );
    gate.open();
    run.wait().await.unwrap();
    let nowhere = executor.fork(run.id(), [id("z")]).await.unwrap_err();
    assert_eq!(
        nowhere.to_string(),
        format!("run `{}` is not forked: the plan has no step `z`", run.id())
    );
    let inputs = RunRequest::new(inputs! { "topic": 1 });
    let inputs = executor.fork_as(run.id(), [id("a")], inputs).await;
    assert!(
        matches!(inputs, Err(ForkError::Inputs { .. })),
        "{inputs:?}"
    );
    let taken = RunRequest::default().run_id(run.id().clone());
    let taken = executor.fork_as(run.id(), [id("a")], taken).await;
    let exists =
        |error: &ForkError| matches!(error, ForkError::Start(StartError::AlreadyExists { .. }));
    assert!(taken.as_ref().is_err_and(exists), "{taken:?}");
    let unknown = RunId::new("unknown").unwrap();
    let unknown = executor.fork(&unknown, [id("a")]).await;
    assert!(
        matches!(unknown, Err(ForkError::Load(LoadError::Store(_)))),
        "{unknown:?}"
    );
    // the tool is another one now
    let other = registry([&Scripted::tool("look")]);
    let differs = lab.executor(&other).fork(run.id(), [id("a")]).await;
    let is_other =
        |error: &ForkError| matches!(error, ForkError::Load(LoadError::ToolsDiffer { .. }));
    assert!(differs.as_ref().is_err_and(is_other), "{differs:?}");
    assert_eq!(slow.calls().len(), 1);
}

#[tokio::test]
async fn a_fork_of_a_failed_run_goes_on_under_budgets_of_its_own() {
    let lab = Lab::new();
    let bad = Scripted::tool("send")
        .fails(ToolError::permanent("full"))
        .returns(json!({}));
    let look = Scripted::tool("look")
        .read_only()
        .returns(json!({"said": "hi"}));
    let tools = registry([&look, &bad]);
    let mut text = chain();
    text["limits"] = json!({"max_tool_calls": 3});
    let executor = lab.executor(&tools);
    let run = executor
        .start(lab.check(&text, &tools), inputs! { "topic": "x" })
        .await
        .unwrap();
    assert_eq!(run.wait().await.unwrap().status(), RunStatus::Failed);
    let fork = executor.fork(run.id(), [id("a")]).await.unwrap();
    assert_eq!(fork.wait().await.unwrap().status(), RunStatus::Succeeded);
}
