//! The calls that a tool takes at one time, whoever makes them: steps, items of a fan-out, agents, other runs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plan_model::ToolName;
use plan_validate::ToolCatalog;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The tools of an executor that take so many calls at one time and no more.
#[derive(Debug, Default)]
pub(crate) struct Turns(BTreeMap<ToolName, Arc<Semaphore>>);

/// The turn of one call.
///
/// The machine of a run starts no more calls of its own than a tool takes, so that only calls
/// of agents and of other runs are ever waited for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn(Option<Arc<Place>>);

#[derive(Debug)]
struct Place {
    gate: Arc<Semaphore>,
    come: AtomicBool,
}

impl Turns {
    /// As the tools of a catalog declare it.
    pub(crate) fn of(catalog: &ToolCatalog) -> Self {
        let limited = catalog.tools().filter_map(|tool| {
            let most = usize::try_from(tool.spec.max_concurrency?).unwrap_or(usize::MAX);
            let gate = Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS));
            Some((tool.spec.name.clone(), Arc::new(gate)))
        });
        Self(limited.collect())
    }

    /// A turn at a tool; one that need not be waited for where the tool has no limit.
    pub(crate) fn at(&self, tool: &ToolName) -> Turn {
        let place = self.0.get(tool).map(|gate| Place {
            gate: Arc::clone(gate),
            come: AtomicBool::new(false),
        });
        Turn(place.map(Arc::new))
    }
}

impl Turn {
    /// Waits for the turn; it lasts as long as what is returned.
    pub(crate) async fn wait(&self) -> Option<OwnedSemaphorePermit> {
        let place = self.0.as_deref()?;
        // nobody closes the gate
        let permit = Arc::clone(&place.gate).acquire_owned().await.ok();
        place.come.store(true, Ordering::Release);
        permit
    }

    /// Whether the call still waits: nothing of it can have happened.
    pub(crate) fn is_awaited(&self) -> bool {
        let place = self.0.as_deref();
        place.is_some_and(|place| !place.come.load(Ordering::Acquire))
    }
}
