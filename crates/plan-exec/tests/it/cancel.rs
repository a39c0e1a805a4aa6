//! Ending a run from outside.

use std::time::Duration;

use plan_exec::ControlError;
use plan_run::event::EventKind;
use plan_run::{Effect, FailureClass, RunStatus};
use plan_testkit::{Gate, Scripted};
use serde_json::json;
use tokio::time::Instant;

use crate::lab::{Lab, call, plan, registry, somebody, statuses, with};

#[tokio::test(start_paused = true)]
async fn case_41_cancel_stops_what_is_in_flight_and_starts_nothing_more() {
    let lab = Lab::new();
    let gate = Gate::new();
    let hangs = Scripted::tool("hangs").hangs().past(&gate);
    let quick = Scripted::tool("quick");
    let text = plan(&[
        call("done", "quick", json!({})),
        call("stuck", "hangs", json!({})),
        with(
            call("later", "quick", json!({})),
            json!({"depends_on": ["stuck"]}),
        ),
    ]);
    let run = lab.start(&text, &registry([&hangs, &quick])).await;
    gate.arrived(1).await;
    let began = Instant::now();
    run.cancel(somebody(), "changed my mind").await.unwrap();
    let record = run.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Cancelled);
    assert_eq!(
        statuses(&record),
        "done succeeded, stuck cancelled, later skipped (run_cancelled)"
    );
    // a call that never looked at its cancellation is dropped without a grace
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!((hangs.log().running(), quick.calls().len()), (0, 1));
    let cancelled = record.cancelled().unwrap();
    assert_eq!(
        (cancelled.by.as_str(), cancelled.reason.as_deref()),
        ("ada", Some("changed my mind"))
    );
    let failure = record.step("stuck").unwrap().failure.clone().unwrap();
    assert_eq!(
        (failure.class, failure.effect),
        (FailureClass::Cancelled, Effect::Unknown)
    );
    let again = run.cancel(somebody(), "again").await.unwrap_err();
    assert!(matches!(again, ControlError::Finished { .. }), "{again}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ends_by_itself_within_its_grace_is_recorded_as_it_ended() {
    let lab = Lab::new();
    let gate = Gate::new();
    let polite = Scripted::tool("polite")
        .lingers(json!({"kept": 3}))
        .past(&gate);
    let run = lab
        .start(
            &plan(&[call("a", "polite", json!({}))]),
            &registry([&polite]),
        )
        .await;
    gate.open();
    gate.arrived(1).await;
    tokio::task::yield_now().await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    run.cancel(somebody(), "enough").await.unwrap();
    let record = run.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Cancelled);
    assert_eq!(record.step("a").unwrap().outputs["kept"], 3);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_nobody_drives_is_cancelled_by_its_next_driver() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("t")]);
    let text = plan(&[crate::lab::ask("q", json!({}))]);
    let run = lab.start(&text, &tools).await;
    assert_eq!(run.wait().await.unwrap().status(), RunStatus::Waiting);
    let other = lab.executor(&tools);
    other
        .cancel(run.id(), somebody(), "not needed")
        .await
        .unwrap();
    let record = other.resume(run.id()).await.unwrap().wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Cancelled);
    let journal = lab.journal(run.id()).await;
    assert!(matches!(
        journal.last().unwrap().kind,
        EventKind::RunEnded { .. }
    ));
}
