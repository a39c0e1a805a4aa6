//! The contract of the run journal, over the parts that do the work.

use std::sync::Arc;

use async_trait::async_trait;
use plan_run::RunId;
use plan_store::{
    Claim, Fence, HeadUpdate, JournalPage, OwnerId, Page, Record, RunFilter, RunHead, RunPage,
    RunStore, Sequence, StoreError, Unreadable, Writer,
};

use crate::{SqliteStore, claim, journal, listing, quarantine};

#[async_trait]
impl RunStore for SqliteStore {
    async fn create(&self, head: &RunHead, records: Vec<Record>) -> Result<Sequence, StoreError> {
        let head = head.clone();
        self.commit(move |connection| journal::create(connection, &head, &records))
            .await
    }

    async fn append(
        &self,
        run: &RunId,
        expected: Sequence,
        writer: Writer,
        update: HeadUpdate,
        records: Vec<Record>,
    ) -> Result<Sequence, StoreError> {
        let id = run.clone();
        let appended = self
            .commit(move |connection| {
                journal::append(connection, &id, expected, writer, update, &records)
            })
            .await;
        match &appended {
            Ok(end) => self.wakeups().grown(run, *end),
            // somebody else wrote: whoever waits should look
            Err(StoreError::Sequence { actual, .. }) => self.wakeups().grown(run, *actual),
            Err(_) => {}
        }
        appended
    }

    async fn read(&self, run: &RunId, after: Sequence) -> Result<JournalPage, StoreError> {
        let id = run.clone();
        let page = self
            .look(move |connection| journal::read(connection, &id, after))
            .await;
        if let Err(StoreError::Unreadable(damage)) = &page {
            self.report(damage).await;
        }
        page
    }

    async fn list(&self, filter: &RunFilter, page: &Page) -> Result<RunPage, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        let page = self
            .look(move |connection| listing::list(connection, &filter, &page))
            .await?;
        for damage in &page.unreadable {
            self.report(damage).await;
        }
        Ok(page)
    }

    async fn claim(
        &self,
        run: &RunId,
        owner: &OwnerId,
        action: Claim,
    ) -> Result<Fence, StoreError> {
        if action == Claim::Acquire {
            // before the claim, so that nothing appended after it goes unnoticed
            self.wakeups().watch(run, owner);
        }
        let claimed = self
            .commit({
                let (run, owner, now) = (run.clone(), owner.clone(), self.now());
                let owners = Arc::clone(self.owners());
                move |connection| claim::claim(connection, &owners, &run, &owner, action, now)
            })
            .await;
        let gone = match &claimed {
            Ok(_) => action == Claim::Release,
            Err(
                StoreError::NotFound { .. }
                | StoreError::Claimed { .. }
                | StoreError::Fenced { .. }
                | StoreError::Unreadable(_),
            ) => true,
            // the claim may stand as it was before, and its owner lives
            Err(_) => false,
        };
        if gone {
            self.owners().let_go(owner, run);
            self.wakeups().forget(run, owner);
        }
        claimed
    }

    async fn changed(&self, run: &RunId, after: Sequence) {
        self.wakeups().wait(run, after).await;
    }
}

impl SqliteStore {
    /// Notes what is damaged. A store that cannot even do that has said what it found already.
    async fn report(&self, damage: &Unreadable) {
        tracing::warn!(place = %damage.place, reason = %damage.reason, "set aside");
        let (damage, now) = (damage.clone(), self.now());
        let noted = self
            .commit(move |connection| quarantine::set_aside(connection, &damage, now))
            .await;
        if let Err(error) = noted {
            tracing::warn!(%error, "the damage could not be noted");
        }
    }
}
