//! People: what they read in the journal, and what they say.

use std::time::Duration;

use plan_run::{
    Answer, Decision, Event, EventKind, JsonObject, Machine, PrincipalName, Request, RequestId,
    RequestKind, RunStatus,
};
use serde_json::Value;

use super::act::{Act, Manner, Reads, Said};
use super::driver::Driver;
use super::effects::draw;
use super::journal::Writer;
use super::simulated::Word;
use super::world::World;
use super::{Invariant, values};

/// Resets of one run.
const FIXES: u32 = 2;

fn somebody() -> PrincipalName {
    match PrincipalName::new("somebody") {
        Ok(name) => name,
        Err(error) => unreachable!("a name of letters {error}"),
    }
}

impl World<'_> {
    /// Whoever watches the journal sees new entries.
    pub(crate) fn journaled(&mut self, from: usize) {
        let news = self.journal.entries.iter().skip(from);
        let news: Vec<EventKind> = news.map(|entry| entry.event.kind.clone()).collect();
        for kind in news {
            self.note(|| super::folded::line(&kind));
            match kind {
                EventKind::RequestOpened(request) => self.asks(&request),
                EventKind::InDoubtFound { step, attempt } => {
                    let at = self.soon(10_000);
                    self.add(at, Act::Says(Said::Decides { step, attempt }));
                }
                EventKind::RunEnded { status, .. } => {
                    let generation = self.journal.machine.generation();
                    let mut random = draw(self.sim.seed, &["fix"], generation);
                    if status == RunStatus::Failed
                        && generation < FIXES
                        && random.chance(self.sim.chances.fixes)
                    {
                        let at = self.soon(60_000);
                        self.add(at, Act::Fixes);
                    }
                }
                _ => {}
            }
        }
    }

    /// A person reads a request and thinks about it.
    fn asks(&mut self, request: &Request) {
        let generation = self.journal.machine.generation();
        let step = request.step.to_string();
        let words = ["answer", step.as_str(), request.kind.as_str()];
        let mut random = draw(self.sim.seed, &words, generation);
        let rejects = random.chance(self.sim.chances.rejects);
        let answer = match request.kind {
            RequestKind::Question => match values::of_schema(&request.schema, &mut random, 0) {
                Value::String(text) if !rejects => Answer::Text(text),
                _ => Answer::Cancel,
            },
            RequestKind::Approval | RequestKind::Effect if !rejects => Answer::Approve,
            RequestKind::Approval | RequestKind::Effect if random.chance(70) => Answer::Reject,
            RequestKind::Approval | RequestKind::Effect => Answer::Cancel,
        };
        let is_late = request.expires_at.is_some() && rejects && random.chance(50);
        let (at, manner) = match request.expires_at {
            Some(last) if is_late => (last.plus(Duration::from_millis(1)), Manner::Stray),
            Some(last) => {
                let span = usize::try_from(last.since(self.now).as_millis()).unwrap_or(0);
                (self.soon(span + 1), Manner::Proper)
            }
            None => (self.soon(20_000), Manner::Proper),
        };
        let say = |answer, manner| {
            Act::Says(Said::Answer {
                request: request.id.clone(),
                answer,
                manner,
            })
        };
        if self.random.chance(self.sim.chances.misspeaks) {
            let wrong = match request.kind {
                RequestKind::Question => Answer::Approve,
                RequestKind::Approval | RequestKind::Effect => Answer::Text("approve".to_owned()),
            };
            let soon = self.soon(10_000);
            self.add(soon, say(wrong, Manner::Wrong));
            let later = at.plus(Duration::from_secs(3));
            self.add(later, say(answer.clone(), Manner::Stray));
            if let Ok(nobody) = RequestId::new("req-of-nobody") {
                self.add(
                    later,
                    Act::Says(Said::Answer {
                        request: nobody,
                        answer: answer.clone(),
                        manner: Manner::Wrong,
                    }),
                );
            }
        }
        self.add(at, say(answer, manner));
    }

    /// A person says something: to the process that drives the run, or into the journal.
    pub(crate) fn says(&mut self, said: Said) {
        if self.journal.is_finished() && !matches!(said, Said::Answer { .. }) {
            return;
        }
        // an answer that has its time goes the way that nothing can hold up
        let timed = match &said {
            Said::Answer { request, .. } => {
                let open = self.journal.machine.requests();
                open.iter()
                    .any(|open| open.id == *request && open.expires_at.is_some())
            }
            Said::Decides { .. } | Said::Cancels => false,
        };
        let external = timed || self.random.chance(self.sim.chances.external);
        let life = self.drivers.keys().next_back().copied();
        if let (false, Some(life)) = (external, life)
            && let Some(driver) = self.drivers.get_mut(&life)
        {
            driver.told.push(said);
            let reads = Reads::Nothing;
            self.add(self.now, Act::Turn { life, reads });
            return;
        }
        self.says_externally(&said);
    }

    fn says_externally(&mut self, said: &Said) {
        let machine = self.journal.machine.clone();
        let kind = match self.word(&machine, said) {
            Ok(kind) => kind,
            Err(refused) => {
                self.note(|| format!("refused: {refused}"));
                return;
            }
        };
        let at = self.now;
        let before = self.journal.end();
        let status = machine.status();
        let event = Event { at, kind };
        if self
            .journal
            .append(before, Writer::External, status, &[event])
            .is_ok()
        {
            self.journaled(before);
        }
        let lives: Vec<u64> = self.drivers.keys().copied().collect();
        for life in &lives {
            let at = self.soon(1_000);
            let reads = Reads::Tail;
            self.add(at, Act::Turn { life: *life, reads });
        }
        if lives.is_empty() {
            let at = self.soon(5_000);
            self.add(at, Act::TakesUp);
        }
    }

    /// Whether the journal waits for just this word.
    pub(crate) fn is_awaited(&self, said: &Said) -> bool {
        let machine = &self.journal.machine;
        match said {
            Said::Answer {
                request,
                manner: Manner::Proper,
                ..
            } => machine.requests().iter().any(|open| open.id == *request),
            Said::Decides { step, attempt } => {
                machine.in_doubt().contains(&(step.clone(), *attempt))
            }
            Said::Answer { .. } | Said::Cancels => false,
        }
    }

    /// What somebody's word does to a run, if it may.
    pub(crate) fn word(&mut self, machine: &Machine, said: &Said) -> Result<EventKind, String> {
        match said {
            Said::Cancels if machine.status().is_finished() => Err("the run has ended".to_owned()),
            Said::Cancels => Ok(machine.cancel(somebody(), "enough")),
            Said::Decides { step, attempt } => self.decision(machine, step, *attempt),
            Said::Answer {
                request,
                answer,
                manner,
            } => {
                let taken = machine.answer(request, answer.clone(), somebody(), self.now);
                if *manner == Manner::Wrong && taken.is_ok() {
                    let what = format!("{request} took {answer:?}");
                    self.breaks(Invariant::AnswersCountOnce, what);
                }
                match taken {
                    Ok(kind) => Ok(kind),
                    // a text that does not fit: the person gives up
                    Err(plan_run::AnswerRefused::DoesNotFit { .. }) => machine
                        .answer(request, Answer::Cancel, somebody(), self.now)
                        .map_err(|refused| refused.to_string()),
                    Err(refused) => Err(refused.to_string()),
                }
            }
        }
    }

    fn decision(
        &mut self,
        machine: &Machine,
        step: &plan_run::StepPath,
        attempt: u32,
    ) -> Result<EventKind, String> {
        if !machine.in_doubt().contains(&(step.clone(), attempt)) {
            return Err(format!("{step} #{attempt} is not in doubt"));
        }
        let first = match self.random.below(3) {
            0 => Decision::Retry,
            1 => {
                let mut random = draw(self.sim.seed, &["decided", &step.to_string()], attempt);
                let declared = self.sim.plan.plan().step(step.step());
                let outputs = declared
                    .map(|(_, declared)| values::of_outputs(&declared.outputs, &mut random));
                Decision::MarkSucceeded(JsonObject::from(outputs.unwrap_or_default()))
            }
            _ => Decision::MarkFailed,
        };
        machine
            .decide(step, first, somebody())
            .or_else(|_| machine.decide(step, Decision::MarkFailed, somebody()))
            .map_err(|refused| refused.to_string())
    }

    /// What made the run fail is put right, and the run starts anew from what did not succeed.
    pub(crate) fn fix(&mut self) {
        let is_free = self
            .claims
            .free_from(self.now)
            .is_some_and(|from| from <= self.now);
        if !is_free {
            // whoever failed it has not left yet
            let at = self.soon(20_000).plus(Duration::from_secs(1));
            self.add(at, Act::Fixes);
            return;
        }
        let Ok(resumption) = self.journal.machine.resumption() else {
            return;
        };
        if !resumption.may_repeat.is_empty() {
            let generation = self.journal.machine.generation();
            let mut random = draw(self.sim.seed, &["word"], generation);
            if random.chance(40) && self.sim.mutant != Some(super::Mutant::RepeatsWithoutAWord) {
                self.note(|| format!("nobody lets {:?} be repeated", resumption.may_repeat));
                return;
            }
            if self.sim.mutant != Some(super::Mutant::RepeatsWithoutAWord) {
                self.words.push(Word {
                    journal: self.journal.end(),
                    repeats: resumption.may_repeat.clone(),
                });
            }
        }
        let Some(mut driver) = self.begin() else {
            return;
        };
        let event = Event {
            at: self.now,
            kind: resumption.event(),
        };
        let fate = self.resumes(&mut driver, event);
        self.settle_fate(driver, fate);
    }

    fn resumes(&mut self, driver: &mut Driver, event: Event) -> super::driver::Fate {
        if let Err(refused) = driver.machine.apply(&event) {
            self.breaks(Invariant::EntriesFit, format!("run_resumed: {refused}"));
            return super::driver::Fate::Leaves;
        }
        let (before, writer) = (driver.end, Writer::Driver(driver.fence));
        let status = driver.machine.status();
        if self
            .journal
            .append(before, writer, status, &[event])
            .is_err()
        {
            return super::driver::Fate::Dies("is fenced");
        }
        self.journaled(before);
        driver.end = self.journal.end();
        driver.recovers = true;
        self.turn(driver, Reads::Nothing)
    }
}
