//! Driving one run: propose, journal, perform, feed back.
//!
//! One turn: results of calls and words from outside become events, the machine
//! proposes what follows from them, and all of it goes into the journal as one
//! append. Only then is anything performed or shown. The machine runs ahead of
//! the journal within a turn; when the append meets a record of another writer,
//! the machine is rebuilt from the journal and the turn is taken again.

mod agent_call;
mod agents;
mod asks;
mod batch;
mod code_call;
mod command;
mod dispatch;
mod flight;
mod flights;
mod jitter;
mod journal;
mod keeper;
mod lending;
mod model_error;
mod outcome;
mod path_arguments;
mod perform;
mod prompt_call;
pub(crate) mod redact;
mod tool_call;
mod turn;
mod turns;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use plan_model::Timestamp;
use plan_run::{
    Effect, Ending, Event, Failure, FailureClass, Machine, Request, RetryAdvice, RunId, RunRecord,
    RunStatus, StepPath,
};
use plan_store::{Fence, Sequence};
use plan_validate::ValidatedPlan;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::Instant;
use tracing::Instrument;

use crate::context::RunFacts;
use crate::executor::{Enlisted, Shared, WhenWaiting};
use crate::handle::{Link, Outcome};
use crate::publisher::Publisher;
use crate::update::UPDATES;
use crate::{ControlError, ExecError, ObservedRun, RunHandle, spans};

use agents::Agents;
use asks::Asks;
use batch::Settled;
use flights::Flights;
use jitter::Jitter;
use journal::Journal;
use keeper::Keeper;
use lending::Lending;

use command::Told;

pub(crate) use agents::{AgentWord, What};
pub(crate) use command::{Command, Control};
pub(crate) use flight::fly;
pub(crate) use lending::{Lent, part_of};
pub(crate) use model_error::{cut as cut_answer, tool_error as model_tool_error};
pub(crate) use outcome::{Reach, Returned, judge, redact, take_apart, within};
pub(crate) use path_arguments::PathArguments;
pub(crate) use redact::Redactor;
pub(crate) use turns::Turns;

/// How often the tail of the journal is read for records of other writers.
const TAIL_EVERY: Duration = Duration::from_secs(1);

/// A run that is about to be driven: claimed, and rebuilt to the end of its journal.
#[derive(Debug)]
pub(crate) struct Departure {
    pub(crate) shared: Arc<Shared>,
    pub(crate) enlisted: Enlisted,
    pub(crate) plan: ValidatedPlan,
    pub(crate) machine: Machine,
    pub(crate) facts: RunFacts,
    pub(crate) fence: Fence,
    /// When it was claimed, at the latest.
    pub(crate) claimed: Instant,
    pub(crate) end: Sequence,
    /// What the first watcher should see of what is in the journal already.
    pub(crate) news: Vec<Event>,
    /// Whether others drove the run before.
    pub(crate) origin: Origin,
}

/// Whether a drive begins a run or takes one up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The run was just created.
    Started,
    /// The run was driven before, perhaps by a process that died.
    Resumed,
}

/// Begins to drive a run in a background task.
pub(crate) fn launch(departure: Departure) -> RunHandle {
    let run = departure.facts.run.clone();
    let (updates, first) = broadcast::channel(UPDATES);
    let (commands, inbox) = mpsc::unbounded_channel();
    let (done, outcome) = watch::channel(None);
    let link = Link {
        run: run.clone(),
        commands,
        updates: updates.downgrade(),
    };
    let shared = Arc::clone(&departure.shared);
    let span = spans::run(&run, &departure.plan.plan().name);
    let observed = ObservedRun::from(departure.machine.created());
    let publisher = Publisher::new(updates, observed, Arc::clone(&shared.observers));
    let (drive, enlisted) = Drive::new(departure, inbox, publisher);
    enlisted.link(link.clone());
    let driven = finish(drive, enlisted, done, span.clone());
    tokio::spawn(driven.instrument(span));
    RunHandle::new(link, shared, outcome, first)
}

