//! What a watcher of a run sees.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::StreamExt;
use futures_core::Stream;
use plan_run::{Event, StepPath};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// The updates that a slow watcher may be behind before it loses the oldest.
pub(crate) const UPDATES: usize = 1024;

/// One thing that a watcher is told, in the order in which it happened.
#[derive(Debug, Clone)]
pub enum RunUpdate {
    /// An event that is in the journal.
    Recorded(Arc<Event>),
    /// A call said how far it is. In no journal.
    Progress {
        /// The step.
        step: StepPath,
        /// The attempt, from 1.
        attempt: u32,
        /// What it said, capped.
        message: String,
    },
    /// The watcher was too slow, and this many updates are gone. The record has everything.
    Missed(u64),
}

/// Updates of one run, from the moment of [`RunHandle::events`](crate::RunHandle::events) on.
///
/// Ends with the drive. A slow watcher never slows the run, and costs it no more memory
/// than 1,024 updates: it loses the oldest ones, and is told how many in their place.
#[must_use = "streams do nothing unless polled"]
pub struct Updates(Pin<Box<dyn Stream<Item = RunUpdate> + Send>>);

impl std::fmt::Debug for Updates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Updates").finish_non_exhaustive()
    }
}

impl Updates {
    pub(crate) fn new(updates: broadcast::Receiver<RunUpdate>) -> Self {
        let updates = futures::stream::unfold(updates, |mut updates| async move {
            match updates.recv().await {
                Ok(update) => Some((update, updates)),
                Err(RecvError::Lagged(missed)) => Some((RunUpdate::Missed(missed), updates)),
                Err(RecvError::Closed) => None,
            }
        });
        // a watcher may poll on after the end
        Self(Box::pin(updates.fuse()))
    }

    /// The next update; `None` once the drive has ended.
    pub async fn next(&mut self) -> Option<RunUpdate> {
        std::future::poll_fn(|cx| self.0.as_mut().poll_next(cx)).await
    }
}

impl Stream for Updates {
    type Item = RunUpdate;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<RunUpdate>> {
        self.0.as_mut().poll_next(cx)
    }
}
