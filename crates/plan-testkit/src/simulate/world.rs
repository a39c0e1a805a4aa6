//! The world: time, processes, calls, people.

use std::collections::BTreeMap;
use std::time::Duration;

use plan_model::Timestamp;
use plan_run::{Event, Machine, NewRun, RunId, decode, encode};

use super::act::{Act, Queue, Reads};
use super::agents::AgentsCall;
use super::batch::Settled;
use super::claims::{Claims, TTL};
use super::driver::{Driver, Fate};
use super::effects::{Performed, draw};
use super::journal::Journal;
use super::simulated::{Run, Word};
use super::trace::Trace;
use super::{Broken, Invariant, Simulation, values};
use crate::generate::Random;

/// Deaths of processes in one run.
const DEATHS: u32 = 8;
/// Events of a run for each step, after which it goes in circles.
const EVENTS: usize = 400;

/// One run of one plan.
pub(crate) struct World<'s> {
    pub(crate) sim: &'s Simulation,
    pub(crate) now: Timestamp,
    /// The scheduler's numbers: they decide about order and time, never about results.
    pub(crate) random: Random,
    pub(crate) queue: Queue,
    pub(crate) journal: Journal,
    pub(crate) claims: Claims,
    pub(crate) drivers: BTreeMap<u64, Driver>,
    pub(crate) performed: Vec<Performed>,
    pub(crate) agents_calls: Vec<AgentsCall>,
    pub(crate) words: Vec<Word>,
    pub(crate) broken: Vec<Broken>,
    pub(crate) trace: Trace,
    pub(crate) is_stuck: bool,
    lives: u64,
    deaths: u32,
}

impl<'s> World<'s> {
    pub(crate) fn new(sim: &'s Simulation) -> Self {
        let mut random = draw(sim.seed, &["order"], 0);
        let other = random.bits() ^ sim.order.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let now = Timestamp::from_millis(0);
        let Ok(run) = RunId::new("simulated") else {
            unreachable!("a name of letters")
        };
        let inputs = sim.inputs.clone().unwrap_or_else(|| {
            let mut random = draw(sim.seed, &["inputs"], 0);
            let inputs = sim.plan.plan().inputs.iter();
            let inputs = inputs.filter(|input| input.required && input.default.is_none());
            let made = inputs.map(|input| {
                let value = values::of_type(input.value_type, input.schema.as_ref(), &mut random);
                (input.name.to_string(), value)
            });
            made.collect()
        });
        let mut new = NewRun::new(run, inputs);
        new.deadline = sim.deadline;
        let kind = match Machine::create(&sim.plan, new) {
            Ok(kind) => kind,
            Err(refused) => panic!("the plan cannot be simulated: {refused}: {refused:?}"),
        };
        let first = Event { at: now, kind };
        let machine = match Machine::new(sim.plan.clone(), &first) {
            Ok(machine) => machine,
            Err(refused) => panic!("the machine refuses its own creation: {refused}"),
        };
        Self {
            sim,
            now,
            random: Random::new(other),
            queue: Queue::default(),
            journal: Journal::new(machine, first),
            claims: Claims::default(),
            drivers: BTreeMap::new(),
            performed: Vec::new(),
            agents_calls: Vec::new(),
            words: Vec::new(),
            broken: Vec::new(),
            trace: Trace::new(sim.is_traced),
            is_stuck: false,
            lives: 0,
            deaths: 0,
        }
    }

    /// Lets everything happen.
    pub(crate) fn run(mut self) -> Run {
        if self.random.chance(self.sim.chances.cancels) {
            let at = self.soon(20_000);
            self.add(at, Act::Says(super::act::Said::Cancels));
        }
        self.take_up();
        let most = EVENTS * (self.sim.plan.plan().steps.len() + 10);
        while let Some((at, act)) = self.queue.pop() {
            if self.journal.end() > most || self.queue.added() > 20 * most as u64 {
                self.is_stuck = true;
                break;
            }
            self.now = self.now.max(at);
            self.happens(act);
        }
        Run {
            record: self.journal.machine.record(),
            journal: self.journal.entries,
            effects: self.performed,
            agents_calls: self.agents_calls,
            words: self.words,
            broken: self.broken,
            trace: self.trace,
            is_stuck: self.is_stuck,
        }
    }

    pub(crate) fn add(&mut self, at: Timestamp, act: Act) {
        self.queue.add(at, &mut self.random, act);
    }

