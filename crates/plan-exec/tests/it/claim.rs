//! An owner that cannot renew its claim, or has lost it.

use async_trait::async_trait;
use plan_exec::{ExecError, Inputs};
use plan_model::{Digest, Timestamp};
use plan_run::{Event, EventKind, RetryAdvice, RunId, encode};
use plan_store::{
    CLAIM_TTL, Claim, Fence, HeadUpdate, JournalPage, MemoryStore, OwnerId, Page, Record,
    RunFilter, RunHead, RunPage, RunStore, Sequence, StoreError, Writer,
};
use plan_testkit::{Gate, Scripted};
use serde_json::json;
use tokio::time::Instant;

use crate::lab::{Lab, Split, call, plan, registry};

/// How a renewal fails.
#[derive(Debug, Clone, Copy)]
enum Renewal {
    Refused,
    Unanswered,
}

/// Runs in a store that fails its owner.
#[derive(Debug, Clone)]
struct Failing(MemoryStore, Fails);

/// What fails.
#[derive(Debug, Clone, Copy)]
enum Fails {
    /// No claim is renewed.
    Renewal(Renewal),
    /// Another driver has the run, as its tail tells before the claim does.
    Claim(Digest),
}

#[async_trait]
impl RunStore for Failing {
    async fn create(&self, head: &RunHead, records: Vec<Record>) -> Result<Sequence, StoreError> {
        self.0.create(head, records).await
    }

    async fn append(
        &self,
        run: &RunId,
        expected: Sequence,
        writer: Writer,
        update: HeadUpdate,
        records: Vec<Record>,
    ) -> Result<Sequence, StoreError> {
        self.0.append(run, expected, writer, update, records).await
    }

    async fn read(&self, run: &RunId, after: Sequence) -> Result<JournalPage, StoreError> {
        let mut page = self.0.read(run, after).await?;
        if let (Fails::Claim(plan), true) = (self.1, page.records.is_empty()) {
            let kind = EventKind::RunResumed {
                generation: 0,
                plan,
                reset: Vec::new(),
            };
            let at = Timestamp::from_millis(0);
            page.end = page.end.plus(1);
            page.records.push(Record::new(encode(&Event { at, kind })));
        }
        Ok(page)
    }

    async fn list(&self, filter: &RunFilter, page: &Page) -> Result<RunPage, StoreError> {
        self.0.list(filter, page).await
    }

    async fn claim(
        &self,
        run: &RunId,
        owner: &OwnerId,
        action: Claim,
    ) -> Result<Fence, StoreError> {
        match (action, self.1) {
            (Claim::Renew, Fails::Renewal(Renewal::Refused)) => Err(StoreError::Backend {
                message: "the disk is away".to_owned(),
                retry: RetryAdvice::Later,
            }),
            (Claim::Renew, Fails::Renewal(Renewal::Unanswered)) => std::future::pending().await,
            _ => self.0.claim(run, owner, action).await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_cannot_renew_its_claim_stops_before_another_may_begin() {
    for renewal in [Renewal::Refused, Renewal::Unanswered] {
        let lab = Lab::new();
        let gate = Gate::new();
        let stuck = Scripted::tool("t").past(&gate);
        let tools = registry([&stuck]);
        let store = Split {
            runs: Failing(lab.store.clone(), Fails::Renewal(renewal)),
            plans: lab.store.clone(),
        };
        let began = Instant::now();
        let run = lab
            .executor_over(&tools, store)
            .start(
                lab.check(&plan(&[call("a", "t", json!({}))]), &tools),
                Inputs::none(),
            )
            .await
            .unwrap();
        gate.arrived(1).await;
        let lost = run.wait().await.unwrap_err();
        assert!(matches!(lost, ExecError::ClaimLost { .. }), "{lost}");
        assert_eq!(began.elapsed(), CLAIM_TTL, "{renewal:?}");
        assert_eq!(stuck.log().running(), 0, "{renewal:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_another_driver_does_is_not_done_here_as_well() {
    let lab = Lab::new();
    let gate = Gate::new();
    let stuck = Scripted::tool("t").past(&gate);
    let tools = registry([&stuck]);
    let plan = lab.check(&plan(&[call("a", "t", json!({}))]), &tools);
    let store = Split {
        runs: Failing(lab.store.clone(), Fails::Claim(plan.digest())),
        plans: lab.store.clone(),
    };
    let run = lab.executor_over(&tools, store);
    let run = run.start(plan, Inputs::none()).await.unwrap();
    gate.arrived(1).await;
    let lost = run.wait().await.unwrap_err();
    assert!(matches!(lost, ExecError::Fenced { .. }), "{lost}");
    assert_eq!(stuck.log().running(), 0);
}
