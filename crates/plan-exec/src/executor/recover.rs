//! Taking up every run that nobody drives.

use plan_run::{RunId, RunStatus};
use plan_store::{Page, RunFilter, StoreError, Unreadable};

use crate::RunHandle;
use crate::executor::{Executor, ResumeError};

/// What came of taking up the unfinished runs of a store.
#[derive(Debug, Default)]
pub struct Recovery {
    /// The runs that this executor drives now, newest first.
    pub resumed: Vec<RunHandle>,
    /// The runs that it does not, and why; those that another drives among them.
    pub left: Vec<(RunId, ResumeError)>,
    /// What the store could not read.
    pub unreadable: Vec<Unreadable>,
}

impl Executor {
    /// Takes up every run of the store that is unfinished and that nobody drives.
    ///
    /// Made for the start of a process. One run that cannot be taken up keeps no
    /// other from it.
    ///
    /// # Errors
    /// When the store cannot be listed.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub async fn recover(&self) -> Result<Recovery, StoreError> {
        let filter = RunFilter::default()
            .with_status(RunStatus::Running)
            .with_status(RunStatus::Waiting);
        let mut recovery = Recovery::default();
        let mut page = Page::default();
        loop {
            let runs = self.shared.store.list(&filter, &page).await?;
            recovery.unreadable.extend(runs.unreadable);
            for head in runs.heads {
                match self.resume(&head.run).await {
                    Ok(handle) => recovery.resumed.push(handle),
                    Err(error) => recovery.left.push((head.run, error)),
                }
            }
            match runs.next {
                Some(cursor) => page = Page::after(cursor, page.limit),
                None => return Ok(recovery),
            }
        }
    }
}