    /// A time in the next so many milliseconds.
    pub(crate) fn soon(&mut self, millis: usize) -> Timestamp {
        let span = u64::try_from(self.random.below(millis)).unwrap_or(0);
        self.now.plus(Duration::from_millis(span))
    }

    pub(crate) fn note(&mut self, what: impl FnOnce() -> String) {
        self.trace.note(self.now, what);
    }

    pub(crate) fn breaks(&mut self, invariant: Invariant, what: String) {
        self.broken.push(Broken::new(invariant, what));
    }

    /// Whether one more process may die.
    pub(crate) fn may_die(&mut self, percent: usize) -> bool {
        self.deaths < DEATHS && self.random.chance(percent)
    }

    fn happens(&mut self, act: Act) {
        let life = match &act {
            Act::Turn { life, .. }
            | Act::Lands { life, .. }
            | Act::TimeUp { life, .. }
            | Act::Stops { life, .. }
            | Act::Speaks { life, .. }
            | Act::Dies { life } => *life,
            Act::Acts { call } => return self.acts(*call),
            Act::TakesUp => return self.take_up(),
            Act::Fixes => return self.fix(),
            Act::Says(said) => return self.says(said.clone()),
        };
        let Some(driver) = self.drivers.get(&life) else {
            return;
        };
        if let Some(until) = driver.sleeps_until
            && until > self.now
            && !matches!(act, Act::Dies { .. })
        {
            self.add(until, act);
            return;
        }
        let Some(mut driver) = self.drivers.remove(&life) else {
            return;
        };
        let fate = self.befalls(&mut driver, &act);
        self.settle_fate(driver, fate);
    }

    fn befalls(&mut self, driver: &mut Driver, act: &Act) -> Fate {
        if driver.sleeps_until.take().is_some() {
            self.note(|| format!("process {} wakes up", driver.life));
            let events = std::mem::take(&mut driver.unperformed);
            self.perform(driver, &events);
            let at = self.soon(200);
            let life = driver.life;
            self.add(
                at,
                Act::Turn {
                    life,
                    reads: Reads::Tail,
                },
            );
        }
        match act {
            Act::Turn { reads, .. } => self.turn(driver, *reads),
            Act::Lands { call, .. } => {
                let Some((step, attempt, result)) = self.landed(*call) else {
                    return Fate::Goes;
                };
                let usage = self.performed.get(*call).and_then(|made| made.usage);
                let settled = Settled::new(step, attempt, result).costing(usage);
                self.result(driver, settled)
            }
            Act::TimeUp { call, .. } => self.gives_up(driver, *call, None),
            Act::Stops { call, .. } => {
                self.gives_up(driver, *call, Some(plan_run::FailureClass::Cancelled))
            }
            Act::Speaks { spoken, .. } => self.speaks(driver, spoken),
            Act::Dies { .. } if self.deaths >= DEATHS => Fate::Goes,
            Act::Dies { .. } => Fate::Dies("dies"),
            Act::Acts { .. } | Act::TakesUp | Act::Fixes | Act::Says(_) => Fate::Goes,
        }
    }

    fn result(&mut self, driver: &mut Driver, settled: Settled) -> Fate {
        let flight = (settled.step.clone(), settled.attempt);
        driver.flights.remove(&flight);
        driver.results.push(settled);
        self.turn(driver, Reads::Nothing)
    }

    /// A call whose time is up, or that was told to end.
    fn gives_up(
        &mut self,
        driver: &mut Driver,
        call: usize,
        class: Option<plan_run::FailureClass>,
    ) -> Fate {
        let Some(performed) = self.performed.get(call) else {
            return Fate::Goes;
        };
        let (step, attempt) = (performed.step.clone(), performed.attempt);
        if driver.flights.get(&(step.clone(), attempt)) != Some(&call) {
            return Fate::Goes;
        }
        let failure = match (class, &performed.outcome.result) {
            (None, Err(failure)) => failure.clone(),
            (class, _) => Box::new(
                plan_run::Failure::new(
                    class.unwrap_or(plan_run::FailureClass::Timeout),
                    "the call was stopped",
                )
                .with_retry(plan_run::RetryAdvice::Never)
                .with_effect(self.unknown_effect(&step)),
            ),
        };
        self.note(|| format!("  {step} #{attempt} is given up: {failure}"));
        self.result(driver, Settled::new(step, attempt, Err(failure)))
    }

