//! The contract of the run journal.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use plan_run::RunId;

use crate::{
    Claim, Fence, HeadUpdate, JournalPage, OwnerId, Page, Record, RunFilter, RunHead, RunPage,
    Sequence, StoreError, Writer,
};

/// Keeps the journals of runs: append-only records, one owner at a time.
///
/// # Guarantees
/// - What a call returned `Ok` for is durable, in the degree that the store was
///   opened with, and every later read in any process sees it.
/// - A call writes all or nothing: the records of one append, and the head with them.
/// - Records keep their bytes and their order. They are numbered from 1 without gaps.
/// - Of two appends that expect the same end, at most one succeeds.
/// - Once an owner was given a fence, no append with a lower fence succeeds.
/// - The work of an append is in proportion to its own records, not to the journal.
///
/// # Non-guarantees
/// - A future that is dropped before it is ready may have written or not: read the tail.
/// - Whether a record is one that an external writer may append is the caller's word.
/// - An owner that is paused past [`crate::CLAIM_TTL`] learns that it was replaced only
///   when it next appends or renews.
///
/// # Implementing
/// Five methods are required. [`RunStore::changed`] is worth having where a process can
/// notice an append cheaply. Run the conformance suite of `plan-testkit` over the adapter.
///
/// ```
/// use std::collections::BTreeMap;
/// use plan_model::{PlanId, Timestamp};
/// use plan_run::{RunId, RunStatus};
/// use plan_store::{
///     Claim, HeadUpdate, MemoryStore, OwnerId, Record, RunHead, RunStore, RunStoreExt, Writer,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = MemoryStore::new();
/// let (run, now) = (RunId::new("run-1")?, Timestamp::from_millis(0));
/// let head = RunHead {
///     run: run.clone(),
///     plan: PlanId::of_bytes(b"a plan"),
///     plan_version: 1,
///     plan_name: "a plan".to_owned(),
///     status: RunStatus::Running,
///     created_at: now,
///     updated_at: now,
///     tags: BTreeMap::new(),
/// };
/// let end = store.create(&head, vec![Record::new("created")]).await?;
///
/// let me = OwnerId::random();
/// let fence = store.claim(&run, &me, Claim::Acquire).await?;
/// let update = HeadUpdate::new(RunStatus::Succeeded, now);
/// store
///     .append(&run, end, Writer::Fence(fence), update, vec![Record::new("ended")])
///     .await?;
/// store.claim(&run, &me, Claim::Release).await?;
///
/// let journal = store.journal(&run).await?;
/// assert_eq!(journal.records.len(), 2);
/// assert_eq!(journal.head.status, RunStatus::Succeeded);
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait RunStore: Send + Sync + Debug {
    /// Makes a run with its first records, and returns the end of its journal.
    ///
    /// Nobody owns the run yet.
    ///
    /// # Errors
    /// [`StoreError::AlreadyExists`] when a run of this id exists, whatever its records;
    /// [`StoreError::Backend`].
    async fn create(&self, head: &RunHead, records: Vec<Record>) -> Result<Sequence, StoreError>;

    /// Adds records to a journal that ends at `expected`, and returns its new end.
    ///
    /// An owner writes under its fence. A claim whose time is over still counts until
    /// somebody else takes the run. An external writer needs no claim and does not
    /// disturb one. No records at all change the head alone.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Fenced`] when the fence is not that of the
    /// present claim; [`StoreError::Sequence`] when the journal ends elsewhere. Where both
    /// apply it is `Fenced`. [`StoreError::Backend`] when the store failed.
    async fn append(
        &self,
        run: &RunId,
        expected: Sequence,
        writer: Writer,
        update: HeadUpdate,
        records: Vec<Record>,
    ) -> Result<Sequence, StoreError>;

    /// Reads the records after a place: as many as fit a page, at least one if there is any.
    ///
    /// Go on from `after` plus the records read until that reaches `end`. A place at or
    /// past the end gives no records.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Unreadable`] for the first record of the page
    /// that is damaged; [`StoreError::Backend`].
    async fn read(&self, run: &RunId, after: Sequence) -> Result<JournalPage, StoreError>;

    /// Lists runs, newest first and then by id.
    ///
    /// Pages are stable: a run that is created or changed meanwhile moves no other run
    /// to another page. A run that cannot be read is named in the page, not an error.
    ///
    /// # Errors
    /// [`StoreError::Backend`].
    async fn list(&self, filter: &RunFilter, page: &Page) -> Result<RunPage, StoreError>;

    /// Takes, keeps or gives up the right to drive a run.
    ///
    /// - `Acquire` gives a new, higher fence when nobody owns the run, when the claim of
    ///   its owner is older than [`crate::CLAIM_TTL`], or when its owner is known to be
    ///   dead. The present owner gets its own fence again and another [`crate::CLAIM_TTL`].
    /// - `Renew` gives the owner another [`crate::CLAIM_TTL`], also late, as long as
    ///   nobody took the run.
    /// - `Release` ends the claim and its fence.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Claimed`] on `Acquire` while another owner
    /// lives; [`StoreError::Fenced`] on `Renew` and `Release` by who does not own the run;
    /// [`StoreError::Unreadable`] on `Acquire` of a run that was set aside;
    /// [`StoreError::Backend`].
    async fn claim(&self, run: &RunId, owner: &OwnerId, action: Claim)
    -> Result<Fence, StoreError>;

    /// Waits until the journal of a run may hold more than `after` records.
    ///
    /// Lets an owner see an answer or a cancel request without waiting for its next look
    /// at the tail. It may return early, and for appends by other processes it may never
    /// return: an owner reads its tail at least once a second all the same. A store that
    /// cannot notice appends keeps this default, which never returns.
    ///
    /// Safe to drop at any time; no append between the read of `after` and this call is missed
    /// by who holds the claim.
    async fn changed(&self, run: &RunId, after: Sequence) {
        let _ = (run, after);
        std::future::pending::<()>().await;
    }
}

