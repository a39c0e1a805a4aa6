//! One turn of a drive: what is known becomes events, the events go into the journal, and are performed.

use std::sync::Arc;

use plan_run::{Event, EventKind, Machine, Refused, RunId};

use crate::ExecError;
use crate::drive::Drive;
use crate::drive::agents::said_by;
use crate::drive::batch::Batch;
use crate::drive::journal::Appended;

impl Drive {
    /// Journals and performs everything that follows from what is known, until nothing does.
    pub(super) async fn turn(&mut self, mut recovering: bool) -> Result<(), ExecError> {
        loop {
            let mut batch = Batch::new(self.now());
            if recovering {
                self.propose(&mut batch, Machine::recover)?;
            }
            self.stage_agents(&mut batch)?;
            self.stage_results(&mut batch)?;
            self.stage_pending(&mut batch)?;
            let now = batch.at;
            while self.propose(&mut batch, |machine| machine.next(now))? {}
            if batch.is_empty() {
                return Ok(());
            }
            match self.journal.append(self.machine.status(), &batch).await? {
                Appended::Yes => {
                    recovering = false;
                    let events = batch.land();
                    for event in &events {
                        self.publisher.recorded(event);
                    }
                    self.perform(&events);
                }
                Appended::Behind => {
                    // what was staged and is not in the journal is decided again
                    let (settled, told, words) = batch.withdraw();
                    let newer = std::mem::replace(&mut self.results, settled);
                    self.results.extend(newer);
                    for told in told.into_iter().rev() {
                        self.pending.push_front(told);
                    }
                    for word in words.into_iter().rev() {
                        self.agents.pending.push_front(word);
                    }
                    recovering = self.rebuild(recovering).await?;
                }
            }
        }
    }

    /// Stages what `ask` proposes. Says whether it proposed anything.
    fn propose(
        &mut self,
        batch: &mut Batch,
        ask: impl FnOnce(&Machine) -> Vec<EventKind>,
    ) -> Result<bool, ExecError> {
        let proposals = ask(&self.machine);
        let any = !proposals.is_empty();
        for kind in proposals {
            batch
                .stage(&mut self.machine, kind)
                .map_err(|refused| refused_own(&self.facts.run, refused))?;
        }
        Ok(any)
    }

    fn stage_results(&mut self, batch: &mut Batch) -> Result<(), ExecError> {
        for settled in std::mem::take(&mut self.results) {
            let jitter = self.jitter.draw();
            settled
                .stage(&mut self.machine, batch, jitter)
                .map_err(|refused| refused_own(&self.facts.run, refused))?;
        }
        Ok(())
    }

    fn stage_pending(&mut self, batch: &mut Batch) -> Result<(), ExecError> {
        while let Some((control, reply)) = self.pending.pop_front() {
            match control.event(&self.machine, batch.at) {
                Ok(kind) => {
                    batch
                        .stage(&mut self.machine, kind)
                        .map_err(|refused| refused_own(&self.facts.run, refused))?;
                    batch.told.push((control, reply));
                }
                // whoever asked may have left
                Err(refused) => drop(reply.send(Err(refused))),
            }
        }
        Ok(())
    }

    /// Reads what other writers have appended.
    pub(super) async fn catch_up(&mut self) -> Result<(), ExecError> {
        let news = self.journal.tail().await?;
        let before = self.journal.end();
        for (at, event) in news.into_iter().enumerate() {
            if !is_told(&event.kind) {
                return Err(self.overtaken());
            }
            let sequence = before.plus(at + 1);
            self.machine
                .apply(&event)
                .map_err(|refused| self.journal.out_of_order(sequence, refused))?;
            self.journal.advance_to(sequence);
            self.publisher.recorded(&event);
            self.perform(&[event]);
        }
        Ok(())
    }

    /// Another driver has the run: what it does is not done here as well.
    fn overtaken(&self) -> ExecError {
        ExecError::Fenced {
            run: self.facts.run.clone(),
        }
    }

    /// Makes the machine anew from the whole journal, after an append that another writer's record had overtaken.
    ///
    /// Says whether what the process before had in flight is still to be looked at.
    async fn rebuild(&mut self, recovering: bool) -> Result<bool, ExecError> {
        let before = self.journal.end();
        let (machine, mut news, end) = self.journal.replay(&self.plan, before).await?;
        // so what is new are words from outside, and appends of this drive that seemed to fail
        self.journal.is_own(&self.shared.owner).await?;
        let resumed = |event: &Arc<Event>| matches!(event.kind, EventKind::RunResumed { .. });
        self.machine = machine;
        self.journal.advance_to(end);
        // the append that seemed to fail may have been taken all the same, with what was told in it
        let pending = std::mem::take(&mut self.pending);
        for (control, reply) in pending {
            if news.iter().any(|event| control.made(&event.kind)) {
                // whoever asked may have left
                drop(reply.send(Ok(())));
            } else {
                self.pending.push_back((control, reply));
            }
        }
        let words = std::mem::take(&mut self.agents.pending);
        for word in words {
            match news.iter().find(|event| word.made(&event.kind)) {
                // the agent may be gone
                Some(event) => drop(word.reply.send(said_by(&event.kind))),
                None => self.agents.pending.push_back(word),
            }
        }
        for event in &news {
            self.publisher.recorded(event);
        }
        let recovering = recovering && !news.iter().any(resumed);
        news.retain(|event| !matches!(event.kind, EventKind::AttemptStarted(_)));
        self.perform(&news);
        if !recovering {
            self.perform_orphans();
        }
        Ok(recovering)
    }
}

/// Whether an event comes from somebody who tells the run something, and does not drive it.
fn is_told(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::RequestAnswered(_)
            | EventKind::Decided { .. }
            | EventKind::CancelRequested { .. }
    )
}

/// An event that the machine proposed and then did not take.
pub(super) fn refused_own(run: &RunId, refused: Refused) -> ExecError {
    ExecError::Refused {
        run: run.clone(),
        refused: Box::new(refused),
    }
}
