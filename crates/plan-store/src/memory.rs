//! Runs and plans in memory: nothing outlives the process.

mod plans;
mod runs;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::{Clock, Integrity, Maintain, StoreError, SystemClock};

/// A store in memory, with the full semantics of claims, fences and versions.
///
/// For tests, and for hosts whose runs need not outlive them. Clones share what they hold.
/// Every operation takes one short lock and no operation waits for anything else.
///
/// ```
/// use std::sync::Arc;
/// use plan_store::{MemoryStore, Store};
///
/// let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
/// # let _ = store;
/// ```
#[derive(Debug, Clone)]
pub struct MemoryStore(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    clock: Arc<dyn Clock>,
    runs: Mutex<runs::Runs>,
    plans: Mutex<plans::Plans>,
}

impl MemoryStore {
    /// An empty store that takes the time from the operating system.
    pub fn new() -> Self {
        Self::with_clock(SystemClock)
    }

    /// An empty store whose claims live by `clock`.
    pub fn with_clock(clock: impl Clock + 'static) -> Self {
        Self(Arc::new(Shared {
            clock: Arc::new(clock),
            runs: Mutex::default(),
            plans: Mutex::default(),
        }))
    }

    fn all_runs(&self) -> MutexGuard<'_, runs::Runs> {
        locked(&self.0.runs)
    }

    fn all_plans(&self) -> MutexGuard<'_, plans::Plans> {
        locked(&self.0.plans)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

// INVARIANT: every operation checks before it changes anything, so that what a
// panicking thread leaves behind is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Maintain for MemoryStore {
    async fn integrity(&self) -> Result<Integrity, StoreError> {
        let (runs, records) = self.all_runs().count();
        Ok(Integrity {
            runs,
            records,
            plans: self.all_plans().count(),
            unreadable: Vec::new(),
        })
    }
}
