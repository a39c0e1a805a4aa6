//! One run, handed from executor to executor as each of them dies at an append.

use std::collections::BTreeMap;
use std::time::Duration;

use plan_exec::{ExecError, Inputs, RunRequest};
use plan_run::event::AttemptOutcome;
use plan_run::{Decision, EventKind, RunId, RunRecord, RunStatus, StepPath, StepStatus};
use plan_testkit::{CallLog, Fault, FaultyStore, Scripted};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::lab::{Lab, begun, call, object, plan, registry, somebody, with};

/// A tool by whether it may be repeated, and how long it takes.
type Kind = (bool, u64);

/// Steps with their tool and what they wait for, the deaths to come, and the words to those in doubt.
#[derive(Debug, Clone)]
struct Relay {
    steps: Vec<(Kind, Vec<bool>)>,
    deaths: Vec<(u64, Fault)>,
    words: Vec<u8>,
}

const SPANS: [u64; 3] = [0, 10, 25];

fn relay() -> impl Strategy<Value = Relay> {
    let kind = (any::<bool>(), prop::sample::select(&SPANS[..]));
    let step = (kind, prop::collection::vec(any::<bool>(), 6));
    let fault = prop::sample::select(&[Fault::ForGood, Fault::ForGoodAfter][..]);
    (
        prop::collection::vec(step, 2..7),
        prop::collection::vec((1..5_u64, fault), 0..6),
        prop::collection::vec(0..6_u8, 8),
    )
        .prop_map(|(steps, deaths, words)| Relay {
            steps,
            deaths,
            words,
        })
}

fn tool((safe, span): Kind) -> String {
    format!("{}{span}", if safe { "safe" } else { "once" })
}

/// What came of it: the record, and how often each step was said to be repeated or failed.
struct Finish {
    record: RunRecord,
    repeated: BTreeMap<String, usize>,
    denied: bool,
}

async fn run(relay: &Relay, lab: &Lab, log: &CallLog) -> Finish {
    let kinds = [true, false].map(|safe| SPANS.map(|span| (safe, span)));
    let scripted: Vec<Scripted> = kinds
        .as_flattened()
        .iter()
        .map(|kind| {
            let scripted = Scripted::tool(&tool(*kind)).logged(log);
            let scripted = scripted.after(Duration::from_millis(kind.1));
            if kind.0 {
                scripted.read_only()
            } else {
                scripted
            }
        })
        .collect();
    let tools = registry(&scripted);
    let steps: Vec<Value> = relay
        .steps
        .iter()
        .enumerate()
        .map(|(at, (kind, waits))| {
            let after: Vec<String> = (0..at)
                .filter(|before| waits[*before])
                .map(|before| format!("s{before}"))
                .collect();
            let id = format!("s{at}");
            let step = call(&id, &tool(*kind), json!({"of": id}));
            with(step, json!({"depends_on": after}))
        })
        .collect();
    let mut deaths = relay.deaths.iter().copied();
    let mut next = || {
        let (at, fault) = deaths.next().unwrap_or((u64::MAX, Fault::ForGood));
        let store = FaultyStore::new(lab.store.clone(), at, fault);
        lab.executor_over(&tools, store)
    };
    let id = RunId::new("relay").unwrap();
    let request = RunRequest::new(Inputs::none()).run_id(id.clone());
    let checked = lab.check(&plan(&steps), &tools);
    let mut handle = next().start(checked, request).await.unwrap();
    let mut words = relay.words.iter().cycle();
    let (mut repeated, mut denied) = (BTreeMap::new(), false);
    loop {
        let ended = match handle.wait().await {
            // what was the last append may have been taken all the same
            Err(ExecError::Store { .. }) => plan_exec::read_run(&lab.store, &id).await.unwrap(),
            other => other.unwrap(),
        };
        match ended {
            record if record.status().is_finished() => {
                return Finish {
                    record,
                    repeated,
                    denied,
                };
            }
            record => {
                let doubt =
                    |step: &&plan_run::record::StepRecord| step.status == StepStatus::InDoubt;
                for step in record.steps().iter().filter(doubt) {
                    let decision = match words.next() {
                        Some(0) => Decision::MarkFailed,
                        Some(1 | 2) => {
                            let outputs = json!({"of": step.id.as_str()});
                            Decision::MarkSucceeded(object(outputs).into())
                        }
                        _ => Decision::Retry,
                    };
                    denied |= decision == Decision::MarkFailed;
                    let again = decision == Decision::Retry;
                    *repeated.entry(step.id.to_string()).or_insert(0) += usize::from(again);
                    let path = StepPath::from(&step.id);
                    let sound = lab.executor(&tools);
                    let told = sound.decide(&id, path.clone(), decision, somebody()).await;
                    // once one has failed, the others are not made again
                    if let Err(refused) = told {
                        assert!(denied && again, "{refused}");
                        *repeated.entry(step.id.to_string()).or_insert(0) -= 1;
                        let failed = Decision::MarkFailed;
                        let told = sound.decide(&id, path, failed, somebody());
                        told.await.unwrap();
                    }
                }
            }
        }
        handle = next().resume(&id).await.unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn case_45_nothing_is_lost_doubled_or_repeated_unasked_however_often_its_driver_dies(
        relay in relay(),
    ) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        let log = CallLog::new();
        let (finish, journal, read) = runtime.block_on(async {
            let lab = Lab::new();
            let finish = run(&relay, &lab, &log).await;
            let journal = lab.journal(finish.record.run_id()).await;
            let read = plan_exec::read_run(&lab.store, finish.record.run_id()).await.unwrap();
            (finish, journal, read)
        });
        let Finish { record, repeated, denied } = finish;
        prop_assert_eq!(&record, &read);
        // whatever was called is in the journal, and no attempt was made twice
        let begun = begun(&journal);
        let mut called: Vec<(String, u32)> =
            log.calls().iter().map(|call| (call.step.to_string(), call.attempt)).collect();
        called.sort();
        prop_assert!(called.windows(2).all(|pair| pair[0] != pair[1]), "{called:?}");
        prop_assert!(called.iter().all(|call| begun.contains(call)), "{called:?} {begun:?}");
        for (at, (kind, _)) in relay.steps.iter().enumerate() {
            let id = format!("s{at}");
            let successes = journal.iter().filter(|event| matches!(
                &event.kind,
                EventKind::AttemptEnded { step, outcome: AttemptOutcome::Succeeded(_), .. }
                    if step.to_string() == id
            ));
            prop_assert!(successes.count() <= 1);
            let calls = called.iter().filter(|(step, _)| *step == id).count();
            let again = repeated.get(&id).copied().unwrap_or_default();
            prop_assert!(kind.0 || calls <= 1 + again, "{id} was called {calls} times, {again} of them asked for");
            let step = record.step(&id).unwrap();
            prop_assert!(step.status.is_ended());
            if step.status == StepStatus::Succeeded {
                prop_assert_eq!(&step.outputs["of"], &json!(id));
                // a completed step never runs again
                let ended = journal.iter().rposition(|event| matches!(
                    &event.kind,
                    EventKind::AttemptEnded { step, .. } | EventKind::Decided { step, .. }
                        if step.to_string() == id
                ));
                let begun = journal.iter().rposition(|event| matches!(
                    &event.kind, EventKind::AttemptStarted(started) if started.step.to_string() == id
                ));
                prop_assert!(begun < ended);
            }
        }
        let expected = if denied { RunStatus::Failed } else { RunStatus::Succeeded };
        prop_assert_eq!(record.status(), expected);
    }
}
