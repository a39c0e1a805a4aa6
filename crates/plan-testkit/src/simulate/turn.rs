//! One turn of a process: what is known becomes events, the events go into the journal, and are performed.

use std::time::Duration;

use plan_run::{Event, EventKind, RunStatus};

use super::act::{Act, Reads, Said};
use super::agents::Spoken;
use super::batch::Batch;
use super::claims::TTL;
use super::driver::{Driver, Fate};
use super::journal::{NotAppended, Writer};
use super::mutant::{Mutant, Twisted};
use super::world::World;
use super::{Broken, Invariant};

/// Turns in one go: far more than any plan needs.
const ROUNDS: usize = 1_000;

/// What became of an append, as the process knows it.
enum Appended {
    Yes,
    Behind,
    Fenced,
    Died(&'static str),
    Slept,
}

impl World<'_> {
    /// Journals and performs everything that follows from what is known.
    pub(crate) fn turn(&mut self, driver: &mut Driver, reads: Reads) -> Fate {
        if reads == Reads::Tail && !self.reads_tail(driver) {
            return Fate::Dies("finds that its claim is another's");
        }
        for _ in 0..ROUNDS {
            let batch = self.staged(driver);
            if batch.events.is_empty() {
                return self.rests(driver);
            }
            if self.sim.mutant == Some(Mutant::PerformsBeforeItJournals) {
                self.perform(driver, &batch.events);
            }
            match self.append(driver, &batch) {
                Appended::Yes => {
                    driver.recovers = false;
                    if self.sim.mutant != Some(Mutant::PerformsBeforeItJournals) {
                        self.perform(driver, &batch.events);
                    }
                }
                Appended::Behind => {
                    let newer = std::mem::take(&mut driver.results);
                    let again = batch.settled.into_iter().map(super::batch::Settled::again);
                    driver.results = again.chain(newer).collect();
                    driver.told.splice(..0, batch.told);
                    driver.spoken.splice(..0, batch.spoken);
                    if !self.rebuilds(driver) {
                        return Fate::Dies("finds that its claim is another's");
                    }
                }
                Appended::Fenced => {
                    driver.told.splice(..0, batch.told);
                    return Fate::Dies("is fenced");
                }
                Appended::Died(when) => {
                    driver.told.splice(..0, batch.told);
                    return Fate::Dies(when);
                }
                Appended::Slept => {
                    driver.recovers = false;
                    driver.unperformed = batch.events;
                    return Fate::Goes;
                }
            }
        }
        self.is_stuck = true;
        Fate::Dies("goes in circles")
    }

    /// The events of a turn, which its machine has taken.
    fn staged(&mut self, driver: &mut Driver) -> Batch {
        let mut batch = Batch::default();
        if driver.recovers && self.sim.mutant != Some(Mutant::ForgetsRecovery) {
            for kind in driver.machine.recover() {
                self.stage(driver, &mut batch, kind);
            }
        }
        for mut spoken in std::mem::take(&mut driver.spoken) {
            if let Some(event) = spoken.event(&driver.machine) {
                spoken.staged = Spoken::number(&event);
                batch.spoken.push(spoken);
                self.stage(driver, &mut batch, event);
            }
        }
        for settled in std::mem::take(&mut driver.results) {
            // the append that seemed to fail had not: the journal has it
            if settled.is_again && !driver.machine.is_under_way(&settled.step, settled.attempt) {
                continue;
            }
            let jitter = f64::from(u8::try_from(self.random.below(101)).unwrap_or(0)) / 100.0;
            let result = settled.result.clone().map_err(|failure| *failure);
            let (step, number) = (&settled.step, settled.attempt);
            // the model counted its tokens, whatever becomes of its answer
            if let Some(usage) = settled
                .usage
                .filter(|_| !settled.is_again || driver.machine.answers(step, number) == 0)
                && let Some(answered) = driver.machine.answered(step, number, usage)
            {
                self.stage(driver, &mut batch, answered);
            }
            let kinds = driver
                .machine
                .settle(step, number, result, self.now, jitter);
            batch.settled.push(settled);
            for kind in kinds {
                self.stage(driver, &mut batch, kind);
            }
        }
        for said in std::mem::take(&mut driver.told) {
            match self.word(&driver.machine, &said) {
                Ok(kind) => {
                    self.stage(driver, &mut batch, kind);
                    batch.told.push(said);
                }
                Err(refused) => {
                    self.note(|| format!("  refused: {refused}"));
                    // refused by a process that knows less than the journal: said once more
                    if self.is_awaited(&said) {
                        let at = self.soon(5_000);
                        self.add(at, Act::Says(said));
                    }
                }
            }
        }
        for _ in 0..ROUNDS {
            let kinds = driver.machine.next(self.now);
            if kinds.is_empty() {
                return batch;
            }
            for kind in kinds {
                self.stage(driver, &mut batch, kind);
            }
        }
        self.is_stuck = true;
        batch
    }

