//! Observers see every run of an executor, and no run ever minds them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use plan_exec::{
    ExecError, ObservedRun, Observer, RunRequest, RunUpdate, ToolContext, ToolError, ToolRegistry,
    inputs, tool_fn_with_context,
};
use plan_run::{Event, RunId, RunStatus};
use plan_testkit::{Gate, Scripted};
use serde_json::{Value, json};

use crate::lab::{Lab, ask, call, names, plan, registry, with};

/// Writes down what it is shown, once its door is open.
#[derive(Debug, Default)]
struct Notes {
    seen: Mutex<BTreeMap<RunId, Vec<Seen>>>,
    shut: Mutex<bool>,
    opened: Condvar,
}

#[derive(Debug, Clone, PartialEq)]
enum Seen {
    Event(Event),
    Progress(String),
    Missed(u64),
    Left(Result<RunStatus, String>),
}

impl Notes {
    fn shut() -> Arc<Self> {
        let notes = Self::default();
        *notes.shut.lock().unwrap() = true;
        Arc::new(notes)
    }

    fn open(&self) {
        *self.shut.lock().unwrap() = false;
        self.opened.notify_all();
    }

    fn note(&self, run: &ObservedRun, seen: Seen) {
        let shut = self.shut.lock().unwrap();
        drop(self.opened.wait_while(shut, |shut| *shut).unwrap());
        let mut all = self.seen.lock().unwrap();
        all.entry(run.run.clone()).or_default().push(seen);
    }

    fn of(&self, run: &RunId) -> Vec<Seen> {
        let seen = self.seen.lock().unwrap();
        seen.get(run).cloned().unwrap_or_default()
    }
}

impl Observer for Notes {
    fn saw(&self, run: &ObservedRun, update: &RunUpdate) {
        let seen = match update {
            RunUpdate::Recorded(event) => Seen::Event(Event::clone(event)),
            RunUpdate::Progress { step, message, .. } => {
                Seen::Progress(format!("{step} {message}"))
            }
            RunUpdate::Missed(count) => Seen::Missed(*count),
        };
        self.note(run, seen);
    }

    fn left(&self, run: &ObservedRun, outcome: Result<RunStatus, &ExecError>) {
        self.note(run, Seen::Left(outcome.map_err(ToString::to_string)));
    }
}

fn events(seen: &[Seen]) -> Vec<Event> {
    let events = seen.iter().filter_map(|seen| match seen {
        Seen::Event(event) => Some(event.clone()),
        _ => None,
    });
    events.collect()
}

/// So many calls, one after the other.
fn chain(length: usize) -> Value {
    let step = |at: usize| match at.checked_sub(1) {
        None => call("s0", "work", json!({})),
        Some(before) => with(
            call(&format!("s{at}"), "work", json!({})),
            json!({"depends_on": [format!("s{before}")]}),
        ),
    };
    plan(&(0..length).map(step).collect::<Vec<_>>())
}

#[tokio::test]
async fn an_observer_sees_every_event_of_every_run_in_the_order_of_its_journal() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work").read_only()]);
    let notes = Arc::new(Notes::default());
    let executor = lab.executor(&tools).observer(Arc::clone(&notes));
    let mut runs = Vec::new();
    let plan = lab.check(&chain(5), &tools);
    for _ in 0..3 {
        runs.push(executor.start(plan.clone(), inputs! {}).await.unwrap());
    }
    for run in &runs {
        run.wait().await.unwrap();
    }
    executor.observed().await;
    for run in &runs {
        let seen = notes.of(run.id());
        assert_eq!(events(&seen), lab.journal(run.id()).await);
        assert_eq!(seen.last(), Some(&Seen::Left(Ok(RunStatus::Succeeded))));
    }
}

#[tokio::test]
async fn an_observer_is_told_which_run_it_sees() {
    #[derive(Debug, Default)]
    struct Runs(Mutex<Vec<ObservedRun>>);
    impl Observer for Runs {
        fn saw(&self, run: &ObservedRun, _: &RunUpdate) {
            self.0.lock().unwrap().push(run.clone());
        }
    }
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work").read_only()]);
    let runs = Arc::new(Runs::default());
    let seen: Arc<dyn Observer> = Arc::clone(&runs) as _;
    let executor = lab.executor(&tools).observer(seen);
    let mut request = RunRequest::from(inputs! {});
    request.principal = Some(crate::lab::somebody());
    request.tags = BTreeMap::from([("team".to_owned(), "blue".to_owned())]);
    let plan = lab.check(&chain(1), &tools);
    let run = executor.start(plan, request).await.unwrap();
    run.wait().await.unwrap();
    executor.observed().await;
    let told = runs.0.lock().unwrap().remove(0);
    assert_eq!(told.run, *run.id());
    assert_eq!(told.plan.name, "a plan");
    assert_eq!(told.principal, Some(crate::lab::somebody()));
    assert_eq!(told.tags["team"], "blue");
}

