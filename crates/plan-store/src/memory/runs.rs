//! Journals in memory.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::pin::pin;
use std::sync::Arc;

use async_trait::async_trait;
use plan_model::Timestamp;
use plan_run::RunId;
use tokio::sync::Notify;

use super::MemoryStore;
use crate::{
    CLAIM_TTL, Claim, Entity, Fence, HeadUpdate, JournalPage, OwnerId, Page, Record, RunCursor,
    RunFilter, RunHead, RunPage, RunStore, Sequence, StoreError, Writer,
};

/// The most records on one page of a journal.
const PAGE_RECORDS: usize = 4_096;
/// A page of a journal ends with the record that reaches this many bytes.
const PAGE_BYTES: usize = 4 << 20;

/// All runs, and their order in lists.
#[derive(Debug, Default)]
pub(super) struct Runs {
    runs: BTreeMap<RunId, Run>,
    newest_first: BTreeSet<(Reverse<Timestamp>, RunId)>,
}

#[derive(Debug)]
struct Run {
    head: RunHead,
    records: Vec<Record>,
    fence: u64,
    claim: Option<Held>,
    grown: Arc<Notify>,
}

#[derive(Debug)]
struct Held {
    owner: OwnerId,
    until: Timestamp,
}

impl Runs {
    pub(super) fn count(&self) -> (u64, u64) {
        let records: usize = self.runs.values().map(|run| run.records.len()).sum();
        (
            u64::try_from(self.runs.len()).unwrap_or(u64::MAX),
            u64::try_from(records).unwrap_or(u64::MAX),
        )
    }

    fn run(&self, id: &RunId) -> Result<&Run, StoreError> {
        self.runs.get(id).ok_or_else(|| not_found(id))
    }

    fn run_mut(&mut self, id: &RunId) -> Result<&mut Run, StoreError> {
        self.runs.get_mut(id).ok_or_else(|| not_found(id))
    }

    fn page(&self, filter: &RunFilter, page: &Page) -> RunPage {
        let limit = page.bounded_limit();
        let start = match &page.after {
            Some(cursor) => Bound::Excluded((Reverse(cursor.created_at), cursor.run.clone())),
            None => Bound::Unbounded,
        };
        let mut heads = self
            .newest_first
            .range((start, Bound::Unbounded))
            .filter_map(|(_, id)| self.runs.get(id))
            .map(|run| &run.head)
            .filter(|head| filter.admits(head));
        let shown: Vec<RunHead> = heads.by_ref().take(limit).cloned().collect();
        let next = heads.next().and_then(|_| shown.last()).map(RunCursor::from);
        RunPage {
            heads: shown,
            unreadable: Vec::new(),
            next,
        }
    }
}

impl Run {
    fn end(&self) -> Sequence {
        Sequence::START.plus(self.records.len())
    }

    fn check_writer(&self, writer: Writer) -> Result<(), StoreError> {
        match writer {
            Writer::Fence(fence) if self.claim.is_none() || fence.get() != self.fence => {
                Err(StoreError::Fenced {
                    run: self.head.run.clone(),
                })
            }
            Writer::Fence(_) | Writer::External => Ok(()),
        }
    }

    fn page(&self, after: Sequence) -> JournalPage {
        let skip = usize::try_from(after.get()).unwrap_or(usize::MAX);
        let mut bytes = 0;
        let records = self
            .records
            .iter()
            .skip(skip)
            .take(PAGE_RECORDS)
            .take_while(|record| {
                let fits = bytes < PAGE_BYTES;
                bytes += record.as_bytes().len();
                fits
            })
            .cloned()
            .collect();
        JournalPage {
            head: self.head.clone(),
            records,
            end: self.end(),
        }
    }

    fn acquire(&mut self, owner: &OwnerId, now: Timestamp) -> Result<(), StoreError> {
        match &self.claim {
            Some(held) if held.owner != *owner && held.until > now => {
                return Err(StoreError::Claimed {
                    run: self.head.run.clone(),
                    owner: held.owner.clone(),
                    until: held.until,
                });
            }
            Some(held) if held.owner == *owner => {}
            _ => self.fence += 1,
        }
        self.claim = Some(Held {
            owner: owner.clone(),
            until: now.plus(CLAIM_TTL),
        });
        Ok(())
    }

    fn held_by(&mut self, owner: &OwnerId) -> Result<&mut Held, StoreError> {
        match &mut self.claim {
            Some(held) if held.owner == *owner => Ok(held),
            _ => Err(StoreError::Fenced {
                run: self.head.run.clone(),
            }),
        }
    }
}

fn not_found(run: &RunId) -> StoreError {
    StoreError::NotFound {
        what: Entity::Run(run.clone()),
    }
}

#[async_trait]
impl RunStore for MemoryStore {
    async fn create(&self, head: &RunHead, records: Vec<Record>) -> Result<Sequence, StoreError> {
        let mut runs = self.all_runs();
        if runs.runs.contains_key(&head.run) {
            return Err(StoreError::AlreadyExists {
                run: head.run.clone(),
            });
        }
        let run = Run {
            head: head.clone(),
            records,
            fence: 0,
            claim: None,
            grown: Arc::new(Notify::new()),
        };
        let end = run.end();
        runs.newest_first
            .insert((Reverse(head.created_at), head.run.clone()));
        runs.runs.insert(head.run.clone(), run);
        Ok(end)
    }

    async fn append(
        &self,
        run: &RunId,
        expected: Sequence,
        writer: Writer,
        update: HeadUpdate,
        records: Vec<Record>,
    ) -> Result<Sequence, StoreError> {
        let mut runs = self.all_runs();
        let run = runs.run_mut(run)?;
        run.check_writer(writer)?;
        let actual = run.end();
        if actual != expected {
            return Err(StoreError::Sequence { expected, actual });
        }
        run.records.extend(records);
        update.apply(&mut run.head);
        run.grown.notify_waiters();
        Ok(run.end())
    }

    async fn read(&self, run: &RunId, after: Sequence) -> Result<JournalPage, StoreError> {
        Ok(self.all_runs().run(run)?.page(after))
    }

    async fn list(&self, filter: &RunFilter, page: &Page) -> Result<RunPage, StoreError> {
        Ok(self.all_runs().page(filter, page))
    }

    async fn claim(
        &self,
        run: &RunId,
        owner: &OwnerId,
        action: Claim,
    ) -> Result<Fence, StoreError> {
        let now = self.0.clock.now();
        let mut runs = self.all_runs();
        let run = runs.run_mut(run)?;
        match action {
            Claim::Acquire => run.acquire(owner, now)?,
            Claim::Renew => run.held_by(owner)?.until = now.plus(CLAIM_TTL),
            Claim::Release => {
                run.held_by(owner)?;
                run.claim = None;
            }
        }
        Ok(Fence::new(run.fence))
    }

    async fn changed(&self, run: &RunId, after: Sequence) {
        let Some(grown) = self
            .all_runs()
            .runs
            .get(run)
            .map(|run| Arc::clone(&run.grown))
        else {
            return std::future::pending().await;
        };
        let mut notified = pin!(grown.notified());
        // listen first, look second: an append in between is heard
        notified.as_mut().enable();
        let has_grown = self.all_runs().run(run).is_ok_and(|run| run.end() > after);
        if !has_grown {
            notified.await;
        }
    }
}
