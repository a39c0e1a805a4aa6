//! Taking up a failed run after what was wrong outside was put right.

use plan_exec::{Resume, ResumeError, ToolError};
use plan_run::RunStatus;
use plan_testkit::Scripted;
use serde_json::json;

use crate::lab::{Lab, call, plan, registry, statuses, with};

#[tokio::test(start_paused = true)]
async fn case_46a_steps_that_never_started_are_run_by_the_resume() {
    let lab = Lab::new();
    let good = Scripted::tool("good").read_only();
    let bad = Scripted::tool("bad")
        .read_only()
        .fails(ToolError::permanent("disk full"))
        .returns(json!({}));
    let tools = registry([&good, &bad]);
    let text = plan(&[
        call("before", "good", json!({})),
        with(
            call("broken", "bad", json!({})),
            json!({"depends_on": ["before"]}),
        ),
        with(
            call("behind", "good", json!({})),
            json!({"depends_on": ["broken"]}),
        ),
        with(
            call("aside", "good", json!({})),
            json!({"depends_on": ["behind"]}),
        ),
    ]);
    let run = lab.start(&text, &tools).await;
    assert_eq!(run.wait().await.unwrap().status(), RunStatus::Failed);
    let executor = lab.executor(&tools);
    let refused = executor.resume(run.id()).await.unwrap_err();
    assert!(matches!(refused, ResumeError::Finished { .. }), "{refused}");
    let preview = executor.preview(run.id()).await.unwrap();
    let reset: Vec<String> = preview.reset.iter().map(ToString::to_string).collect();
    assert_eq!(reset, ["broken", "behind", "aside"]);
    let again = executor
        .resume_as(run.id(), Resume::WorldFixed)
        .await
        .unwrap();
    let record = again.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(
        statuses(&record),
        "before succeeded, broken succeeded, behind succeeded, aside succeeded"
    );
    assert_eq!(good.log().steps(), ["before", "behind", "aside"]);
}

#[tokio::test(start_paused = true)]
async fn case_46a_a_timed_out_unsafe_call_is_not_repeated_without_the_callers_word() {
    let lab = Lab::new();
    let stuck = Scripted::tool("send").hangs().returns(json!({}));
    let tools = registry([&stuck]);
    let text = plan(&[with(
        call("a", "send", json!({})),
        json!({"timeout_secs": 5}),
    )]);
    let run = lab.start(&text, &tools).await;
    assert_eq!(run.wait().await.unwrap().status(), RunStatus::Failed);
    let executor = lab.executor(&tools);
    let refused = executor
        .resume_as(run.id(), Resume::WorldFixed)
        .await
        .unwrap_err();
    let ResumeError::MayRepeat { steps, .. } = refused else {
        panic!("{refused}");
    };
    assert_eq!(steps[0].to_string(), "a");
    assert_eq!(stuck.calls().len(), 1);
    let again = executor
        .resume_as(run.id(), Resume::WorldFixedRepeating)
        .await
        .unwrap();
    assert_eq!(again.wait().await.unwrap().status(), RunStatus::Succeeded);
    let calls = stuck.calls();
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0].key, calls[1].key, "a reset is another call");
}
