//! Wakes an owner when somebody else appends to its run through the same store.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plan_run::RunId;
use plan_store::{OwnerId, Sequence};
use tokio::sync::Notify;

/// The runs that are claimed through this store, and how far their journals are known to reach.
///
/// A run is watched from before its owner reads the journal until it gives up its claim:
/// what is appended in between is either read or noted here.
#[derive(Debug, Default)]
pub(crate) struct Wakeups(Mutex<BTreeMap<RunId, Watched>>);

#[derive(Debug, Default)]
struct Watched {
    owners: BTreeSet<OwnerId>,
    end: Sequence,
    grown: Arc<Notify>,
}

impl Wakeups {
    /// Watches a run for an owner that is about to claim it.
    pub(crate) fn watch(&self, run: &RunId, owner: &OwnerId) {
        let mut watched = self.watched();
        let entry = watched.entry(run.clone()).or_default();
        entry.owners.insert(owner.clone());
    }

    /// The owner has given up the run, or did not get it.
    pub(crate) fn forget(&self, run: &RunId, owner: &OwnerId) {
        let mut watched = self.watched();
        if let Some(entry) = watched.get_mut(run) {
            entry.owners.remove(owner);
            if entry.owners.is_empty() {
                watched.remove(run);
            }
        }
    }

    /// Somebody appended, or found that the journal is longer than they thought.
    pub(crate) fn grown(&self, run: &RunId, end: Sequence) {
        if let Some(watched) = self.watched().get_mut(run) {
            watched.end = watched.end.max(end);
            watched.grown.notify_waiters();
        }
    }

    /// Returns once the run is known to have more than `after` records; never if nobody here owns it.
    pub(crate) async fn wait(&self, run: &RunId, after: Sequence) {
        let grown = self.watched().get(run).map(|it| Arc::clone(&it.grown));
        let Some(grown) = grown else {
            return std::future::pending().await;
        };
        let mut notified = pin!(grown.notified());
        // listen first, look second: an append in between is heard
        notified.as_mut().enable();
        let has_grown = self.watched().get(run).is_some_and(|it| it.end > after);
        if !has_grown {
            notified.await;
        }
    }

    fn watched(&self) -> MutexGuard<'_, BTreeMap<RunId, Watched>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
