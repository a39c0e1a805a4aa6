//! A run that this process drives.

use std::sync::{Arc, Mutex, PoisonError};

use plan_run::{Answer, Decision, PrincipalName, RequestId, RunId, RunRecord, StepPath};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use crate::drive::{Command, Control};
use crate::executor::Shared;
use crate::executor::load::read_run;
use crate::{ControlError, ExecError, LoadError, RunUpdate, Updates};

/// A run that is being driven, or was until it had to wait.
///
/// Clones share the run. Dropping every handle changes nothing: the run goes on
/// in its background task for as long as the runtime lives.
#[derive(Debug, Clone)]
pub struct RunHandle(Arc<Handle>);

#[derive(Debug)]
struct Handle {
    link: Link,
    shared: Arc<Shared>,
    outcome: watch::Receiver<Option<Outcome>>,
    first: Mutex<Option<broadcast::Receiver<RunUpdate>>>,
}

/// How a drive ended.
pub(crate) type Outcome = Result<Arc<RunRecord>, ExecError>;

/// The way to a drive. Holds nothing of it alive.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) run: RunId,
    pub(crate) commands: mpsc::UnboundedSender<Command>,
    pub(crate) updates: broadcast::WeakSender<RunUpdate>,
}

impl Link {
    /// Hands over something for the journal; `None` when the drive ended before it took it.
    pub(crate) async fn control(&self, control: Control) -> Option<Result<(), ControlError>> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(Command::Control(control, reply)).ok()?;
        answer.await.ok()
    }

    /// Asks the drive to stop.
    pub(crate) fn stop(&self) {
        // fails only when the drive has ended already
        let _ = self.commands.send(Command::Stop);
    }

    /// Asks for the record; `None` when the drive has ended.
    pub(crate) async fn record(&self) -> Option<RunRecord> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(Command::Record(reply)).ok()?;
        answer.await.ok()
    }
}

impl RunHandle {
    pub(crate) fn new(
        link: Link,
        shared: Arc<Shared>,
        outcome: watch::Receiver<Option<Outcome>>,
        first: broadcast::Receiver<RunUpdate>,
    ) -> Self {
        Self(Arc::new(Handle {
            link,
            shared,
            outcome,
            first: Mutex::new(Some(first)),
        }))
    }

    /// The run.
    pub fn id(&self) -> &RunId {
        &self.0.link.run
    }

    /// What happens in the run: journaled events, and what calls say about their progress.
    ///
    /// The first stream begins where the drive began, later ones at the present
    /// moment. Each ends with the drive, and none ever slows it.
    pub fn events(&self) -> Updates {
        let first = self
            .0
            .first
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let updates = first.unwrap_or_else(|| match self.0.link.updates.upgrade() {
            Some(updates) => updates.subscribe(),
            // a channel without a sender: a stream that has ended
            None => broadcast::channel(1).1,
        });
        Updates::new(updates)
    }

    /// Answers a request, on behalf of `by`.
    ///
    /// Once the drive has ended because everything waits, the answer is put into
    /// the journal all the same; [`Executor::resume`](crate::Executor::resume) then goes on with it.
    ///
    /// # Errors
    /// When the request is not open, the answer does not fit it, or the store failed.
    pub async fn answer(
        &self,
        request: RequestId,
        answer: Answer,
        by: PrincipalName,
    ) -> Result<(), ControlError> {
        self.control(Control::Answer {
            request,
            answer,
            by,
        })
        .await
    }

    /// Decides about an attempt in doubt, on behalf of `by`.
    ///
    /// # Errors
    /// When the step is not in doubt, or the store failed.
    pub async fn decide(
        &self,
        step: StepPath,
        decision: Decision,
        by: PrincipalName,
    ) -> Result<(), ControlError> {
        self.control(Control::Decide { step, decision, by }).await
    }

    /// Asks the run to end: nothing more starts, and work in flight is stopped.
    ///
    /// Returns once the wish is in the journal; [`RunHandle::wait`] returns once the run has ended.
    ///
    /// # Errors
    /// When the run has ended, or the store failed.
    pub async fn cancel(
        &self,
        by: PrincipalName,
        reason: impl Into<String>,
    ) -> Result<(), ControlError> {
        let reason = reason.into();
        self.control(Control::Cancel { by, reason }).await
    }

    async fn control(&self, control: Control) -> Result<(), ControlError> {
        match self.0.link.control(control.clone()).await {
            Some(told) => told,
            None => crate::executor::external::control(&self.0.shared, self.id(), control).await,
        }
    }

    /// Stops driving the run at once, without ending it: what is in flight is dropped, the claim given up.
    ///
    /// The run stays as its journal has it. Resumed, it asks about dropped calls
    /// that are not safe to repeat.
    pub async fn stop(&self) {
        self.0.link.stop();
        let _ = self.0.outcome.clone().wait_for(Option::is_some).await;
    }

    /// Waits until the run has ended, or until nothing in it can go on without an answer.
    ///
    /// A failed, cancelled or waiting run is a record too.
    ///
    /// # Errors
    /// When the drive ended before: the run was taken by another executor, the
    /// store failed, or the drive was stopped.
    pub async fn wait(&self) -> Result<RunRecord, ExecError> {
        let mut outcome = self.0.outcome.clone();
        let stopped = || ExecError::Stopped {
            run: self.id().clone(),
        };
        match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => match &*outcome {
                Some(Ok(record)) => Ok(RunRecord::clone(record)),
                Some(Err(error)) => Err(error.clone()),
                None => Err(stopped()),
            },
            // the task is gone with its runtime
            Err(_) => Err(stopped()),
        }
    }

    /// The record as the journal has it at this moment.
    ///
    /// # Errors
    /// When the drive has ended and the run cannot be read from its store.
    pub async fn record(&self) -> Result<RunRecord, LoadError> {
        if let Some(record) = self.0.link.record().await {
            return Ok(record);
        }
        read_run(&*self.0.shared.store, self.id()).await
    }
}