const _OBJECT_SAFE: Option<&dyn RunStore> = None;

/// What every [`RunStore`] can do besides.
#[async_trait]
pub trait RunStoreExt: RunStore {
    /// Reads a whole journal, page by page.
    ///
    /// # Errors
    /// As [`RunStore::read`].
    async fn journal(&self, run: &RunId) -> Result<JournalPage, StoreError> {
        self.tail(run, Sequence::START).await
    }

    /// Reads all records after a place, page by page.
    ///
    /// # Errors
    /// As [`RunStore::read`].
    async fn tail(&self, run: &RunId, after: Sequence) -> Result<JournalPage, StoreError> {
        let mut whole = self.read(run, after).await?;
        loop {
            let place = after.plus(whole.records.len());
            if place >= whole.end {
                return Ok(whole);
            }
            let page = self.read(run, place).await?;
            if page.records.is_empty() {
                // an adapter that breaks its contract must not hang its callers
                return Ok(whole);
            }
            whole.records.extend(page.records);
            whole.head = page.head;
            whole.end = page.end;
        }
    }
}

impl<S: RunStore + ?Sized> RunStoreExt for S {}

#[async_trait]
impl<S: RunStore + ?Sized> RunStore for Arc<S> {
    async fn create(&self, head: &RunHead, records: Vec<Record>) -> Result<Sequence, StoreError> {
        (**self).create(head, records).await
    }

    async fn append(
        &self,
        run: &RunId,
        expected: Sequence,
        writer: Writer,
        update: HeadUpdate,
        records: Vec<Record>,
    ) -> Result<Sequence, StoreError> {
        (**self)
            .append(run, expected, writer, update, records)
            .await
    }

    async fn read(&self, run: &RunId, after: Sequence) -> Result<JournalPage, StoreError> {
        (**self).read(run, after).await
    }

    async fn list(&self, filter: &RunFilter, page: &Page) -> Result<RunPage, StoreError> {
        (**self).list(filter, page).await
    }

    async fn claim(
        &self,
        run: &RunId,
        owner: &OwnerId,
        action: Claim,
    ) -> Result<Fence, StoreError> {
        (**self).claim(run, owner, action).await
    }

    async fn changed(&self, run: &RunId, after: Sequence) {
        (**self).changed(run, after).await;
    }
}
