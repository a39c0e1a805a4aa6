//! Listing runs: what to show, and where a page ends.

use std::collections::BTreeMap;

use plan_model::{PlanId, Timestamp};
use plan_run::{RunId, RunStatus};

use crate::{RunHead, Unreadable};

/// The most entries on one page; a larger limit means this one.
pub const MAX_PAGE: usize = 1_000;

/// Which runs a list shows. The default shows all.
///
/// ```
/// use plan_run::RunStatus;
/// use plan_store::RunFilter;
///
/// let open = RunFilter::default()
///     .with_status(RunStatus::Running)
///     .with_status(RunStatus::Waiting)
///     .with_tag("team", "search");
/// assert_eq!(open.statuses.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RunFilter {
    /// Runs in any of these statuses; empty: in any status.
    pub statuses: Vec<RunStatus>,
    /// Runs of this plan.
    pub plan: Option<PlanId>,
    /// Runs that carry all of these tags.
    pub tags: BTreeMap<String, String>,
}

impl RunFilter {
    /// Also shows runs in this status.
    #[must_use]
    pub fn with_status(mut self, status: RunStatus) -> Self {
        self.statuses.push(status);
        self
    }

    /// Shows only runs of this plan.
    #[must_use]
    pub fn with_plan(mut self, plan: PlanId) -> Self {
        self.plan = Some(plan);
        self
    }

    /// Shows only runs that carry this tag.
    #[must_use]
    pub fn with_tag(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.tags.insert(key.into(), value.into());
        self
    }

    /// Whether the list shows a run with this head.
    pub fn admits(&self, head: &RunHead) -> bool {
        (self.statuses.is_empty() || self.statuses.contains(&head.status))
            && self.plan.is_none_or(|plan| plan == head.plan)
            && self
                .tags
                .iter()
                .all(|(key, value)| head.tags.get(key) == Some(value))
    }
}

/// Where a list goes on, and how far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<C = RunCursor> {
    /// The most entries to return, from 1 to [`MAX_PAGE`].
    pub limit: usize,
    /// The cursor of the page before; absent: the first page.
    pub after: Option<C>,
}

impl<C> Page<C> {
    /// The first page.
    pub fn first(limit: usize) -> Self {
        Self { limit, after: None }
    }

    /// The page that follows a cursor.
    pub fn after(cursor: C, limit: usize) -> Self {
        Self {
            limit,
            after: Some(cursor),
        }
    }

    /// The limit within its bounds, for adapters.
    pub fn bounded_limit(&self) -> usize {
        self.limit.clamp(1, MAX_PAGE)
    }
}

impl<C> Default for Page<C> {
    fn default() -> Self {
        Self::first(100)
    }
}

/// A place in the list of runs, which is ordered newest first and then by id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunCursor {
    /// When the run at this place began.
    pub created_at: Timestamp,
    /// The run at this place.
    pub run: RunId,
}

impl From<&RunHead> for RunCursor {
    fn from(head: &RunHead) -> Self {
        Self {
            created_at: head.created_at,
            run: head.run.clone(),
        }
    }
}

/// One page of runs, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunPage {
    /// The runs.
    pub heads: Vec<RunHead>,
    /// Runs that belong on this page and cannot be read.
    pub unreadable: Vec<Unreadable>,
    /// Where the next page starts; absent: this was the last.
    pub next: Option<RunCursor>,
}
