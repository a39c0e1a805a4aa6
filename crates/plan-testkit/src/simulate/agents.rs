//! Agents in the world: the tools that they call on their way, and what their models cost.

use plan_model::{ToolName, ToolSpec};
use plan_run::{
    AgentEffect, Effect, EventKind, Failure, FailureClass, JsonObject, Machine, ModelUsage,
    StepPath,
};
use serde_json::Value;

use super::act::{Act, Reads};
use super::driver::{Driver, Fate};
use super::effects::draw;
use super::values;
use super::world::World;

/// Turns of an agent, at most.
const TURNS: usize = 4;

/// Something that an agent in flight wants taken down.
#[derive(Debug, Clone)]
pub(crate) struct Spoken {
    pub(crate) step: StepPath,
    pub(crate) attempt: u32,
    pub(crate) what: Word,
    /// The number that it had in a batch which the journal seemed not to take.
    pub(crate) staged: Option<u32>,
}

/// What an agent says.
#[derive(Debug, Clone)]
pub(crate) enum Word {
    /// It wants to call a tool; whether its host has something against it.
    Calls {
        tool: String,
        arguments: JsonObject,
        is_refused: bool,
    },
    /// A call came to its end.
    Ends { call: u32 },
    /// Its model answered.
    Answers { usage: ModelUsage },
}

/// A call that an agent made.
#[derive(Debug, Clone)]
pub(crate) struct AgentsCall {
    pub(crate) step: StepPath,
    pub(crate) attempt: u32,
    pub(crate) call: u32,
    /// Entries of the journal when it was made.
    pub(crate) journal: usize,
}

/// What a question or a turn costs.
pub(crate) fn usage(seed: u64, step: &StepPath, number: u32, most: Option<u64>) -> ModelUsage {
    let mut random = draw(seed, &["usage", &step.to_string()], number);
    let mut below = |bound: usize| u64::try_from(random.below(bound)).unwrap_or(0);
    let output = below(400);
    ModelUsage::new(below(200), most.map_or(output, |most| output.min(most)))
}

impl World<'_> {
    /// An agent sets out: what it will say on its way, before `millis` are over.
    pub(crate) fn agent_departs(
        &mut self,
        (life, step, attempt): (u64, &StepPath, u32),
        agent: &AgentEffect,
        tried: u32,
        millis: usize,
    ) {
        let mut random = draw(self.sim.seed, &["agent", &step.to_string()], tried);
        let turns = u32::try_from(random.below(TURNS + 1)).unwrap_or(0);
        for turn in 0..turns {
            let cost = usage(self.sim.seed, step, 100 * tried + turn, agent.tokens);
            let call = random.pick(&agent.tools).map(|tool| Word::Calls {
                tool: tool.to_string(),
                arguments: arguments(self.spec(tool), &mut random),
                is_refused: random.chance(20),
            });
            for what in [Some(Word::Answers { usage: cost }), call]
                .into_iter()
                .flatten()
            {
                let at = self.soon(millis.max(1));
                let spoken = Spoken {
                    step: step.clone(),
                    attempt,
                    what,
                    staged: None,
                };
                self.add(at, Act::Speaks { life, spoken });
            }
        }
    }

    fn spec(&self, tool: &ToolName) -> Option<&ToolSpec> {
        let steps = self.sim.plan.plan().steps.iter();
        let mut specs = steps.filter_map(|step| self.sim.plan.tool(&step.id));
        specs.find(|spec| spec.name == *tool)
    }

    /// An agent says something to the process that it belongs to.
    pub(crate) fn speaks(&mut self, driver: &mut Driver, spoken: &Spoken) -> Fate {
        if !driver.machine.is_under_way(&spoken.step, spoken.attempt) {
            return Fate::Goes;
        }
        driver.spoken.push(spoken.clone());
        self.turn(driver, Reads::Nothing)
    }

    /// A call of an agent is made, and ends before long.
    pub(crate) fn agent_acts(&mut self, life: u64, step: &StepPath, attempt: u32, call: u32) {
        self.note(|| format!("  {step} #{attempt} makes its call {call}"));
        self.agents_calls.push(AgentsCall {
            step: step.clone(),
            attempt,
            call,
            journal: self.journal.end(),
        });
        let at = self.soon(1_000);
        let spoken = Spoken {
            step: step.clone(),
            attempt,
            what: Word::Ends { call },
            staged: None,
        };
        self.add(at, Act::Speaks { life, spoken });
    }
}

/// Arguments that a tool takes.
fn arguments(spec: Option<&ToolSpec>, random: &mut crate::generate::Random) -> JsonObject {
    let schema = spec.and_then(|spec| spec.input_schema.as_ref());
    match schema.map(|schema| values::of_schema(&schema.0, random, 0)) {
        Some(Value::Object(members)) => JsonObject::from(members),
        _ => JsonObject::default(),
    }
}

impl Spoken {
    /// The event that it makes; `None` once its attempt is over.
    pub(crate) fn event(&self, machine: &Machine) -> Option<EventKind> {
        let (step, attempt) = (&self.step, self.attempt);
        if !machine.is_under_way(step, attempt) {
            return None;
        }
        match &self.what {
            Word::Calls {
                tool,
                arguments,
                is_refused,
            } => {
                let refusal = is_refused.then(|| {
                    Failure::new(FailureClass::RefusedByGrant, "the grant does not allow it")
                        .with_effect(Effect::None)
                });
                let called =
                    machine.agent_calls(step, attempt, tool.clone(), arguments.clone(), refusal);
                called
                    .ok()
                    .map(|called| EventKind::AgentCalled(Box::new(called)))
            }
            Word::Ends { call } => machine.agent_call_ends(step, attempt, *call, None),
            Word::Answers { usage } => machine.answered(step, attempt, *usage),
        }
    }

    /// The number of its event among those of its sort and attempt.
    pub(crate) fn number(event: &EventKind) -> Option<u32> {
        match event {
            EventKind::AgentCalled(called) => Some(called.call),
            EventKind::AgentCallEnded { call, .. } => Some(*call),
            EventKind::ModelAnswered { answer, .. } => Some(*answer),
            _ => None,
        }
    }

    /// Whether an event of the journal says just this.
    pub(crate) fn made(&self, event: &EventKind) -> bool {
        let is_of = match (&self.what, event) {
            (Word::Calls { .. }, EventKind::AgentCalled(called)) => {
                called.step == self.step && called.attempt == self.attempt
            }
            (Word::Ends { .. }, EventKind::AgentCallEnded { step, attempt, .. })
            | (Word::Answers { .. }, EventKind::ModelAnswered { step, attempt, .. }) => {
                *step == self.step && *attempt == self.attempt
            }
            _ => false,
        };
        is_of && self.staged.is_some() && self.staged == Self::number(event)
    }
}
