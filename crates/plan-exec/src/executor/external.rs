//! Telling something to a run that another process drives, or nobody.

use std::time::Duration;

use plan_run::{
    Answer, Decision, Event, EventKind, PrincipalName, RequestId, RunId, StepPath, encode,
};
use plan_store::{HeadUpdate, Record, RunStore, Sequence, StoreError, Writer};

use crate::drive::Control;
use crate::executor::load::load;
use crate::executor::{ControlError, Executor, Shared};

/// How often an append is decided again because the journal had grown.
const ROUNDS: u32 = 64;

impl Executor {
    /// Answers a request of any run, whoever drives it. Who drives it sees the answer within a second.
    ///
    /// A run that nobody drives is not taken up: [`Executor::resume`] does that.
    ///
    /// # Errors
    /// When the request is not open, the answer does not fit it, or the run cannot be rebuilt.
    pub async fn answer(
        &self,
        run: &RunId,
        request: RequestId,
        answer: Answer,
        by: PrincipalName,
    ) -> Result<(), ControlError> {
        let control = Control::Answer {
            request,
            answer,
            by,
        };
        tell(&self.shared, run, control).await
    }

    /// Decides about an attempt in doubt in any run, whoever drives it.
    ///
    /// # Errors
    /// When the step is not in doubt, or the run cannot be rebuilt.
    pub async fn decide(
        &self,
        run: &RunId,
        step: StepPath,
        decision: Decision,
        by: PrincipalName,
    ) -> Result<(), ControlError> {
        tell(&self.shared, run, Control::Decide { step, decision, by }).await
    }

    /// Asks any run to end, whoever drives it. A run that nobody drives ends when it is next taken up.
    ///
    /// # Errors
    /// When the run has ended, or the store failed.
    pub async fn cancel(
        &self,
        run: &RunId,
        by: PrincipalName,
        reason: impl Into<String> + Send,
    ) -> Result<(), ControlError> {
        let reason = reason.into();
        tell(&self.shared, run, Control::Cancel { by, reason }).await
    }
}

/// Tells it to the drive where that is here, and to the journal otherwise.
async fn tell(shared: &Shared, run: &RunId, control: Control) -> Result<(), ControlError> {
    if let Some(link) = shared.driven(run)
        && let Some(told) = link.control(control.clone()).await
    {
        return told;
    }
    self::control(shared, run, control).await
}

/// Appends it to a journal that somebody else may be writing.
pub(crate) async fn control(
    shared: &Shared,
    run: &RunId,
    control: Control,
) -> Result<(), ControlError> {
    for round in 0..ROUNDS {
        let (end, status, kind) = match &control {
            // needs nothing of the plan, so it works where plan and tools are gone
            Control::Cancel { by, reason } => {
                let (end, status) = head(&*shared.store, run).await?;
                let (by, reason) = (by.clone(), reason.clone());
                (end, status, EventKind::CancelRequested { by, reason })
            }
            Control::Answer { .. } | Control::Decide { .. } => {
                let loaded = load(shared, run).await?;
                let kind = control.event(&loaded.machine, shared.clock.now())?;
                (loaded.journal, loaded.status, kind)
            }
        };
        if status.is_finished() {
            return Err(ControlError::Finished { run: run.clone() });
        }
        let event = Event {
            at: shared.clock.now(),
            kind,
        };
        let update = HeadUpdate::new(status, event.at);
        let records = vec![Record::new(encode(&event))];
        match shared
            .store
            .append(run, end, Writer::External, update, records)
            .await
        {
            Ok(_) => return Ok(()),
            Err(StoreError::Sequence { .. }) => {
                let pause = Duration::from_millis(u64::from(round.min(20)));
                tokio::time::sleep(pause).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(ControlError::Contended { run: run.clone() })
}

async fn head(
    store: &dyn plan_store::Store,
    run: &RunId,
) -> Result<(Sequence, plan_run::RunStatus), StoreError> {
    let page = RunStore::read(store, run, Sequence::new(u64::MAX)).await?;
    Ok((page.end, page.head.status))
}