async fn finish(
    mut drive: Drive,
    enlisted: Enlisted,
    done: watch::Sender<Option<Outcome>>,
    span: tracing::Span,
) {
    let outcome = drive.run().await;
    drive.land(&outcome).await;
    drop(enlisted);
    spans::run_ended(&span, outcome.as_ref());
    let seen = outcome.as_ref().map(RunRecord::status);
    drive.end(&seen.map_err(ExecError::clone));
    let outcome = outcome.map(Arc::new);
    if let Err(error) = &outcome {
        tracing::error!(%error, "the drive ended early");
    }
    // nobody may be waiting
    let _ = done.send(Some(outcome));
}

/// The drive of one run.
struct Drive {
    shared: Arc<Shared>,
    plan: ValidatedPlan,
    machine: Machine,
    facts: Arc<RunFacts>,
    origin: Origin,
    journal: Journal,
    keeper: Keeper,
    flights: Flights,
    asks: Asks,
    agents: Agents,
    lending: Lending,
    jitter: Jitter,
    /// What calls came to, not journaled yet.
    results: Vec<Settled>,
    /// What was said from outside, not journaled yet.
    pending: VecDeque<Told>,
    inbox: mpsc::UnboundedReceiver<Command>,
    publisher: Publisher,
    next_tail: Instant,
    stopped: bool,
}

impl Drive {
    fn new(
        departure: Departure,
        inbox: mpsc::UnboundedReceiver<Command>,
        publisher: Publisher,
    ) -> (Self, Enlisted) {
        let Departure {
            shared,
            enlisted,
            plan,
            machine,
            facts,
            fence,
            claimed,
            end,
            news,
            origin,
        } = departure;
        let drive = Self {
            keeper: Keeper::start(&shared, facts.run.clone(), claimed),
            journal: Journal::new(Arc::clone(&shared.store), facts.run.clone(), fence, end),
            flights: Flights::new(shared.grace),
            asks: Asks::default(),
            agents: Agents::new(),
            lending: Lending::new(&plan, &shared.tools),
            jitter: Jitter::new(),
            results: Vec::new(),
            pending: VecDeque::new(),
            inbox,
            publisher,
            next_tail: Instant::now() + TAIL_EVERY,
            stopped: false,
            facts: Arc::new(facts),
            shared,
            plan,
            machine,
            origin,
        };
        for event in news {
            drive.publisher.recorded(&Arc::new(event));
        }
        (drive, enlisted)
    }

    fn id(&self) -> &RunId {
        &self.facts.run
    }

    fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// Drives until the run has ended or has to wait.
    async fn run(&mut self) -> Result<RunRecord, ExecError> {
        self.recall().await;
        if self.origin == Origin::Resumed {
            for request in self.open_requests() {
                self.ask(request);
            }
        }
        let mut recovering = self.origin == Origin::Resumed;
        loop {
            self.turn(std::mem::take(&mut recovering)).await?;
            let waits = match self.machine.status() {
                RunStatus::Succeeded | RunStatus::Failed | RunStatus::Cancelled => true,
                RunStatus::Waiting => {
                    self.shared.when_waiting == WhenWaiting::Leave
                        && self.flights.is_empty()
                        && self.asks.is_empty()
                }
                RunStatus::Running => false,
            };
            if waits {
                return Ok(self.machine.record());
            }
            self.wait().await?;
            if self.stopped {
                return Err(ExecError::Stopped {
                    run: self.id().clone(),
                });
            }
        }
    }

    /// Learns again which secrets the run, or the one that it is a fork of, was lent before.
    async fn recall(&mut self) {
        if self.lending.is_idle() {
            return;
        }
        let record = self.machine.record();
        let tried = record.all_steps().into_iter();
        let tried = tried.filter(|(_, step)| !step.attempts.is_empty());
        let source = self.shared.secrets.clone();
        let steps = tried.map(|(path, _)| path.step().clone());
        self.lending.recall(source, steps).await;
    }

