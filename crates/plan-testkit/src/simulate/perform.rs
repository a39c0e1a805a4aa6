//! From events in the journal to calls in the world, and back.

use std::time::Duration;

use plan_run::event::AttemptStarted;
use plan_run::{
    AttemptSuccess, Effect, EffectCall, Ending, Event, EventKind, Failure, IdempotencyKey,
    ModelUsage, StepPath,
};

use super::act::{Act, Reads};
use super::agents;
use super::batch::Settled;
use super::driver::Driver;
use super::effects::{self, Outcome, Performed};
use super::mutant::Mutant;
use super::world::World;

/// What a call may take where nothing bounds it.
const SPAN: Duration = Duration::from_secs(6);

/// What a call came to: its step, its attempt, its result.
pub(crate) type Landing = (StepPath, u32, Result<AttemptSuccess, Box<Failure>>);

impl World<'_> {
    /// Performs what events say.
    pub(crate) fn perform(&mut self, driver: &mut Driver, events: &[Event]) {
        for event in events {
            if let EventKind::ItemsStopped { step } = &event.kind {
                self.stops_within(driver, step);
            }
            if let EventKind::AgentCalled(called) = &event.kind
                && called.refusal.is_none()
            {
                self.agent_acts(driver.life, &called.step, called.attempt, called.call);
            }
            if let EventKind::AttemptStarted(started) = &event.kind {
                if self.sim.mutant.is_some() {
                    self.departs_somehow(driver, started);
                } else {
                    self.departs(driver, &started.step, started.attempt);
                }
            }
        }
        self.heeds_ending(driver);
    }

    /// Tells calls in flight to end, once the run is ending so.
    pub(crate) fn heeds_ending(&mut self, driver: &mut Driver) {
        if driver.is_stopping || driver.machine.ending() != Some(Ending::Abort) {
            return;
        }
        driver.is_stopping = true;
        let (life, calls) = (driver.life, driver.flights.values().copied());
        for call in calls.collect::<Vec<_>>() {
            let at = self.soon(2_000);
            self.add(at, Act::Stops { call, life });
        }
    }

    /// Tells calls in the items of a fan-out to end, whose time is up.
    pub(crate) fn stops_within(&mut self, driver: &Driver, owner: &StepPath) {
        let flights = driver.flights.iter();
        let within = flights.filter(|((step, _), _)| step.is_inside(owner));
        let life = driver.life;
        for call in within.map(|(_, call)| *call).collect::<Vec<_>>() {
            let at = self.soon(2_000);
            self.add(at, Act::Stops { call, life });
        }
    }

    /// Makes the call of an attempt.
    pub(crate) fn departs(&mut self, driver: &mut Driver, step: &StepPath, attempt: u32) {
        let secret = |_: &_| Some("a secret".to_owned());
        match driver.machine.effect(step, attempt, &secret) {
            Ok(effect) => self.dispatch(driver, step, attempt, &effect),
            Err(failure) => {
                self.note(|| format!("  {step} #{attempt} is not made: {failure}"));
                let settled = Settled::new(step.clone(), attempt, Err(Box::new(failure)));
                driver.results.push(settled);
                let (life, reads) = (driver.life, Reads::Nothing);
                self.add(self.now, Act::Turn { life, reads });
            }
        }
    }

    /// Makes the call of an attempt that a broken driver may have made up.
    fn departs_somehow(&mut self, driver: &mut Driver, started: &AttemptStarted) {
        if driver.machine.is_under_way(&started.step, started.attempt) {
            self.departs(driver, &started.step, started.attempt);
            return;
        }
        let outcome = Outcome {
            result: Ok(serde_json::Value::Null.into()),
            acts: true,
            hangs: false,
        };
        let (step, key) = (&started.step, started.key.clone());
        let call = self.made((step, started.attempt, key), outcome, (None, None));
        self.acts(call);
    }

    fn dispatch(&mut self, driver: &mut Driver, step: &StepPath, attempt: u32, call: &EffectCall) {
        let tried = self.journal.tried(step);
        let outcome = effects::outcome(self.sim, step, tried, call);
        let (acts, hangs) = (outcome.acts, outcome.hangs);
        let limit = call.timeout();
        let costs = match call {
            EffectCall::Prompt(prompt) => {
                let number = 100 * tried;
                let usage = agents::usage(self.sim.seed, step, number, prompt.max_tokens);
                (prompt.max_tokens, Some(usage))
            }
            EffectCall::Agent(agent) => (agent.tokens, None),
            EffectCall::Tool(_) | EffectCall::Code(_) => (None, None),
        };
        let costs = match (self.sim.mutant, costs) {
            (Some(Mutant::PromisesEveryToken), (Some(_), usage)) => {
                (self.sim.plan.grant().budgets().max_model_tokens, usage)
            }
            (_, costs) => costs,
        };
        let made = self.made((step, attempt, call.key().clone()), outcome, costs);
        let life = driver.life;
        self.note(|| format!("  process {life} calls {step} #{attempt}"));
        driver.flights.insert((step.clone(), attempt), made);
        // within the limit, so that what the call comes to does not depend on its time
        let span = limit.map_or(SPAN, |limit| limit.min(SPAN));
        let millis = usize::try_from(span.as_millis()).unwrap_or(0);
        let lands = if hangs {
            let up = self.now.plus(limit.unwrap_or(SPAN));
            self.add(up, Act::TimeUp { call: made, life });
            self.soon(3_000)
                .plus(limit.unwrap_or(SPAN) + Duration::from_millis(1))
        } else {
            self.soon(millis)
        };
        if let EffectCall::Agent(agent) = call {
            let before = usize::try_from(lands.since(self.now).as_millis()).unwrap_or(0);
            self.agent_departs((life, step, attempt), agent, tried, before);
        }
        if acts {
            let before = usize::try_from(lands.since(self.now).as_millis()).unwrap_or(0);
            let at = self.soon(before + 1);
            self.add(at, Act::Acts { call: made });
        }
        let repeats = self.random.chance(self.sim.chances.repeats);
        if !hangs {
            self.add(lands, Act::Lands { call: made, life });
        }
        if repeats {
            let late = Duration::from_millis(5 * u64::try_from(millis / 10).unwrap_or(0));
            self.add(lands.plus(late), Act::Lands { call: made, life });
        }
    }

    fn made(
        &mut self,
        (step, attempt, key): (&StepPath, u32, IdempotencyKey),
        outcome: Outcome,
        (tokens, usage): (Option<u64>, Option<ModelUsage>),
    ) -> usize {
        self.performed.push(Performed {
            step: step.clone(),
            attempt,
            key,
            at: self.now,
            acted: None,
            delivered: None,
            journal: self.journal.end(),
            is_repeatable: effects::is_repeatable(&self.sim.plan, step.step()),
            tokens,
            usage,
            outcome,
        });
        self.performed.len() - 1
    }

    /// A call has its effect.
    pub(crate) fn acts(&mut self, call: usize) {
        let now = self.now;
        if let Some(performed) = self.performed.get_mut(call) {
            performed.acted = Some(now);
        }
    }

    /// What a call comes to, as it arrives.
    pub(crate) fn landed(&mut self, call: usize) -> Option<Landing> {
        let performed = self.performed.get_mut(call)?;
        let result = if performed.outcome.hangs {
            // what a call that took too long still returns
            Ok(serde_json::json!({"late": true}).into())
        } else {
            performed.outcome.result.clone()
        };
        if let (Ok(success), false) = (&result, performed.outcome.hangs) {
            performed.delivered = Some(success.clone());
        }
        let (step, attempt) = (performed.step.clone(), performed.attempt);
        self.note(|| match &result {
            Ok(_) => format!("  {step} #{attempt} returns"),
            Err(failure) => format!("  {step} #{attempt} fails: {failure}"),
        });
        Some((step, attempt, result))
    }

    /// What is known of the effect of a call that ended nobody knows how.
    pub(crate) fn unknown_effect(&self, step: &StepPath) -> Effect {
        let spec = self.sim.plan.tool(step.step());
        if spec.is_some_and(|spec| spec.effects.read_only.holds) {
            Effect::None
        } else {
            Effect::Unknown
        }
    }
}
