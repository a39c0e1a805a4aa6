//! Several executors on one run.

use std::time::Duration;

use plan_exec::{ExecError, Inputs, ResumeError};
use plan_run::{Answer, RunStatus};
use plan_store::{CLAIM_TTL, Claim, RunStore};
use plan_testkit::{Gate, Scripted};
use serde_json::json;

use crate::lab::{Lab, ask, call, plan, registry, somebody, with};

fn gated() -> serde_json::Value {
    plan(&[
        ask("gate", json!({"approval_required": true})),
        with(
            call("act", "act", json!({})),
            json!({"depends_on": ["gate"]}),
        ),
    ])
}

#[tokio::test(start_paused = true)]
async fn case_46_of_two_that_resume_one_goes_on_and_the_effect_happens_once() {
    let lab = Lab::new();
    let gate = Gate::new();
    let act = Scripted::tool("act").past(&gate);
    let tools = registry([&act]);
    let started = lab.start(&gated(), &tools).await;
    let request = started.wait().await.unwrap().waiting()[0].id.clone();
    let run = started.id();
    let (one, two, third) = (
        lab.executor(&tools),
        lab.executor(&tools),
        lab.executor(&tools),
    );
    third
        .answer(run, request, Answer::Approve, somebody())
        .await
        .unwrap();
    let (first, second) = tokio::join!(one.resume(run), two.resume(run));
    let (won, lost) = match (first, second) {
        (Ok(won), Err(lost)) | (Err(lost), Ok(won)) => (won, lost),
        other => panic!("{other:?}"),
    };
    assert!(matches!(lost, ResumeError::Driven { .. }), "{lost}");
    gate.arrived(1).await;
    gate.open();
    assert_eq!(won.wait().await.unwrap().status(), RunStatus::Succeeded);
    assert_eq!(act.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn case_46_one_executor_drives_a_run_once() {
    let lab = Lab::new();
    let gate = Gate::new();
    let tools = registry([&Scripted::tool("act").past(&gate)]);
    let executor = lab.executor(&tools);
    let text = plan(&[call("a", "act", json!({}))]);
    let run = executor
        .start(lab.check(&text, &tools), Inputs::none())
        .await
        .unwrap();
    gate.arrived(1).await;
    let twice = executor.clone().resume(run.id()).await.unwrap_err();
    assert!(matches!(twice, ResumeError::Driven { .. }), "{twice}");
    gate.open();
    run.wait().await.unwrap();
    let over = executor.resume(run.id()).await.unwrap_err();
    assert!(matches!(over, ResumeError::Finished { .. }), "{over}");
}

#[tokio::test(start_paused = true)]
async fn case_46_a_third_answers_or_cancels_while_another_drives() {
    for cancels in [false, true] {
        let lab = Lab::new();
        let gate = Gate::new();
        let slow = Scripted::tool("slow").past(&gate);
        let tools = registry([&slow]);
        let run = lab
            .start(
                &plan(&[ask("q", json!({})), call("a", "slow", json!({}))]),
                &tools,
            )
            .await;
        gate.arrived(1).await;
        let third = lab.executor(&tools);
        let seen = third.open(run.id()).await.unwrap();
        let request = seen.waiting()[0].id.clone();
        if cancels {
            third.cancel(run.id(), somebody(), "enough").await.unwrap();
        } else {
            let answer = Answer::Text("from afar".to_owned());
            third
                .answer(run.id(), request, answer, somebody())
                .await
                .unwrap();
            gate.open();
        }
        let record = run.wait().await.unwrap();
        if cancels {
            assert_eq!(record.status(), RunStatus::Cancelled);
            assert_eq!(record.step("a").unwrap().status.to_string(), "cancelled");
        } else {
            assert_eq!(record.status(), RunStatus::Succeeded);
            assert_eq!(record.step("q").unwrap().outputs["answer"], "from afar");
        }
        assert_eq!(slow.calls().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_owner_whose_run_was_taken_stops_what_it_has_in_flight() {
    let lab = Lab::new();
    let gate = Gate::new();
    let stuck = Scripted::tool("t").past(&gate);
    let tools = registry([&stuck]);
    let run = lab.start(&plan(&[call("a", "t", json!({}))]), &tools).await;
    gate.arrived(1).await;
    // another owner takes the run while this process was paused past its claim
    let other = plan_store::OwnerId::random();
    lab.clock.skip(CLAIM_TTL + Duration::from_secs(1));
    lab.store
        .claim(run.id(), &other, Claim::Acquire)
        .await
        .unwrap();
    let fenced = run.wait().await.unwrap_err();
    assert!(matches!(fenced, ExecError::Fenced { .. }), "{fenced}");
    assert_eq!(stuck.log().running(), 0);
}
