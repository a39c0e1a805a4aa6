//! An owner that cannot renew its claim.

use async_trait::async_trait;
use plan_exec::{ExecError, Inputs};
use plan_run::{RetryAdvice, RunId};
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

/// Runs in a store that renews no claim.
#[derive(Debug, Clone)]
struct Unrenewed(MemoryStore, Renewal);

#[async_trait]
impl RunStore for Unrenewed {
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
        self.0.read(run, after).await
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
            (Claim::Renew, Renewal::Refused) => Err(StoreError::Backend {
                message: "the disk is away".to_owned(),
                retry: RetryAdvice::Later,
            }),
            (Claim::Renew, Renewal::Unanswered) => std::future::pending().await,
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
            runs: Unrenewed(lab.store.clone(), renewal),
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