    pub(crate) fn settle_fate(&mut self, driver: Driver, fate: Fate) {
        let life = driver.life;
        match fate {
            Fate::Goes => {
                self.drivers.insert(life, driver);
            }
            Fate::Leaves => {
                self.note(|| format!("process {life} leaves"));
                self.compare_with_replay(&driver);
                self.claims.release(life);
                self.send_again(&driver);
                // somebody looks at a run again whose time is up
                if let Some(due) = driver.machine.due() {
                    let at = due.max(self.soon(5_000)).plus(Duration::from_millis(1));
                    self.add(at, Act::TakesUp);
                }
            }
            Fate::Dies(why) => {
                self.note(|| format!("process {life} {why}"));
                self.deaths += 1;
                // what it meant to write and could not is in its machine alone
                let is_ahead = matches!(why, "dies before an append" | "is fenced");
                if driver.unperformed.is_empty() && !is_ahead {
                    self.compare_with_replay(&driver);
                }
                // a dead owner is noticed at once where the lock was local
                let until = if self.random.chance(50) {
                    self.now
                } else {
                    self.now.plus(TTL)
                };
                self.claims.expires(life, until);
                let at = until.max(self.soon(3_000));
                self.add(at, Act::TakesUp);
                self.send_again(&driver);
            }
        }
    }

    /// What a process had heard and not written down is said again by who said it.
    fn send_again(&mut self, driver: &Driver) {
        for said in driver.told.clone() {
            let at = self.soon(1_000);
            self.add(at, Act::Says(said));
        }
    }

    /// A process takes the run up, if nobody drives it.
    fn take_up(&mut self) {
        if self.journal.is_finished() {
            return;
        }
        match self.claims.free_from(self.now) {
            None => {}
            Some(from) if from > self.now => self.add(from, Act::TakesUp),
            Some(_) => {
                if let Some(mut driver) = self.begin() {
                    driver.recovers = self.journal.end() > 1 || self.lives > 1;
                    let fate = self.turn(&mut driver, Reads::Nothing);
                    self.settle_fate(driver, fate);
                }
            }
        }
    }

    /// A new process with the claim, and the machine of the journal.
    pub(crate) fn begin(&mut self) -> Option<Driver> {
        self.lives += 1;
        let life = self.lives;
        if life > 1 {
            self.journal.fence += 1;
        }
        self.claims.take(life);
        let machine = self.replayed(self.journal.end())?;
        let mut driver = Driver::new(life, self.journal.fence, machine, self.journal.end());
        driver.leaves = self.random.chance(50);
        let fence = driver.fence;
        self.note(|| format!("process {life} takes the run up, fence {fence}"));
        Some(driver)
    }

    /// The machine of the first entries, as another process would read them.
    pub(crate) fn replayed(&mut self, end: usize) -> Option<Machine> {
        let mut events = Vec::with_capacity(end);
        for entry in self.journal.entries.iter().take(end) {
            if entry.refused.is_some() {
                continue;
            }
            match decode(&encode(&entry.event)) {
                Ok(event) => events.push(event),
                Err(error) => {
                    let what = format!("{}: {error}", entry.event.kind.name());
                    self.breaks(Invariant::ReplayIsRecovery, what);
                    return None;
                }
            }
        }
        match Machine::replay(self.sim.plan.clone(), events) {
            Ok(machine) => Some(machine),
            Err(refused) => {
                self.breaks(Invariant::ReplayIsRecovery, refused.to_string());
                None
            }
        }
    }

    /// Whether a process knows just what the journal says.
    pub(crate) fn compare_with_replay(&mut self, driver: &Driver) {
        let Some(machine) = self.replayed(driver.end) else {
            return;
        };
        let view = |machine: &Machine| {
            (
                machine.record(),
                machine.started(),
                machine.in_doubt(),
                machine.due(),
                machine.ending(),
                machine.next(self.now),
            )
        };
        let (live, read) = (view(&driver.machine), view(&machine));
        if live != read {
            let differ = |at: &plan_run::record::StepRecord| {
                let other = read.0.step(at.id.as_str());
                other.is_none_or(|other| other != at)
            };
            let steps: Vec<_> = live.0.steps().iter().filter(|step| differ(step)).collect();
            let steps: Vec<_> = steps.iter().map(|step| step.id.as_str()).collect();
            let what = format!(
                "process {} knows something that its journal does not say, about {steps:?}",
                driver.life
            );
            self.breaks(Invariant::ReplayIsRecovery, what);
        }
    }
}