    /// Lets the machine take an event, or what a broken driver makes of it.
    fn stage(&mut self, driver: &mut Driver, batch: &mut Batch, kind: EventKind) {
        let at = self.now;
        let twisted = match self.sim.mutant {
            Some(mutant) => mutant.twist(self, driver, kind),
            None => vec![Twisted::straight(kind)],
        };
        for Twisted {
            kind,
            is_applied,
            is_journaled,
        } in twisted
        {
            let event = Event { at, kind };
            // a broken driver does not heed what its machine says
            if is_applied
                && let Err(refused) = driver.machine.apply(&event)
                && self.sim.mutant.is_none()
            {
                let what = format!("{}: {refused}", event.kind.name());
                self.note(|| {
                    format!(
                        "  process {} proposes what it does not take: {what}",
                        driver.life
                    )
                });
                self.broken.push(Broken::new(Invariant::EntriesFit, what));
                continue;
            }
            if is_journaled {
                batch.events.push(event);
            }
        }
    }

    fn append(&mut self, driver: &mut Driver, batch: &Batch) -> Appended {
        let chances = self.sim.chances;
        let dies = self.may_die(chances.dies_at_append);
        if dies && self.random.chance(50) {
            return Appended::Died("dies before an append");
        }
        let said = match self.sim.mutant {
            Some(Mutant::SaysThatItWaits) if !driver.machine.requests().is_empty() => {
                RunStatus::Waiting
            }
            _ => driver.machine.status(),
        };
        let before = self.journal.end();
        let writer = Writer::Driver(driver.fence);
        let (end, events) = (driver.end, &batch.events);
        match self.journal.append(end, writer, said, events) {
            Ok(()) => {}
            Err(NotAppended::Sequence) => {
                self.note(|| format!("process {} finds other entries first", driver.life));
                return Appended::Behind;
            }
            Err(NotAppended::Fenced) => {
                if self.sim.mutant != Some(Mutant::WritesAfterItWasFenced) {
                    return Appended::Fenced;
                }
                self.journal.force(writer, said, events);
            }
        }
        self.journaled(before);
        if dies {
            driver.end = self.journal.end();
            return Appended::Died("dies after an append");
        }
        if self.random.chance(chances.lost_reply) {
            self.note(|| format!("process {} is told that the append failed", driver.life));
            return Appended::Behind;
        }
        driver.end = self.journal.end();
        if self.random.chance(chances.sleeps / 4) {
            self.falls_asleep(driver);
            return Appended::Slept;
        }
        Appended::Yes
    }

    /// A process stops for a while, perhaps for longer than its claim holds.
    fn falls_asleep(&mut self, driver: &mut Driver) {
        let until = self.soon(40_000);
        let life = driver.life;
        self.note(|| format!("process {life} sleeps until {until}"));
        driver.sleeps_until = Some(until);
        self.claims.expires(life, self.now.plus(TTL));
        let take = self.soon(2_000).plus(TTL);
        self.add(take, Act::TakesUp);
        let reads = if self.random.chance(50) {
            Reads::Tail
        } else {
            Reads::Nothing
        };
        self.add(until, Act::Turn { life, reads });
    }

