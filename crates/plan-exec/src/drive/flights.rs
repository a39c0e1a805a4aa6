//! The attempts that are in flight.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use plan_run::{Effect, Failure, FailureClass, RetryAdvice, StepPath};
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio::time::Instant;

use crate::Cancellation;
use crate::drive::batch::Settled;
use crate::drive::outcome::{Judged, Reach};

/// The time beyond its limit and its grace after which a call that does not even yield is given up.
const BEYOND: Duration = Duration::from_secs(1);

/// What the tasks of all attempts have in common.
#[derive(Debug)]
pub(crate) struct Flights {
    grace: Duration,
    tasks: JoinSet<(u64, Judged)>,
    aloft: BTreeMap<u64, Flight>,
    overdue: BTreeSet<(Instant, u64)>,
    number: u64,
    stopping: bool,
}

#[derive(Debug)]
struct Flight {
    step: StepPath,
    attempt: u32,
    reach: Reach,
    cancellation: Cancellation,
    task: AbortHandle,
    give_up: Option<Instant>,
    /// It was told to end.
    stopped: bool,
}

/// What one attempt is, beside its call.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(crate) step: StepPath,
    pub(crate) attempt: u32,
    pub(crate) reach: Reach,
    pub(crate) limit: Option<Duration>,
    pub(crate) cancellation: Cancellation,
}

impl Flights {
    pub(crate) fn new(grace: Duration) -> Self {
        Self {
            grace,
            tasks: JoinSet::new(),
            aloft: BTreeMap::new(),
            overdue: BTreeSet::new(),
            number: 0,
            stopping: false,
        }
    }

    /// Starts the task of an attempt.
    pub(crate) fn depart<F>(&mut self, ticket: Ticket, call: F)
    where
        F: Future<Output = Judged> + Send + 'static,
    {
        let Ticket {
            step,
            attempt,
            reach,
            limit,
            cancellation,
        } = ticket;
        self.number += 1;
        let number = self.number;
        let task = self.tasks.spawn(async move { (number, call.await) });
        let give_up = limit.and_then(|limit| {
            let span = limit.checked_add(self.grace)?.checked_add(BEYOND)?;
            Instant::now().checked_add(span)
        });
        self.overdue.extend(give_up.map(|at| (at, number)));
        let flight = Flight {
            step,
            attempt,
            reach,
            cancellation,
            task,
            give_up,
            stopped: false,
        };
        self.aloft.insert(number, flight);
    }

    /// Whether nothing is in flight.
    pub(crate) fn is_empty(&self) -> bool {
        self.aloft.is_empty()
    }

    /// Whether this attempt is in flight.
    pub(crate) fn has(&self, step: &StepPath, attempt: u32) -> bool {
        self.aloft
            .values()
            .any(|flight| flight.attempt == attempt && flight.step == *step)
    }

    /// Waits for an attempt to end; `None` when none is in flight.
    pub(crate) async fn land(&mut self) -> Option<Vec<Settled>> {
        let landed = self.tasks.join_next().await?;
        Some(self.landed(landed))
    }

    /// What has ended already.
    pub(crate) fn try_land(&mut self) -> Option<Vec<Settled>> {
        let landed = self.tasks.try_join_next()?;
        Some(self.landed(landed))
    }

    fn landed(&mut self, landed: Result<(u64, Judged), JoinError>) -> Vec<Settled> {
        let (
            number,
            Judged {
                result,
                late,
                usage,
            },
        ) = match landed {
            Ok(landed) => landed,
            // the task itself fell: nothing of the call's own can make it do so
            Err(error) => match self.number_of(&error) {
                Some(number) => {
                    let reach = self.aloft.get(&number).map(|flight| flight.reach);
                    let failure = Failure::new(
                        FailureClass::Panicked,
                        "the call panicked while it was dropped",
                    )
                    .with_retry(RetryAdvice::Never)
                    .with_effect(reach.map_or(Effect::Unknown, Reach::unknown));
                    (
                        number,
                        Judged {
                            result: Err(Box::new(failure)),
                            late: None,
                            usage: None,
                        },
                    )
                }
                None => return Vec::new(),
            },
        };
        let Some(flight) = self.remove(number) else {
            return Vec::new();
        };
        let Flight { step, attempt, .. } = flight;
        let mut settled = Vec::with_capacity(1);
        match late {
            None => settled.push(Settled::new(step, attempt, result).with_usage(usage)),
            Some(late) => {
                let timed_out = Settled::new(step.clone(), attempt, result);
                settled.push(timed_out.with_usage(usage));
                settled.push(Settled::new(step, attempt, late));
            }
        }
        settled
    }

    fn number_of(&self, error: &JoinError) -> Option<u64> {
        let id = error.id();
        let found = self.aloft.iter().find(|(_, flight)| flight.task.id() == id);
        found.map(|(number, _)| *number)
    }

    fn remove(&mut self, number: u64) -> Option<Flight> {
        let flight = self.aloft.remove(&number)?;
        if let Some(at) = flight.give_up {
            self.overdue.remove(&(at, number));
        }
        Some(flight)
    }

    /// When the next attempt has to be given up.
    pub(crate) fn next_overdue(&self) -> Option<Instant> {
        self.overdue.first().map(|(at, _)| *at)
    }

    /// Gives up the attempts that did not end when told: they block their thread, and nothing can stop them.
    pub(crate) fn give_up(&mut self) -> Vec<Settled> {
        let now = Instant::now();
        let mut settled = Vec::new();
        while let Some((at, number)) = self.overdue.first().copied() {
            if at > now {
                break;
            }
            self.overdue.remove(&(at, number));
            let Some(flight) = self.aloft.remove(&number) else {
                continue;
            };
            flight.task.abort();
            let (class, retry) = if flight.stopped {
                (FailureClass::Cancelled, RetryAdvice::Never)
            } else {
                (FailureClass::Timeout, RetryAdvice::Later)
            };
            let message =
                "the call did not end, and goes on out of reach because it blocks its thread";
            let failure = Failure::new(class, message)
                .with_retry(retry)
                .with_effect(flight.reach.unknown());
            settled.push(Settled::new(
                flight.step,
                flight.attempt,
                Err(Box::new(failure)),
            ));
        }
        settled
    }

    /// Tells everything in flight to end.
    pub(crate) fn stop(&mut self) {
        if !std::mem::replace(&mut self.stopping, true) {
            self.tell_to_end(|_| true);
        }
    }

    /// Tells everything to end that is in flight for an item of a fan-out.
    pub(crate) fn stop_within(&mut self, owner: &StepPath) {
        self.tell_to_end(|step| step.is_inside(owner));
    }

    fn tell_to_end(&mut self, which: impl Fn(&StepPath) -> bool) {
        let give_up = Instant::now() + self.grace + BEYOND;
        for (number, flight) in &mut self.aloft {
            if flight.stopped || !which(&flight.step) {
                continue;
            }
            flight.stopped = true;
            flight.cancellation.cancel();
            if let Some(at) = flight.give_up.replace(give_up) {
                self.overdue.remove(&(at, *number));
            }
            self.overdue.insert((give_up, *number));
        }
    }

    /// Drops everything in flight.
    pub(crate) fn abort(&mut self) {
        self.tasks.abort_all();
        for flight in self.aloft.values() {
            flight.cancellation.cancel();
        }
        self.aloft.clear();
        self.overdue.clear();
    }
}
