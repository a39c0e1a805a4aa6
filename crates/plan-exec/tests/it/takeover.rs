//! A run that is taken by another driver between an append that came too late and the look at why.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use plan_exec::{ExecError, Executor, RunHandle};
use plan_run::RunId;
use plan_store::{
    Claim, Fence, HeadUpdate, JournalPage, MemoryStore, OwnerId, Page, Record, RunFilter, RunHead,
    RunPage, RunStore, Sequence, StoreError, Writer,
};
use plan_testkit::{Gate, Scripted};
use serde_json::json;

use crate::lab::{Lab, Split, begun, call, plan, registry};

/// A store in which another executor takes the run before the first append gets there.
#[derive(Debug, Clone)]
struct Slow {
    runs: MemoryStore,
    lab: Lab,
    other: Arc<Mutex<Option<Executor>>>,
    taken: Arc<Mutex<Option<RunHandle>>>,
    gate: Gate,
}

#[async_trait]
impl RunStore for Slow {
    async fn create(&self, head: &RunHead, records: Vec<Record>) -> Result<Sequence, StoreError> {
        self.runs.create(head, records).await
    }

    async fn append(
        &self,
        run: &RunId,
        expected: Sequence,
        writer: Writer,
        update: HeadUpdate,
        records: Vec<Record>,
    ) -> Result<Sequence, StoreError> {
        let other = self.other.lock().unwrap().take();
        let Some(other) = other else {
            return self
                .runs
                .append(run, expected, writer, update, records)
                .await;
        };
        self.lab.after_the_claim();
        let taken = other.resume(run).await.unwrap();
        self.gate.arrived(2).await;
        *self.taken.lock().unwrap() = Some(taken);
        // as if the append had met a word from outside, and the claim had been lost after that
        let actual = Sequence::START.plus(self.lab.journal(run).await.len());
        Err(StoreError::Sequence { expected, actual })
    }

    async fn read(&self, run: &RunId, after: Sequence) -> Result<JournalPage, StoreError> {
        self.runs.read(run, after).await
    }

    async fn list(&self, filter: &RunFilter, page: &Page) -> Result<RunPage, StoreError> {
        self.runs.list(filter, page).await
    }

    async fn claim(
        &self,
        run: &RunId,
        owner: &OwnerId,
        action: Claim,
    ) -> Result<Fence, StoreError> {
        self.runs.claim(run, owner, action).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_was_overtaken_makes_no_call_of_the_one_who_overtook_it() {
    let lab = Lab::new();
    let gate = Gate::new();
    let work = Scripted::tool("work").read_only().past(&gate);
    let tools = registry([&work]);
    let run = lab
        .start(&plan(&[call("a", "work", json!({}))]), &tools)
        .await;
    gate.arrived(1).await;
    run.stop().await;
    // this one takes the run up, and loses it before its first append
    let slow = Slow {
        runs: lab.store.clone(),
        lab: lab.clone(),
        other: Arc::new(Mutex::new(Some(lab.executor(&tools)))),
        taken: Arc::default(),
        gate: gate.clone(),
    };
    let store = Split {
        runs: slow.clone(),
        plans: lab.store.clone(),
    };
    let late = lab
        .executor_over(&tools, store)
        .resume(run.id())
        .await
        .unwrap();
    let fenced = late.wait().await.unwrap_err();
    assert!(matches!(fenced, ExecError::Fenced { .. }), "{fenced}");
    gate.open();
    let taken = slow.taken.lock().unwrap().take().unwrap();
    taken.wait().await.unwrap();
    // the first, and the one of the other driver
    assert_eq!(work.calls().len(), 2);
    let begun = begun(&lab.journal(run.id()).await);
    assert_eq!(begun, [("a".to_owned(), 1), ("a".to_owned(), 2)]);
}
