//! Calls in the world: what each comes to, and what it did.

use std::time::Duration;

use plan_model::{StepConfig, StepId, Timestamp};
use plan_run::{
    AgentReport, AttemptSuccess, Effect, EffectCall, Failure, FailureClass, IdempotencyKey,
    ModelAnswer, ModelUsage, RetryAdvice, StepPath,
};
use plan_validate::ValidatedPlan;
use serde_json::{Map, Value};

use super::{Simulation, values};
use crate::generate::Random;

/// One call, as whatever stands for its tool sees it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SimulatedCall {
    /// The step that calls.
    pub step: StepPath,
    /// How often the step was tried before, crashes not counted.
    pub tried: u32,
    /// The key under which a repeated call is recognised.
    pub key: IdempotencyKey,
    /// The arguments.
    pub arguments: Map<String, Value>,
    seed: u64,
}

impl SimulatedCall {
    /// Numbers that are the same whenever this call is made, in whatever order.
    pub fn random(&self) -> Random {
        draw(self.seed, &["tool", &self.step.to_string()], self.tried)
    }
}

/// A call that was made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Performed {
    /// The step.
    pub step: StepPath,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The key under which a repeated call is recognised.
    pub key: IdempotencyKey,
    /// When it was made.
    pub at: Timestamp,
    /// When it had its effect in the world, if it had.
    pub acted: Option<Timestamp>,
    /// What it returned, if it returned a success that reached a living process.
    pub delivered: Option<AttemptSuccess>,
    /// Entries of the journal when it was made.
    pub(crate) journal: usize,
    /// Whether it may be made twice.
    pub(crate) is_repeatable: bool,
    /// The most tokens that it may use, where it asks models and they have a bound.
    pub(crate) tokens: Option<u64>,
    /// What the model of a question counts for its answer.
    pub(crate) usage: Option<ModelUsage>,
    pub(crate) outcome: Outcome,
}

/// What a call comes to.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// What it returns.
    pub(crate) result: Result<AttemptSuccess, Box<Failure>>,
    /// Whether it changes the world.
    pub(crate) acts: bool,
    /// Whether it takes longer than it may.
    pub(crate) hangs: bool,
}

/// Numbers that depend on the seed and these words alone.
pub(crate) fn draw(seed: u64, words: &[&str], number: u32) -> Random {
    // FNV-1a (Fowler, Noll, Vo), then SplitMix64
    let mut hash = 0xCBF2_9CE4_8422_2325_u64 ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let bytes = words.iter().flat_map(|word| word.bytes().chain([0]));
    for byte in bytes.chain(number.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    let mut random = Random::new(hash);
    random.bits();
    random
}

/// Whether a call of this step may be made again although its fate is unknown.
pub(crate) fn is_repeatable(plan: &ValidatedPlan, step: &StepId) -> bool {
    let declared = plan.plan().step(step).map(|(_, step)| &step.config);
    if let Some(StepConfig::PromptCall(_)) = declared {
        // a question changes nothing
        return true;
    }
    plan.tool(step).is_some_and(|spec| {
        spec.effects.safe_to_repeat()
            || spec.idempotency_key != plan_model::IdempotencyKeySupport::None
    })
}

fn reads_only(plan: &ValidatedPlan, step: &StepId) -> bool {
    plan.tool(step)
        .is_some_and(|spec| spec.effects.read_only.holds)
}

/// What the call of an attempt comes to, whenever it is made.
pub(crate) fn outcome(of: &Simulation, step: &StepPath, tried: u32, call: &EffectCall) -> Outcome {
    let mut random = draw(of.seed, &["call", &step.to_string()], tried);
    let reads = reads_only(&of.plan, step.step());
    let unknown = if reads { Effect::None } else { Effect::Unknown };
    if call.timeout().is_some() && random.chance(of.chances.hangs) {
        let failure = Failure::new(FailureClass::Timeout, "the call did not end in time");
        return Outcome {
            result: Err(Box::new(failure.with_effect(unknown))),
            acts: random.chance(50),
            hangs: true,
        };
    }
    if random.chance(of.chances.panics) {
        let failure = Failure::new(FailureClass::Panicked, "the call panicked");
        return Outcome {
            result: Err(Box::new(
                failure.with_effect(unknown).with_retry(RetryAdvice::Never),
            )),
            acts: random.chance(50),
            hangs: false,
        };
    }
    if random.chance(of.chances.fails) {
        let dispatched = random.chance(50);
        let effect = if dispatched { unknown } else { Effect::None };
        return Outcome {
            result: Err(Box::new(failure(&mut random).with_effect(effect))),
            acts: dispatched && random.chance(50),
            hangs: false,
        };
    }
    let result = success(of, step, tried, call, &mut random);
    let acts = match &result {
        Ok(_) => true,
        Err(failure) => failure.effect == Effect::Unknown,
    };
    Outcome {
        result,
        acts,
        hangs: false,
    }
}

fn failure(random: &mut Random) -> Failure {
    let classes = [
        FailureClass::Transient,
        FailureClass::Transient,
        FailureClass::RateLimited,
        FailureClass::EndpointDown,
        FailureClass::Permission,
        FailureClass::NotFound,
    ];
    let class = random
        .pick(&classes)
        .copied()
        .unwrap_or(FailureClass::Transient);
    let retry = match class {
        FailureClass::RateLimited => RetryAdvice::After(Duration::from_secs(2)),
        FailureClass::Permission | FailureClass::NotFound => RetryAdvice::Never,
        _ => RetryAdvice::Later,
    };
    Failure::new(class, format!("the world says {class}")).with_retry(retry)
}

fn success(
    of: &Simulation,
    step: &StepPath,
    tried: u32,
    call: &EffectCall,
    random: &mut Random,
) -> Result<AttemptSuccess, Box<Failure>> {
    let Some((_, declared)) = of.plan.plan().step(step.step()) else {
        return Ok(Value::Null.into());
    };
    if let EffectCall::Tool(tool) = call {
        if let Some(script) = of.tools.get(tool.tool.as_str()) {
            let call = SimulatedCall {
                step: step.clone(),
                tried,
                key: tool.key.clone(),
                arguments: tool.arguments.clone(),
                seed: of.seed,
            };
            return script(&call).map(AttemptSuccess::from);
        }
        let spec = of.plan.tool(step.step());
        let schema = spec.and_then(|spec| spec.output_schema.as_ref());
        return Ok(values::of_tool(declared, schema, random).into());
    }
    let said = of.steps.get(step.step().as_str()).map(|says| {
        says(&SimulatedCall {
            step: step.clone(),
            tried,
            key: call.key().clone(),
            arguments: Map::new(),
            seed: of.seed,
        })
    });
    let said = said.transpose()?;
    let text = |random: &mut Random| match said.clone() {
        Some(Value::String(text)) => text,
        Some(value) => value.to_string(),
        None => values::printed(declared, random),
    };
    Ok(match call {
        EffectCall::Prompt(prompt) => AttemptSuccess::Answer(match &prompt.output_schema {
            Some(schema) => {
                ModelAnswer::Json(said.unwrap_or_else(|| values::of_schema(schema, random, 0)))
            }
            None => ModelAnswer::Text(text(random)),
        }),
        EffectCall::Agent(_) => AttemptSuccess::Report {
            report: AgentReport {
                report: text(random),
                transcript: None,
            },
            confinement: None,
        },
        EffectCall::Code(_) | EffectCall::Tool(_) => AttemptSuccess::Process {
            stdout: text(random),
            stderr: String::new(),
            exit_code: 0,
            confinement: None,
        },
    })
}
