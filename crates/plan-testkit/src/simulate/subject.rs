//! What a campaign simulates: a generated plan, in a world that follows from the same seed.

use std::cell::RefCell;

use plan_run::{Machine, NewRun, RunId};
use plan_validate::ValidatedPlan;
use serde_json::{Map, Value, json};

use super::effects::draw;
use super::{Chances, Simulated, Simulation};
use crate::Case;
use crate::generate::{self, Random};

/// So many seeds in a row have one plan: checking one costs more than running it.
const SEEDS: u64 = 16;

/// A plan of a campaign in its world.
#[derive(Debug)]
pub struct Subject {
    /// The seed that it follows from.
    pub seed: u64,
    /// The world, ready to run.
    pub simulation: Simulation,
}

/// A plan that the machine runs, and inputs that it takes.
type Runnable = (ValidatedPlan, Map<String, Value>);

thread_local! {
    static LAST: RefCell<Option<(u64, Runnable)>> = const { RefCell::new(None) };
}

/// The subject of a seed.
///
/// Plans of every shape.
pub fn subject(seed: u64) -> Subject {
    let (plan, inputs) = planned(seed / SEEDS);
    let worlds = [
        Chances::default(),
        Chances::default(),
        Chances::rough(),
        Chances::steady(),
    ];
    let mut random = draw(seed, &["world"], 0);
    let chances = random.pick(&worlds).copied().unwrap_or_default();
    let mut simulation = Simulation::of(&plan)
        .inputs(inputs)
        .seed(seed)
        .chances(chances)
        .tool("anything", |call| Ok(anything(&mut call.random())))
        .tool("send", |call| Ok(anything(&mut call.random())));
    if random.chance(10) {
        let millis = i64::try_from(random.below(40_000)).unwrap_or(0);
        simulation.deadline = Some(plan_model::Timestamp::from_millis(millis));
    }
    Subject { seed, simulation }
}

impl Subject {
    /// Runs it twice; what is broken is told with the trace and the command that shows it again.
    pub fn verdict(&self) -> Option<String> {
        let broken = self.simulation.clone().untraced().run_twice();
        if broken.broken.is_empty() {
            return None;
        }
        let traced: Simulated = self.simulation.run_twice();
        Some(format!(
            "{traced}\nagain: PLANWRIGHT_SEED={} cargo test -p plan-testkit --test it simulation::one_seed -- --nocapture",
            self.seed
        ))
    }
}

/// What the tools of generated plans return that have no schema.
fn anything(random: &mut Random) -> Value {
    let text = format!("https://example.com/{}", random.below(1_000));
    json!({
        "answer": text,
        "merged": text,
        "whatever": {"it": [0, 1, 2, {"is": text}]},
    })
}

fn planned(seed: u64) -> Runnable {
    let last = LAST.with_borrow(|last| match last {
        Some((same, found)) if *same == seed => Some(found.clone()),
        _ => None,
    });
    if let Some(found) = last {
        return found;
    }
    let mut random = draw(seed, &["plan"], 0);
    loop {
        let size = 1 + random.below(5);
        let case = generate::plan_of(random.bits(), size);
        let ruffled = ruffled(case.clone(), &mut random);
        let is_tight = random.chance(40);
        let bytes = random.chance(30).then(|| 60 + 40 * random.below(20));
        let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
        let found = [ruffled, case].into_iter().find_map(|case| {
            let found = runnable_within(&case, bytes)?;
            let tight = is_tight.then(|| tight(case, &found.0)).flatten();
            tight.or(Some(found))
        });
        if let Some((plan, inputs)) = found {
            LAST.set(Some((seed, (plan.clone(), inputs.clone()))));
            return (plan, inputs);
        }
    }
}

fn runnable(case: &Case) -> Option<Runnable> {
    runnable_within(case, None)
}

/// The same, where what all steps deliver has a bound.
fn runnable_within(case: &Case, bytes: Option<u64>) -> Option<Runnable> {
    let plan = case.validated_under(|limits| {
        if let Some(bytes) = bytes {
            limits.run_output_bytes = bytes;
        }
    })?;
    let inputs = case.inputs.clone().unwrap_or_default();
    let run = RunId::new("tried").ok()?;
    let fits = Machine::create(&plan, NewRun::new(run, inputs.clone())).is_ok();
    fits.then_some((plan, inputs))
}

/// The plan with no more calls than it makes when nothing goes wrong twice.
fn tight(mut case: Case, plan: &ValidatedPlan) -> Option<Runnable> {
    let calls = plan.bounds().tool_calls;
    let document = case.document.as_object_mut()?;
    let limits = document.entry("limits").or_insert_with(|| json!({}));
    limits
        .as_object_mut()?
        .insert("max_tool_calls".to_owned(), json!(calls));
    runnable(&case)
}

/// The plan with more that can go wrong: bounds, retries, limits of time, failures that it goes on after.
fn ruffled(mut case: Case, random: &mut Random) -> Case {
    let Some(plan) = case.document.as_object_mut() else {
        return case;
    };
    let steps = plan.get_mut("steps").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten() {
        let kind = step.pointer("/config/type").and_then(Value::as_str);
        let is_question = kind == Some("HUMAN_INTERACTION");
        let performs = matches!(kind, Some("TOOL_CALL" | "CODE_CALL" | "PROMPT_CALL"));
        let Some(members) = step.as_object_mut() else {
            continue;
        };
        if random.chance(25) {
            members.insert("on_error".to_owned(), json!("continue"));
        }
        if performs && random.chance(40) {
            let retry = json!({"max_attempts": 3, "delay_secs": 1, "backoff": true});
            members.insert("retry".to_owned(), retry);
        }
        if (performs || is_question) && random.chance(30) {
            members.insert("timeout_secs".to_owned(), json!(30));
        }
    }
    if random.chance(60) {
        plan.insert("failure_policy".to_owned(), json!("finish_independent"));
    }
    let mut limits = Map::new();
    if random.chance(10) {
        limits.insert("max_wall_secs".to_owned(), json!(5 + random.below(40)));
    }
    if random.chance(25) {
        let tokens = 300 + random.below(3_000);
        limits.insert("max_model_tokens".to_owned(), json!(tokens));
    }
    if random.chance(30) {
        limits.insert("max_concurrency".to_owned(), json!(1 + random.below(3)));
    }
    if !limits.is_empty() {
        plan.insert("limits".to_owned(), Value::Object(limits));
    }
    case
}
