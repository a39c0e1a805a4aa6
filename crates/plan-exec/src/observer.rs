//! Who sees what happens in every run of an executor.

mod watch;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use plan_run::event::{PlanRef, RunCreated, Trigger};
use plan_run::{PrincipalName, RunId, RunStatus};

use crate::{ExecError, RunUpdate};

pub(crate) use watch::Watch;

/// Sees what happens in every run that an executor drives: for metrics, logs, notices to people.
///
/// - What it sees of one run is in the order in which it happened, and is in the journal before.
/// - It never slows a run and never fails one. It is called on a thread of its own, so it may block;
///   where it is more than 1,024 updates behind, the oldest are dropped, and it is told how many of
///   which run by [`RunUpdate::Missed`]. The journal has everything.
/// - A panic of it is reported through `tracing`, and it is shown what follows.
/// - Each drive of a run is shown from its beginning: after a resume, what was in the journal before is not shown again.
///
/// Not for decisions: what it does changes nothing in the run, and a process that dies takes along what it was not shown.
///
/// ```
/// use plan_exec::{ObservedRun, Observer, RunUpdate};
///
/// /// Counts the failed attempts of all runs.
/// #[derive(Debug, Default)]
/// struct Failures(std::sync::atomic::AtomicU64);
///
/// impl Observer for Failures {
///     fn saw(&self, _run: &ObservedRun, update: &RunUpdate) {
///         use plan_run::event::{AttemptOutcome, EventKind};
///         if let RunUpdate::Recorded(event) = update
///             && let EventKind::AttemptEnded { outcome: AttemptOutcome::Failed(_), .. } = &event.kind
///         {
///             self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
///         }
///     }
/// }
/// ```
pub trait Observer: Debug + Send + Sync {
    /// Something happened in a run.
    fn saw(&self, run: &ObservedRun, update: &RunUpdate);

    /// The drive of a run has ended, and what it came to: a run that waits is left too.
    ///
    /// Does nothing unless it is implemented.
    fn left(&self, run: &ObservedRun, outcome: Result<RunStatus, &ExecError>) {
        let _ = (run, outcome);
    }
}

/// Which run an observer sees.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObservedRun {
    /// The run.
    pub run: RunId,
    /// The plan that it runs.
    pub plan: PlanRef,
    /// Who asked for it.
    pub principal: Option<PrincipalName>,
    /// The caller's own labels.
    pub tags: BTreeMap<String, String>,
    /// What started it.
    pub trigger: Trigger,
}

impl From<&RunCreated> for ObservedRun {
    fn from(created: &RunCreated) -> Self {
        Self {
            run: created.run.clone(),
            plan: created.plan.clone(),
            principal: created.principal.clone(),
            tags: created.tags.clone(),
            trigger: created.trigger,
        }
    }
}

impl<O: Observer + ?Sized> Observer for Arc<O> {
    fn saw(&self, run: &ObservedRun, update: &RunUpdate) {
        (**self).saw(run, update);
    }

    fn left(&self, run: &ObservedRun, outcome: Result<RunStatus, &ExecError>) {
        (**self).left(run, outcome);
    }
}

fn _is_object_safe(_: &dyn Observer) {}