#[tokio::test]
async fn an_observer_sees_a_resumed_run_from_where_it_was_taken_up_and_each_time_it_is_left() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work").read_only()]);
    let notes = Arc::new(Notes::default());
    let executor = lab.executor(&tools).observer(Arc::clone(&notes));
    let text = plan(&[
        ask("a", json!({})),
        with(call("b", "work", json!({})), json!({"depends_on": ["a"]})),
    ]);
    let run = executor
        .start(lab.check(&text, &tools), inputs! {})
        .await
        .unwrap();
    let record = run.wait().await.unwrap();
    executor.observed().await;
    let before = notes.of(run.id());
    assert_eq!(names(&events(&before)), ["run_created", "request_opened a"]);
    assert_eq!(before.last(), Some(&Seen::Left(Ok(RunStatus::Waiting))));
    let request = record.waiting()[0].id.clone();
    let answer = plan_run::Answer::Text("yes".to_owned());
    executor
        .answer(run.id(), request, answer, crate::lab::somebody())
        .await
        .unwrap();
    let again = executor.resume(run.id()).await.unwrap();
    again.wait().await.unwrap();
    executor.observed().await;
    let after = notes.of(run.id()).split_off(before.len());
    let expected = [
        "run_resumed",
        "attempt_started b",
        "attempt_ended b",
        "run_ended",
    ];
    assert_eq!(names(&events(&after)), expected);
    assert_eq!(after.last(), Some(&Seen::Left(Ok(RunStatus::Succeeded))));
}

#[tokio::test]
async fn an_observer_hears_why_a_drive_ended_early() {
    let lab = Lab::new();
    let gate = Gate::new();
    let tools = registry([&Scripted::tool("work").read_only().past(&gate)]);
    let notes = Arc::new(Notes::default());
    let executor = lab.executor(&tools).observer(Arc::clone(&notes));
    let plan = lab.check(&chain(1), &tools);
    let run = executor.start(plan, inputs! {}).await.unwrap();
    gate.arrived(1).await;
    run.stop().await;
    executor.observed().await;
    let Some(Seen::Left(Err(error))) = notes.of(run.id()).pop() else {
        panic!("{:?}", notes.of(run.id()));
    };
    assert!(error.contains("stopped"), "{error}");
}

#[tokio::test]
async fn progress_reaches_observers_though_nobody_watches_the_run() {
    let lab = Lab::new();
    let tool = tool_fn_with_context("work", "Works", |(): (), cx: ToolContext| async move {
        cx.progress("half way");
        Ok::<_, ToolError>(1)
    });
    let tools = ToolRegistry::new().with(tool).unwrap();
    let notes = Arc::new(Notes::default());
    let executor = lab.executor(&tools).observer(Arc::clone(&notes));
    let run = executor
        .start(lab.check(&chain(1), &tools), inputs! {})
        .await
        .unwrap();
    let id = run.id().clone();
    run.wait().await.unwrap();
    drop(run);
    executor.observed().await;
    let seen = notes.of(&id);
    let at = seen
        .iter()
        .position(|seen| matches!(seen, Seen::Progress(_)));
    assert_eq!(seen[at.unwrap()], Seen::Progress("s0 half way".to_owned()));
    assert_eq!(
        names(&events(&seen[..at.unwrap()])),
        ["run_created", "attempt_started s0"]
    );
}

#[tokio::test]
async fn a_blocked_observer_holds_up_no_run_and_is_told_what_it_missed() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work").read_only()]);
    let (blocked, free) = (Notes::shut(), Arc::new(Notes::default()));
    let executor = lab
        .executor(&tools)
        .observer(Arc::clone(&blocked))
        .observer(Arc::clone(&free));
    let plan = lab.check(&chain(1_500), &tools);
    let run = executor.start(plan, inputs! {}).await.unwrap();
    // on one thread: the run ends although the observer holds its own
    let record = run.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(blocked.of(run.id()), []);
    blocked.open();
    executor.observed().await;
    let journal = lab.journal(run.id()).await;
    let seen = blocked.of(run.id());
    let missed: Vec<u64> = seen
        .iter()
        .filter_map(|seen| match seen {
            Seen::Missed(count) => Some(*count),
            _ => None,
        })
        .collect();
    // the end of the drive is told like an update
    let all = journal.len() + 1;
    assert_eq!(
        missed.iter().sum::<u64>(),
        (all - (seen.len() - missed.len())) as u64
    );
    assert!(seen.len() <= 1_024 + 2, "{}", seen.len());
    let events = events(&seen);
    assert_eq!(events[events.len() - 500..], journal[journal.len() - 500..]);
    assert_eq!(seen.last(), Some(&Seen::Left(Ok(RunStatus::Succeeded))));
}

#[tokio::test]
async fn a_panicking_observer_fails_no_run_and_is_shown_what_follows() {
    #[derive(Debug, Default)]
    struct Clumsy(AtomicUsize);
    impl Observer for Clumsy {
        fn saw(&self, _: &ObservedRun, _: &RunUpdate) {
            self.0.fetch_add(1, Ordering::Relaxed);
            panic!("dropped it");
        }
    }
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work").read_only()]);
    let (clumsy, notes) = (Arc::new(Clumsy::default()), Arc::new(Notes::default()));
    let executor = lab
        .executor(&tools)
        .observer(Arc::clone(&clumsy))
        .observer(Arc::clone(&notes));
    let plan = lab.check(&chain(3), &tools);
    let run = executor.start(plan, inputs! {}).await.unwrap();
    let record = run.wait().await.unwrap();
    executor.observed().await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    let journal = lab.journal(run.id()).await;
    assert_eq!(events(&notes.of(run.id())), journal);
    assert_eq!(clumsy.0.load(Ordering::Relaxed), journal.len());
}
