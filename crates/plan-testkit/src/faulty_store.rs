//! A store that fails where a test says.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use plan_model::PlanId;
use plan_run::{RetryAdvice, RunId};
use plan_store::{
    Claim, Fence, HeadUpdate, JournalPage, OwnerId, Page, PlanCursor, PlanHead, PlanPage,
    PlanStore, Record, RunFilter, RunHead, RunPage, RunStore, Sequence, Store, StoreError,
    StoredPlan, VersionSpec, Writer,
};

/// How an append fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is written, and a repeat may succeed.
    Before,
    /// Everything is written, and the writer is told that it failed.
    After,
    /// Nothing is written, and this and every later append fails for good.
    ForGood,
    /// Everything is written, the writer is told that it failed, and every later append fails for good.
    ForGoodAfter,
    /// The word of somebody else, as [`FaultyStore::with_word`] gives it, is in the journal before it.
    Overtaken,
}

/// Wraps a store whose `n`th append of an owner, counted from 1, fails.
///
/// Creation, claims, reads and appends of external writers pass through.
#[derive(Debug, Clone)]
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    at: u64,
    fault: Fault,
    appends: Arc<AtomicU64>,
    word: Record,
}

impl FaultyStore {
    /// Lets append number `at` fail.
    pub fn new(inner: impl Store + 'static, at: u64, fault: Fault) -> Self {
        Self {
            inner: Arc::new(inner),
            at,
            fault,
            appends: Arc::default(),
            word: Record::new(Vec::new()),
        }
    }

    /// What an external writer appends under [`Fault::Overtaken`].
    #[must_use]
    pub fn with_word(mut self, word: Record) -> Self {
        self.word = word;
        self
    }

    /// The appends that an owner has asked for so far.
    pub fn appends(&self) -> u64 {
        self.appends.load(Ordering::SeqCst)
    }

    fn failed(retry: RetryAdvice) -> StoreError {
        StoreError::Backend {
            message: "the test said so".to_owned(),
            retry,
        }
    }
}

#[async_trait]
impl RunStore for FaultyStore {
    async fn create(&self, head: &RunHead, records: Vec<Record>) -> Result<Sequence, StoreError> {
        self.inner.create(head, records).await
    }

    async fn append(
        &self,
        run: &RunId,
        expected: Sequence,
        writer: Writer,
        update: HeadUpdate,
        records: Vec<Record>,
    ) -> Result<Sequence, StoreError> {
        let append = self.inner.append(run, expected, writer, update, records);
        if writer == Writer::External {
            return append.await;
        }
        let number = self.appends.fetch_add(1, Ordering::SeqCst) + 1;
        match self.fault {
            Fault::Overtaken if number == self.at => {
                let word = vec![self.word.clone()];
                let first = self
                    .inner
                    .append(run, expected, Writer::External, update, word);
                first.await?;
                append.await
            }
            Fault::Before if number == self.at => Err(Self::failed(RetryAdvice::Later)),
            Fault::After if number == self.at => {
                append.await?;
                Err(Self::failed(RetryAdvice::Later))
            }
            Fault::ForGoodAfter if number == self.at => {
                append.await?;
                Err(Self::failed(RetryAdvice::Never))
            }
            Fault::ForGood | Fault::ForGoodAfter if number >= self.at => {
                Err(Self::failed(RetryAdvice::Never))
            }
            _ => append.await,
        }
    }

    async fn read(&self, run: &RunId, after: Sequence) -> Result<JournalPage, StoreError> {
        self.inner.read(run, after).await
    }

    async fn list(&self, filter: &RunFilter, page: &Page) -> Result<RunPage, StoreError> {
        self.inner.list(filter, page).await
    }

    async fn claim(
        &self,
        run: &RunId,
        owner: &OwnerId,
        action: Claim,
    ) -> Result<Fence, StoreError> {
        self.inner.claim(run, owner, action).await
    }

    async fn changed(&self, run: &RunId, after: Sequence) {
        self.inner.changed(run, after).await;
    }
}

#[async_trait]
impl PlanStore for FaultyStore {
    async fn put(&self, plan: StoredPlan, expected_current: Option<u64>) -> Result<(), StoreError> {
        self.inner.put(plan, expected_current).await
    }

    async fn get(&self, id: PlanId, version: VersionSpec) -> Result<StoredPlan, StoreError> {
        self.inner.get(id, version).await
    }

    async fn history(&self, id: PlanId) -> Result<Vec<PlanHead>, StoreError> {
        self.inner.history(id).await
    }

    async fn plans(&self, page: &Page<PlanCursor>) -> Result<PlanPage, StoreError> {
        self.inner.plans(page).await
    }
}