    /// Waits for anything to happen, and takes in all that has.
    async fn wait(&mut self) -> Result<(), ExecError> {
        let due = self.machine.due().map(|due| {
            // at least a moment, should the clock and the timers disagree
            due.since(self.now()).max(Duration::from_millis(1))
        });
        let due = async {
            match due {
                Some(span) => tokio::time::sleep(span).await,
                None => std::future::pending().await,
            }
        };
        let overdue = self.flights.next_overdue();
        let overdue = async {
            match overdue {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let tail = async {
            tokio::select! {
                () = self.journal.changed() => {}
                () = tokio::time::sleep_until(self.next_tail) => {}
            }
        };
        let mut read_tail = false;
        tokio::select! {
            biased;
            Some(landed) = self.flights.land() => self.results.extend(landed),
            Some(command) = self.inbox.recv() => self.take(command),
            () = self.agents.listen() => {}
            Some(fetched) = self.lending.next() => self.lent(fetched),
            Some(answer) = self.asks.next() => self.pending.extend(answer),
            error = self.keeper.lost() => return Err(error),
            () = due => {}
            () = overdue => self.results.extend(self.flights.give_up()),
            () = tail => read_tail = true,
        }
        while let Some(landed) = self.flights.try_land() {
            self.results.extend(landed);
        }
        self.agents.try_listen();
        while let Ok(command) = self.inbox.try_recv() {
            self.take(command);
        }
        if read_tail {
            self.next_tail = Instant::now() + TAIL_EVERY;
            self.catch_up().await?;
        }
        Ok(())
    }

    fn open_requests(&self) -> Vec<Request> {
        self.machine.requests().into_iter().cloned().collect()
    }

    fn take(&mut self, command: Command) {
        match command {
            Command::Control(control, reply) => self.pending.push_back((control, reply)),
            // INVARIANT: commands are taken between turns, when the machine is where the journal is
            Command::Record(reply) => drop(reply.send(self.machine.record())),
            Command::Stop => self.stopped = true,
        }
    }

    /// Ends everything that is in flight once the machine says that the run is ending.
    fn heed_ending(&mut self) {
        if self.machine.ending() == Some(Ending::Abort) {
            self.flights.stop();
            let unmade = self.lending.stop();
            self.unmade(unmade);
        }
        if self.machine.ending().is_some() {
            self.asks.clear();
        }
    }

    /// Ends what is in flight for the items of a fan-out whose time is up.
    fn stop_within(&mut self, owner: &StepPath) {
        self.flights.stop_within(owner);
        let unmade = self.lending.stop_within(owner);
        self.unmade(unmade);
    }

    /// Settles attempts whose call was not made.
    fn unmade(&mut self, attempts: impl IntoIterator<Item = (StepPath, u32)>) {
        for (step, attempt) in attempts {
            let failure = Failure::new(FailureClass::Cancelled, "the call was not made")
                .with_retry(RetryAdvice::Never)
                .with_effect(Effect::None);
            self.results
                .push(Settled::new(step, attempt, Err(Box::new(failure))));
        }
    }

    /// Lets go of everything, and shows to whoever looks that it has ended.
    fn end(self, outcome: &Result<RunStatus, ExecError>) {
        let Self { publisher, .. } = self;
        publisher.end(outcome);
    }

    /// Gives up the claim, unless somebody else has it.
    async fn land(&mut self, outcome: &Result<RunRecord, ExecError>) {
        self.flights.abort();
        self.asks.clear();
        self.keeper.stop();
        for (_, reply) in self.pending.drain(..) {
            let ended = ControlError::DriveEnded {
                run: self.facts.run.clone(),
            };
            drop(reply.send(Err(ended)));
        }
        if !matches!(outcome, Err(ExecError::Fenced { .. })) {
            let release = plan_store::Claim::Release;
            let released = self
                .shared
                .store
                .claim(&self.facts.run, &self.shared.owner, release)
                .await;
            if let Err(error) = released {
                tracing::warn!(%error, "the claim was not given up, and runs out by itself");
            }
        }
    }
}
