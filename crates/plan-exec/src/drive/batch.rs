//! The events of one turn, on their way into the journal together.

use std::sync::Arc;

use plan_model::Timestamp;
use plan_run::event::{AttemptOutcome, LateResult};
use plan_run::{Event, EventKind, Machine, ModelUsage, Refused, StepPath, encode};
use plan_store::Record;

use crate::drive::agents::{AgentWord, Heard};
use crate::drive::command::Told;
use crate::drive::outcome::Verdict;

/// Events that the machine has taken and the journal has not.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The time of all of them.
    pub(crate) at: Timestamp,
    events: Vec<Arc<Event>>,
    /// Which of the events tell how a call ended.
    settled: Vec<usize>,
    /// Whom to tell once the events are in the journal.
    pub(crate) told: Vec<Told>,
    /// What is said to agents once the events are in the journal.
    pub(crate) heard: Vec<Heard>,
}

impl Batch {
    pub(crate) fn new(at: Timestamp) -> Self {
        Self {
            at,
            events: Vec::new(),
            settled: Vec::new(),
            told: Vec::new(),
            heard: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Lets the machine take one event, and keeps it for the journal.
    pub(crate) fn stage(&mut self, machine: &mut Machine, kind: EventKind) -> Result<(), Refused> {
        let event = Event { at: self.at, kind };
        machine.apply(&event)?;
        self.events.push(Arc::new(event));
        Ok(())
    }

    fn stage_settled(
        &mut self,
        machine: &mut Machine,
        kinds: Vec<EventKind>,
    ) -> Result<(), Refused> {
        for kind in kinds {
            self.settled.push(self.events.len());
            self.stage(machine, kind)?;
        }
        Ok(())
    }

    /// The events as a journal keeps them.
    pub(crate) fn records(&self) -> Vec<Record> {
        self.events
            .iter()
            .map(|event| Record::new(encode(event)))
            .collect()
    }

    /// The events, once they are in the journal; whoever waits for that is told.
    pub(crate) fn land(self) -> Vec<Arc<Event>> {
        for (_, reply) in self.told {
            // whoever asked may have left
            drop(reply.send(Ok(())));
        }
        for (word, said) in self.heard {
            // the agent may be gone
            drop(word.reply.send(said));
        }
        self.events
    }

    /// What has to be staged again, because the journal did not take the batch.
    pub(crate) fn withdraw(self) -> (Vec<Settled>, Vec<Told>, Vec<AgentWord>) {
        let settled = self
            .settled
            .iter()
            .filter_map(|at| self.events.get(*at))
            .filter_map(|event| Settled::again(&event.kind))
            .collect();
        let words = self.heard.into_iter().map(|(word, _)| word).collect();
        (settled, self.told, words)
    }
}

/// How an attempt came out, on its way to the machine.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) step: StepPath,
    pub(crate) attempt: u32,
    pub(crate) result: Settlement,
    /// What models counted for it, not journaled yet.
    pub(crate) usage: Option<ModelUsage>,
}

/// What is known of how an attempt came out.
#[derive(Debug)]
pub(crate) enum Settlement {
    /// What the call came to.
    Fresh(Verdict),
    /// What the machine had made of it in a batch that the journal seemed not to take.
    Again(AttemptOutcome),
    /// A result of an attempt that had ended before, in such a batch.
    Late(LateResult),
    /// The answer of a model, by its number among those to the attempt, in such a batch.
    Answered(u32, ModelUsage),
}

impl Settled {
    pub(crate) fn new(step: StepPath, attempt: u32, result: Verdict) -> Self {
        Self {
            step,
            attempt,
            result: Settlement::Fresh(result),
            usage: None,
        }
    }

    /// With what models counted for it.
    pub(crate) fn with_usage(mut self, usage: Option<ModelUsage>) -> Self {
        self.usage = usage;
        self
    }

    /// Whether it tells of this attempt.
    pub(crate) fn is_of(&self, step: &StepPath, attempt: u32) -> bool {
        self.attempt == attempt && self.step == *step
    }

    /// What an event that did not reach the journal said about an attempt.
    fn again(kind: &EventKind) -> Option<Self> {
        let (step, attempt, result) = match kind {
            EventKind::AttemptEnded {
                step,
                attempt,
                outcome,
            } => (step, attempt, Settlement::Again(outcome.clone())),
            EventKind::LateResult {
                step,
                attempt,
                result,
            } => (step, attempt, Settlement::Late(result.clone())),
            EventKind::ModelAnswered {
                step,
                attempt,
                answer,
                usage,
            } => (step, attempt, Settlement::Answered(*answer, *usage)),
            _ => return None,
        };
        Some(Self {
            step: step.clone(),
            attempt: *attempt,
            result,
            usage: None,
        })
    }

    /// Lets the machine settle the attempt, and stages what follows.
    pub(crate) fn stage(
        self,
        machine: &mut Machine,
        batch: &mut Batch,
        jitter: f64,
    ) -> Result<(), Refused> {
        let Self {
            step,
            attempt,
            result,
            usage,
        } = self;
        if let Some(usage) = usage {
            let kinds = machine.answered(&step, attempt, usage);
            batch.stage_settled(machine, kinds.into_iter().collect())?;
        }
        let verdict = match result {
            Settlement::Fresh(verdict) => verdict,
            Settlement::Late(result) => {
                let kinds = vec![EventKind::LateResult {
                    step,
                    attempt,
                    result,
                }];
                return batch.stage_settled(machine, kinds);
            }
            Settlement::Answered(answer, usage) => {
                // the append that seemed to fail had not: the journal has it
                let is_new = machine.answers(&step, attempt) < answer;
                let kinds = is_new.then(|| machine.answered(&step, attempt, usage));
                return batch.stage_settled(machine, kinds.flatten().into_iter().collect());
            }
            // and so it may have the end of the attempt
            Settlement::Again(_) if !machine.is_under_way(&step, attempt) => {
                return Ok(());
            }
            Settlement::Again(outcome) => match outcome {
                AttemptOutcome::Succeeded(_) | AttemptOutcome::Interrupted => {
                    let kinds = vec![EventKind::AttemptEnded {
                        step,
                        attempt,
                        outcome,
                    }];
                    return batch.stage_settled(machine, kinds);
                }
                // whether another attempt follows may be another matter now
                AttemptOutcome::Failed(failure)
                | AttemptOutcome::Retrying(failure)
                | AttemptOutcome::Cancelled(failure) => Err(failure),
            },
        };
        let result = verdict.map_err(|failure| *failure);
        let kinds = machine.settle(&step, attempt, result, batch.at, jitter);
        batch.stage_settled(machine, kinds)
    }
}
