//! The journal of the driven run: appends that hold, and what others appended.

use std::sync::Arc;
use std::time::Duration;

use plan_run::{Event, Machine, Refused, RetryAdvice, RunId, RunStatus, decode};
use plan_store::{
    Claim, Fence, HeadUpdate, OwnerId, Record, RunStoreExt, Sequence, Store, StoreError, Writer,
};
use plan_validate::ValidatedPlan;

use crate::drive::batch::Batch;
use crate::{ExecError, LoadError};

/// The pauses between repeats of an append that failed for a while.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_secs(1),
    Duration::from_secs(2),
];

/// The longest pause that a store may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// What became of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Appended {
    /// It is in the journal.
    Yes,
    /// Another record was there first: read, and decide again.
    Behind,
}

/// One journal, as its owner sees it.
#[derive(Debug)]
pub(crate) struct Journal {
    store: Arc<dyn Store>,
    run: RunId,
    fence: Fence,
    end: Sequence,
}

impl Journal {
    pub(crate) fn new(store: Arc<dyn Store>, run: RunId, fence: Fence, end: Sequence) -> Self {
        Self {
            store,
            run,
            fence,
            end,
        }
    }

    /// The last record that the machine has seen.
    pub(crate) fn end(&self) -> Sequence {
        self.end
    }

    /// Notes that the machine has seen the records up to here.
    pub(crate) fn advance_to(&mut self, end: Sequence) {
        self.end = end;
    }

    /// Adds the events of a turn, all or none.
    ///
    /// # Errors
    /// When the run was taken by another, or the store failed past every repeat.
    pub(crate) async fn append(
        &mut self,
        status: RunStatus,
        batch: &Batch,
    ) -> Result<Appended, ExecError> {
        let mut pauses = PAUSES.iter();
        loop {
            let appended = self
                .store
                .append(
                    &self.run,
                    self.end,
                    Writer::Fence(self.fence),
                    HeadUpdate::new(status, batch.at),
                    batch.records(),
                )
                .await;
            let error = match appended {
                Ok(end) => {
                    self.end = end;
                    return Ok(Appended::Yes);
                }
                // also where an append that seemed to fail was taken all the same
                Err(StoreError::Sequence { .. }) => return Ok(Appended::Behind),
                Err(error) => error,
            };
            let Some(pause) = pause_after(&error, &mut pauses) else {
                return Err(self.failed(error));
            };
            tracing::warn!(%error, "an append failed and is repeated");
            tokio::time::sleep(pause).await;
        }
    }

    /// Whether the claim under which this journal is written still stands.
    ///
    /// Asked after the journal was read, it tells whose records those are: nobody else drove the run before.
    ///
    /// # Errors
    /// When the run was taken by another, or the store failed past every repeat.
    pub(crate) async fn is_own(&self, owner: &OwnerId) -> Result<(), ExecError> {
        let mut pauses = PAUSES.iter();
        loop {
            let error = match self.store.claim(&self.run, owner, Claim::Renew).await {
                Ok(fence) if fence == self.fence => return Ok(()),
                Ok(_) => StoreError::Fenced {
                    run: self.run.clone(),
                },
                Err(error) => error,
            };
            let Some(pause) = pause_after(&error, &mut pauses) else {
                return Err(self.failed(error));
            };
            tokio::time::sleep(pause).await;
        }
    }

    /// Waits until the store notices that the journal has grown.
    pub(crate) async fn changed(&self) {
        self.store.changed(&self.run, self.end).await;
    }

    /// What others have appended since the machine last saw the journal.
    ///
    /// # Errors
    /// When the store failed for good, or a record cannot be read. A store that
    /// failed for a while gives nothing: the next look will.
    pub(crate) async fn tail(&self) -> Result<Vec<Arc<Event>>, ExecError> {
        match self.store.tail(&self.run, self.end).await {
            Ok(page) => self.decoded(&page.records, self.end),
            Err(error) if error.retry() != RetryAdvice::Never => {
                tracing::warn!(%error, "the tail of the journal was not read");
                Ok(Vec::new())
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    /// The machine of the whole journal, the events after `before`, and the journal's end.
    ///
    /// # Errors
    /// When the store failed, or the journal cannot be followed.
    pub(crate) async fn replay(
        &self,
        plan: &ValidatedPlan,
        before: Sequence,
    ) -> Result<(Machine, Vec<Arc<Event>>, Sequence), ExecError> {
        let page = self
            .store
            .journal(&self.run)
            .await
            .map_err(|error| self.failed(error))?;
        let mut events = self.decoded(&page.records, Sequence::START)?;
        let Some((first, rest)) = events.split_first() else {
            return Err(ExecError::Load(LoadError::NoBeginning {
                run: self.run.clone(),
            }));
        };
        let mut machine = Machine::new(plan.clone(), first)
            .map_err(|refused| self.out_of_order(Sequence::new(1), refused))?;
        for (at, event) in rest.iter().enumerate() {
            machine
                .apply(event)
                .map_err(|refused| self.out_of_order(Sequence::new(1).plus(at + 1), refused))?;
        }
        let end = Sequence::START.plus(events.len());
        let seen = usize::try_from(before.get()).unwrap_or(usize::MAX);
        let news = events.split_off(seen.min(events.len()));
        Ok((machine, news, end))
    }

    fn decoded(&self, records: &[Record], after: Sequence) -> Result<Vec<Arc<Event>>, ExecError> {
        records
            .iter()
            .enumerate()
            .map(|(at, record)| {
                decode(record.as_bytes()).map(Arc::new).map_err(|error| {
                    ExecError::Load(LoadError::Unreadable {
                        run: self.run.clone(),
                        sequence: after.plus(at + 1),
                        error,
                    })
                })
            })
            .collect()
    }

    /// A record that the machine refused.
    pub(crate) fn out_of_order(&self, sequence: Sequence, refused: Refused) -> ExecError {
        ExecError::Load(LoadError::OutOfOrder {
            run: self.run.clone(),
            sequence,
            refused: Box::new(refused),
        })
    }

    fn failed(&self, error: StoreError) -> ExecError {
        let run = self.run.clone();
        match error {
            StoreError::Fenced { .. } => ExecError::Fenced { run },
            error => ExecError::Store { run, error },
        }
    }
}

/// How long to wait before the store is asked once more; `None` where that is no use.
fn pause_after(
    error: &StoreError,
    pauses: &mut std::slice::Iter<'_, Duration>,
) -> Option<Duration> {
    let pause = *pauses.next()?;
    match error.retry() {
        RetryAdvice::Later => Some(pause),
        RetryAdvice::After(span) => Some(span.clamp(pause, LONGEST_PAUSE)),
        RetryAdvice::Never => None,
    }
}
