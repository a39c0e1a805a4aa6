//! Keeping the claim on the driven run.

use std::sync::Arc;

use plan_run::RunId;
use plan_store::{CLAIM_RENEW, CLAIM_TTL, Claim, StoreError};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::ExecError;
use crate::executor::Shared;

/// Renews a claim in the background, and says when it is lost.
#[derive(Debug)]
pub(crate) struct Keeper {
    task: JoinSet<()>,
    lost: mpsc::Receiver<ExecError>,
}

impl Keeper {
    /// Begins to renew what was claimed at `claimed`.
    pub(crate) fn start(shared: &Arc<Shared>, run: RunId, claimed: Instant) -> Self {
        let (say, lost) = mpsc::channel(1);
        let mut task = JoinSet::new();
        let shared = Arc::clone(shared);
        task.spawn(async move {
            let error = keep(&shared, &run, claimed).await;
            // the drive may have ended
            let _ = say.send(error).await;
        });
        Self { task, lost }
    }

    /// Ends once the claim is lost.
    pub(crate) async fn lost(&mut self) -> ExecError {
        match self.lost.recv().await {
            Some(error) => error,
            None => std::future::pending().await,
        }
    }

    /// Stops renewing.
    pub(crate) fn stop(&mut self) {
        self.task.abort_all();
    }
}

/// Renews until the claim is lost, or can no longer be relied upon.
async fn keep(shared: &Shared, run: &RunId, claimed: Instant) -> ExecError {
    // counted from before the store was asked, so never later than the store counts it
    let mut renewed = claimed;
    loop {
        let over = renewed + CLAIM_TTL;
        tokio::time::sleep_until(over.min(Instant::now() + CLAIM_RENEW)).await;
        let asked = Instant::now();
        // a store that does not answer must not keep this task from noticing that time is up
        let until = over.min(asked + CLAIM_RENEW);
        let renewal = shared.store.claim(run, &shared.owner, Claim::Renew);
        match tokio::time::timeout_at(until, renewal).await {
            Ok(Ok(_)) => renewed = asked,
            Ok(Err(StoreError::Fenced { .. } | StoreError::Claimed { .. })) => {
                return ExecError::Fenced { run: run.clone() };
            }
            Ok(Err(error)) => tracing::warn!(%error, "the claim was not renewed"),
            Err(_) => tracing::warn!("the claim was not renewed: the store does not answer"),
        }
        if Instant::now() >= renewed + CLAIM_TTL {
            return ExecError::ClaimLost {
                run: run.clone(),
                since: renewed.elapsed(),
            };
        }
    }
}
