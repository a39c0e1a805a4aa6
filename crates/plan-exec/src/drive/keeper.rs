//! Keeping the claim on the driven run.

use std::sync::Arc;
use std::time::Duration;

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
    /// Begins to renew.
    pub(crate) fn start(shared: &Arc<Shared>, run: RunId) -> Self {
        let (say, lost) = mpsc::channel(1);
        let mut task = JoinSet::new();
        let shared = Arc::clone(shared);
        task.spawn(async move {
            let error = keep(&shared, &run).await;
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

/// Renews until the claim is lost.
async fn keep(shared: &Shared, run: &RunId) -> ExecError {
    let mut renewed = Instant::now();
    loop {
        tokio::time::sleep(CLAIM_RENEW).await;
        // a store that does not answer must not keep this task from noticing that time is up
        let renewal = shared.store.claim(run, &shared.owner, Claim::Renew);
        let since = match tokio::time::timeout(CLAIM_RENEW, renewal).await {
            Ok(Ok(_)) => {
                renewed = Instant::now();
                Duration::ZERO
            }
            Ok(Err(StoreError::Fenced { .. } | StoreError::Claimed { .. })) => {
                return ExecError::Fenced { run: run.clone() };
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "the claim was not renewed");
                renewed.elapsed()
            }
            Err(_) => renewed.elapsed(),
        };
        if since >= CLAIM_TTL {
            return ExecError::ClaimLost {
                run: run.clone(),
                since,
            };
        }
    }
}
