//! A journal that fails at every append in turn: nothing is lost, nothing is doubled.

use plan_exec::{Clock, ExecError, Inputs, RunRequest};
use plan_run::event::EventKind;
use plan_run::{Answer, Decision, Event, RunId, RunStatus, StepStatus, encode};
use plan_store::Record;
use plan_testkit::{Fault, FaultyStore, Gate, Scripted};
use serde_json::{Value, json};

use crate::lab::{Lab, ask, begun, call, plan, registry, somebody, with};

/// Two branches that meet, and a tail.
fn text() -> Value {
    plan(&[
        call("a", "work", json!({})),
        call("b", "work", json!({})),
        with(
            call("c", "work", json!({})),
            json!({"depends_on": ["a", "b"]}),
        ),
        with(call("d", "work", json!({})), json!({"depends_on": ["c"]})),
    ])
}

/// Drives the run with a store that fails at append `at`, then to its end with one that does not.
///
/// Says how many appends the first drive asked for, and whether it ended early.
async fn drive(tool: &Scripted, at: u64, fault: Fault) -> (u64, bool) {
    let lab = Lab::new();
    let tools = registry([tool]);
    let store = FaultyStore::new(lab.store.clone(), at, fault);
    let executor = lab.executor_over(&tools, store.clone());
    let run = RunId::new("run").unwrap();
    let request = RunRequest::new(Inputs::none()).run_id(run.clone());
    let handle = executor
        .start(lab.check(&text(), &tools), request)
        .await
        .unwrap();
    let first = handle.wait().await;
    let early = first.is_err();
    let calls_before = tool.calls().len();
    let journaled = begun(&lab.journal(&run).await);
    for call in tool.calls() {
        let begun = (call.step.to_string(), call.attempt);
        assert!(
            journaled.contains(&begun),
            "{fault:?} at {at}: {begun:?} was made and not journaled"
        );
    }
    let record = match first {
        Ok(record) => record,
        Err(ExecError::Store { .. }) => {
            let sound = lab.executor(&tools);
            let mut record = sound.open(&run).await.unwrap();
            while !record.status().is_finished() {
                record = sound.resume(&run).await.unwrap().wait().await.unwrap();
                for step in record.steps() {
                    if step.status == plan_run::StepStatus::InDoubt {
                        let path = plan_run::StepPath::from(&step.id);
                        sound
                            .decide(&run, path, Decision::Retry, somebody())
                            .await
                            .unwrap();
                    }
                }
            }
            record
        }
        Err(other) => panic!("{other}"),
    };
    assert_eq!(record.status(), RunStatus::Succeeded, "{fault:?} at {at}");
    let journal = lab.journal(&run).await;
    for id in ["a", "b", "c", "d"] {
        let successes = journal.iter().filter(|event| {
            matches!(&event.kind, EventKind::AttemptEnded { step, outcome: plan_run::event::AttemptOutcome::Succeeded(_), .. }
                if step.to_string() == id)
        });
        assert_eq!(successes.count(), 1, "{fault:?} at {at}: {id}");
    }
    assert!(calls_before <= tool.calls().len());
    (store.appends(), early)
}

#[tokio::test(start_paused = true)]
async fn an_append_that_fails_for_a_while_is_repeated_and_nothing_is_doubled() {
    for fault in [Fault::Before, Fault::After] {
        let mut at = 1;
        loop {
            let tool = Scripted::tool("work");
            let (appends, early) = drive(&tool, at, fault).await;
            assert!(!early, "{fault:?} at {at}");
            assert_eq!(tool.calls().len(), 4, "{fault:?} at {at}");
            if appends < at {
                break;
            }
            at += 1;
        }
        assert!(at > 3, "{at}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_append_that_fails_for_good_starts_nothing_and_the_run_is_finished_elsewhere() {
    for fault in [Fault::ForGood, Fault::ForGoodAfter] {
        for safe in [true, false] {
            let mut at = 1;
            loop {
                let tool = Scripted::tool("work");
                let tool = if safe { tool.idempotent() } else { tool };
                let (appends, early) = drive(&tool, at, fault).await;
                if appends < at {
                    assert!(!early);
                    break;
                }
                at += 1;
            }
            assert!(at > 3, "{at}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_wish_to_cancel_that_overtakes_an_append_is_heeded_and_nothing_is_lost_or_doubled() {
    let mut at = 1;
    loop {
        let lab = Lab::new();
        let tool = Scripted::tool("work");
        let tools = registry([&tool]);
        let word = encode(&Event {
            at: lab.clock.now(),
            kind: EventKind::CancelRequested {
                by: somebody(),
                reason: "overtaken".to_owned(),
            },
        });
        let store = FaultyStore::new(lab.store.clone(), at, Fault::Overtaken);
        let store = store.with_word(Record::new(word));
        let executor = lab.executor_over(&tools, store.clone());
        let run = executor
            .start(lab.check(&text(), &tools), Inputs::none())
            .await
            .unwrap();
        let record = run.wait().await.unwrap();
        if store.appends() < at {
            assert_eq!(record.status(), RunStatus::Succeeded);
            break;
        }
        assert_eq!(record.status(), RunStatus::Cancelled, "at {at}");
        let journaled = begun(&lab.journal(run.id()).await);
        let called: Vec<_> = tool
            .calls()
            .iter()
            .map(|call| (call.step.to_string(), call.attempt))
            .collect();
        assert_eq!(called, journaled, "at {at}");
        let succeeded = record
            .steps()
            .iter()
            .filter(|step| step.status == StepStatus::Succeeded);
        assert_eq!(
            succeeded.count(),
            called.len(),
            "at {at}: what had ended stays ended"
        );
        at += 1;
    }
    assert!(at > 3, "{at}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_taken_is_not_called_a_second_one() {
    let lab = Lab::new();
    let gate = Gate::new();
    let tools = registry([&Scripted::tool("work").past(&gate)]);
    let store = FaultyStore::new(lab.store.clone(), 2, Fault::After);
    let text = plan(&[ask("q", json!({})), call("a", "work", json!({}))]);
    let run = lab
        .executor_over(&tools, store)
        .start(lab.check(&text, &tools), Inputs::none())
        .await
        .unwrap();
    gate.arrived(1).await;
    let request = run.record().await.unwrap().waiting()[0].id.clone();
    let answer = Answer::Text("yes".to_owned());
    run.answer(request, answer, somebody()).await.unwrap();
    gate.open();
    let record = run.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Succeeded);
    let journal = lab.journal(run.id()).await;
    let answers = journal
        .iter()
        .filter(|event| matches!(event.kind, EventKind::RequestAnswered(_)));
    assert_eq!(answers.count(), 1);
}
