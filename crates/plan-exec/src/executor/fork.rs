//! Going on from the end of a run, as another run.

use std::sync::Arc;

use plan_model::StepId;
use plan_run::event::{RunCreated, Trigger};
use plan_run::{Event, Fork, Machine, NewRun, RunId, encode};
use plan_store::{Claim, JournalPage, Record, RunHead};
use tokio::time::Instant;

use crate::drive::{Departure, Origin, launch};
use crate::executor::load::{Loaded, load_page};
use crate::executor::start::{created, head};
use crate::executor::{Executor, ForkError, StartError};
use crate::{RunHandle, RunRequest, new_run_id};

impl Executor {
    /// Starts a new run that keeps the results of one that has ended, and starts anew from these steps.
    ///
    /// The run before stays as it is. What it had come to stands in the journal of the new one, which needs the
    /// other no more. The new run has the same plan and inputs, is on behalf of the same principal with the same
    /// labels, and has budgets of its own. Calls are made under keys of their own, and an approval
    /// that the policy asks for is asked for again. Its scratch folder is its own and empty.
    ///
    /// # Errors
    /// When the run has not ended, a step is unknown, or the plan would now be granted something else.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub async fn fork(
        &self,
        run: &RunId,
        from: impl IntoIterator<Item = StepId> + Send,
    ) -> Result<RunHandle, ForkError> {
        self.fork_as(run, from, RunRequest::default()).await
    }

    /// As [`Executor::fork`], and says more about the new run: its id, principal, labels, sources and deadline, where
    /// they are to be others. Inputs of the request are refused: kept results were made of those of the run before.
    ///
    /// # Errors
    /// As [`Executor::fork`], and when the chosen run id is taken or there are inputs.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub async fn fork_as(
        &self,
        run: &RunId,
        from: impl IntoIterator<Item = StepId> + Send,
        request: RunRequest,
    ) -> Result<RunHandle, ForkError> {
        let from: Vec<StepId> = from.into_iter().collect();
        if request.inputs != crate::Inputs::none() {
            return Err(ForkError::Inputs { run: run.clone() });
        }
        let shared = &self.shared;
        let (page, before) = load_page(shared, run).await?;
        shared.equipped(&before.plan)?;
        let fork = before.fork(run, &from)?;
        let now = shared.clock.now();
        let new = renewed(before.machine.created(), request, now);
        let run = new.run.clone();
        let created = created(&before.plan, new).await.map_err(StartError::from)?;
        let created = Event {
            at: now,
            kind: created,
        };
        let forked = Event {
            at: now,
            kind: fork.event(),
        };
        let machine = before.followed(&page, &created, &forked)?;
        let taken = || StartError::AlreadyExists { run: run.clone() };
        let enlisted = shared.enlist(&run).ok_or_else(taken)?;
        let head: RunHead = head(&before.plan, machine.created(), &created);
        let end = shared
            .store
            .create(&head, records(page, &created, &forked))
            .await
            .map_err(StartError::from)?;
        let claimed = Instant::now();
        let fence = shared
            .store
            .claim(&run, &shared.owner, Claim::Acquire)
            .await
            .map_err(|error| StartError::Undriven { run, error })?;
        Ok(launch(Departure {
            shared: Arc::clone(shared),
            enlisted,
            facts: shared.facts(&machine),
            plan: before.plan,
            machine,
            fence,
            claimed,
            end,
            news: vec![created, forked],
            origin: Origin::Started,
        }))
    }

    /// What a fork of a run would run again, and what it would keep. Changes nothing.
    ///
    /// # Errors
    /// When the run has not ended, a step is unknown, or the run cannot be rebuilt.
    pub async fn preview_fork(
        &self,
        run: &RunId,
        from: impl IntoIterator<Item = StepId> + Send,
    ) -> Result<Fork, ForkError> {
        let from: Vec<StepId> = from.into_iter().collect();
        let (_, before) = load_page(&self.shared, run).await?;
        before.fork(run, &from)
    }
}

impl Loaded {
    fn fork(&self, run: &RunId, from: &[StepId]) -> Result<Fork, ForkError> {
        self.machine
            .fork(from)
            .map_err(|refused| ForkError::Refused {
                run: run.clone(),
                refused,
            })
    }

    /// The machine of a run that was just created, after all that this one did.
    fn followed(
        &self,
        page: &JournalPage,
        created: &Event,
        forked: &Event,
    ) -> Result<Machine, ForkError> {
        let begun = Machine::new(self.plan.clone(), created);
        let run = self.machine.run_id();
        let mut machine = crate::executor::load::follow(begun, page, run)?;
        machine
            .apply(forked)
            .map_err(|refused| crate::LoadError::OutOfOrder {
                run: run.clone(),
                sequence: self.journal.plus(1),
                refused: Box::new(refused),
            })?;
        Ok(machine)
    }
}

/// The journal of a fork: its creation, what the run before did, and where it goes its own way.
fn records(page: JournalPage, created: &Event, forked: &Event) -> Vec<Record> {
    let first = Record::new(encode(created));
    let before = page.records.into_iter().skip(1);
    let last = Record::new(encode(forked));
    std::iter::once(first).chain(before).chain([last]).collect()
}

/// A run like the one before, but for what is asked for.
fn renewed(before: &RunCreated, request: RunRequest, now: plan_model::Timestamp) -> NewRun {
    let run = request.run_id.unwrap_or_else(|| new_run_id(now));
    let mut new = NewRun::new(run, (*before.inputs).clone());
    new.principal = request.principal.or_else(|| before.principal.clone());
    new.tags = before.tags.clone();
    new.tags.extend(request.tags);
    new.sources = before.sources.clone();
    new.sources.extend(request.sources);
    new.trigger = Trigger::Fork;
    new.deadline = request.deadline.map(|deadline| now.plus(deadline));
    new
}
