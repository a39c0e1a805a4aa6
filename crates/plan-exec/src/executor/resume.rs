//! Taking up a run that is driven by nobody.

use std::sync::Arc;

use plan_run::{Event, Machine, Resumption, RunId, RunRecord, encode};
use plan_store::{CLAIM_TTL, Claim, Fence, HeadUpdate, Record, Writer};
use tokio::time::Instant;

use crate::RunHandle;
use crate::drive::{Departure, Origin, launch};
use crate::executor::load::{Loaded, load, read_run};
use crate::executor::{Executor, LoadError, ResumeError};

/// Under what understanding a run is taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[non_exhaustive]
pub enum Resume {
    /// A run that waits, or whose process died. A failed run is refused.
    #[default]
    Unfinished,
    /// A failed run too, because what made it fail was put right outside. Steps that
    /// did not succeed run again; refused where that would repeat a call whose effect is unknown.
    WorldFixed,
    /// As [`Resume::WorldFixed`], and calls whose effect is unknown may be repeated.
    WorldFixedRepeating,
}

impl Executor {
    /// The record of a run as its journal has it now, whoever drives it.
    ///
    /// Looks at the journal alone: it needs none of the run's tools, and the plan may be one
    /// that would be refused today.
    ///
    /// # Errors
    /// As [`read_run`](crate::read_run).
    pub async fn open(&self, run: &RunId) -> Result<RunRecord, LoadError> {
        if let Some(link) = self.shared.driven(run)
            && let Some(record) = link.record().await
        {
            return Ok(record);
        }
        read_run(&*self.shared.store, run).await
    }

    /// Takes up a run that waits, or whose process died, and drives it in the background.
    ///
    /// The plan is checked again under the present tools and policy, and must be
    /// granted exactly what the run was started with. Completed steps do not run
    /// again. Work that was in flight is repeated under its key where that is
    /// safe, and is in doubt otherwise.
    ///
    /// # Errors
    /// When another executor drives the run, the run has ended, or it cannot be rebuilt.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub async fn resume(&self, run: &RunId) -> Result<RunHandle, ResumeError> {
        self.resume_as(run, Resume::Unfinished).await
    }

    /// Takes up a run, also a failed one if `how` says so.
    ///
    /// # Errors
    /// As [`Executor::resume`]; [`ResumeError::MayRepeat`] where the caller's word is needed.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub async fn resume_as(&self, run: &RunId, how: Resume) -> Result<RunHandle, ResumeError> {
        let shared = &self.shared;
        let driven = || ResumeError::Driven {
            run: run.clone(),
            owner: shared.owner.clone(),
            until: shared.clock.now().plus(CLAIM_TTL),
        };
        let enlisted = shared.enlist(run).ok_or_else(driven)?;
        let claimed = Instant::now();
        // claimed before it is read, so that nobody else can drive it on meanwhile
        let fence = shared
            .store
            .claim(run, &shared.owner, Claim::Acquire)
            .await?;
        match self.rebuilt(run, how, fence).await {
            Ok((loaded, news)) => Ok(launch(Departure {
                shared: Arc::clone(shared),
                enlisted,
                facts: shared.facts(&loaded.machine),
                plan: loaded.plan,
                machine: loaded.machine,
                fence,
                claimed,
                end: loaded.journal,
                news,
                origin: Origin::Resumed,
            })),
            Err(error) => {
                let released = shared.store.claim(run, &shared.owner, Claim::Release).await;
                if let Err(error) = released {
                    tracing::warn!(%error, "the claim was not given up, and runs out by itself");
                }
                Err(error)
            }
        }
    }

    /// What taking up a failed run would run again, and what it would keep. Changes nothing.
    ///
    /// # Errors
    /// When the run is not a failed one, or cannot be rebuilt.
    pub async fn preview(&self, run: &RunId) -> Result<Resumption, ResumeError> {
        let loaded = load(&self.shared, run).await?;
        resumption(&loaded.machine)
    }

    async fn rebuilt(
        &self,
        run: &RunId,
        how: Resume,
        fence: Fence,
    ) -> Result<(Loaded, Vec<Event>), ResumeError> {
        let shared = &self.shared;
        let mut loaded = load(shared, run).await?;
        shared.equipped(&loaded.plan)?;
        let status = loaded.machine.status();
        if !status.is_finished() {
            return Ok((loaded, Vec::new()));
        }
        if how == Resume::Unfinished {
            return Err(ResumeError::Finished {
                run: run.clone(),
                status,
            });
        }
        let resumption = resumption(&loaded.machine)?;
        if how == Resume::WorldFixed && !resumption.may_repeat.is_empty() {
            return Err(ResumeError::MayRepeat {
                run: run.clone(),
                steps: resumption.may_repeat,
            });
        }
        let event = Event {
            at: shared.clock.now(),
            kind: resumption.event(),
        };
        loaded
            .machine
            .apply(&event)
            .map_err(|refused| LoadError::OutOfOrder {
                run: run.clone(),
                sequence: loaded.journal.plus(1),
                refused: Box::new(refused),
            })?;
        let update = HeadUpdate::new(loaded.machine.status(), event.at);
        let records = vec![Record::new(encode(&event))];
        loaded.journal = shared
            .store
            .append(run, loaded.journal, Writer::Fence(fence), update, records)
            .await?;
        Ok((loaded, vec![event]))
    }
}

fn resumption(machine: &Machine) -> Result<Resumption, ResumeError> {
    machine.resumption().map_err(|_| ResumeError::Finished {
        run: machine.run_id().clone(),
        status: machine.status(),
    })
}