    /// Takes in what others have appended. Says whether the claim is still its own.
    fn reads_tail(&mut self, driver: &mut Driver) -> bool {
        if !self.claims.renew(driver.life) {
            return self.sim.mutant == Some(Mutant::WritesAfterItWasFenced);
        }
        let news: Vec<Event> = self.events_from(driver.end);
        for event in &news {
            // the journal took it, so the machine does; a broken driver has its own mind
            let refused = driver.machine.apply(event).err();
            if let (Some(refused), None) = (refused, self.sim.mutant) {
                let what = format!("{}: {refused}", event.kind.name());
                self.breaks(Invariant::ReplayIsRecovery, what);
            }
        }
        driver.end = self.journal.end();
        self.heeds_ending(driver);
        true
    }

    fn events_from(&self, from: usize) -> Vec<Event> {
        let news = self.journal.entries.iter().skip(from);
        news.map(|entry| entry.event.clone()).collect()
    }

    /// Makes the machine anew from the whole journal. Says whether the claim is still its own.
    fn rebuilds(&mut self, driver: &mut Driver) -> bool {
        let news = self.journal.entries.iter().skip(driver.end);
        let foreign = |writer| matches!(writer, Writer::Driver(fence) if fence != driver.fence);
        let mut resumed = false;
        let mut is_foreign = false;
        for entry in news {
            is_foreign |= foreign(entry.writer);
            resumed |= matches!(entry.event.kind, EventKind::RunResumed { .. });
        }
        if is_foreign && self.sim.mutant != Some(Mutant::WritesAfterItWasFenced) {
            return false;
        }
        // what it was told may be in the journal, though the append seemed to fail
        let journaled = self.events_from(driver.end);
        driver.told.retain(|said| {
            !journaled
                .iter()
                .any(|event| matches!((said, &event.kind),
                    (Said::Answer { request, .. }, EventKind::RequestAnswered(answered)) if *request == answered.request)
                    || matches!((said, &event.kind), (Said::Cancels, EventKind::CancelRequested { .. })))
        });
        // what its agents said may be too: a call that is in the journal is made
        let (taken, spoken) = std::mem::take(&mut driver.spoken)
            .into_iter()
            .partition(|spoken| journaled.iter().any(|event| spoken.made(&event.kind)));
        driver.spoken = spoken;
        driver.end = self.journal.end();
        let Some(machine) = self.replayed(driver.end) else {
            return false;
        };
        driver.machine = machine;
        self.makes_calls(driver, &taken, &journaled);
        driver.recovers &= !resumed;
        for event in &journaled {
            if let EventKind::ItemsStopped { step } = &event.kind {
                self.stops_within(driver, step);
            }
        }
        self.heeds_ending(driver);
        if !driver.recovers {
            // attempts that the journal has and nobody makes
            for (step, attempt) in driver.machine.started() {
                if !driver.has(&step, attempt) {
                    self.departs(driver, &step, attempt);
                }
            }
        }
        true
    }

    /// Makes the calls of agents that the journal has taken, though the append seemed to fail.
    fn makes_calls(&mut self, driver: &Driver, taken: &[Spoken], journaled: &[Event]) {
        for event in journaled {
            if let EventKind::AgentCalled(called) = &event.kind
                && called.refusal.is_none()
                && taken.iter().any(|spoken| spoken.made(&event.kind))
            {
                self.agent_acts(driver.life, &called.step, called.attempt, called.call);
            }
        }
    }

    /// Nothing more follows from what is known: waits, leaves, or meets with an accident.
    fn rests(&mut self, driver: &mut Driver) -> Fate {
        let status = driver.machine.status();
        let finished = status.is_finished() || self.journal.is_finished();
        let idle = driver.flights.is_empty();
        if finished && (idle || self.random.chance(50)) {
            return Fate::Leaves;
        }
        if status == RunStatus::Waiting && idle && driver.leaves {
            return Fate::Leaves;
        }
        let life = driver.life;
        if let Some(due) = driver.machine.due() {
            let at = due.max(self.now.plus(Duration::from_millis(1)));
            self.add(
                at,
                Act::Turn {
                    life,
                    reads: Reads::Nothing,
                },
            );
        }
        let chances = self.sim.chances;
        if !finished && self.may_die(chances.dies_in_flight) {
            let at = self.soon(4_000);
            self.add(at, Act::Dies { life });
        } else if !finished && self.random.chance(chances.sleeps) {
            self.falls_asleep(driver);
        }
        Fate::Goes
    }
}
