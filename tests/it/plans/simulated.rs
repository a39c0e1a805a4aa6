//! Each in made-up worlds, in two orders each: in 60 of them, or in the 200 and more that `PLANWRIGHT_RUNS` asks for.

use std::collections::BTreeSet;

use plan_testkit::Call;
use plan_testkit::simulate::{Chances, SimulatedCall, Simulation};
use planwright::run::{Effect, Failure};
use planwright::{Dispatched, RunId, StepStatus, ToolError};
use serde_json::{Value, json};

use super::checked::all;
use super::stage::{CANARY, Stage, World};

/// The world's tool in place of a made-up one.
fn tool(world: World, name: &str, call: &SimulatedCall) -> Result<Value, Box<Failure>> {
    let mut arguments = call.arguments.clone();
    for value in arguments.values_mut() {
        // what every secret of a simulation is
        if *value == json!("a secret") {
            *value = json!(CANARY);
        }
    }
    let call = Call {
        tool: name.parse().unwrap(),
        run: RunId::new("simulated").unwrap(),
        step: call.step.clone(),
        attempt: call.tried + 1,
        key: call.key.clone(),
        arguments,
    };
    (world.tool)(&call).map_err(failed)
}

fn failed(error: ToolError) -> Box<Failure> {
    let effect = match error.dispatched {
        Dispatched::No => Effect::None,
        Dispatched::Yes | Dispatched::Unknown => Effect::Unknown,
    };
    let failure = Failure::new(error.class, error.message);
    Box::new(failure.with_retry(error.retry).with_effect(effect))
}

fn worlds() -> u64 {
    let wanted = std::env::var("PLANWRIGHT_RUNS").ok();
    wanted.map_or(60, |runs| runs.parse::<u64>().unwrap_or(0).clamp(60, 200))
}

/// What a gate says that the policy lets through.
fn gate(call: &SimulatedCall) -> Value {
    let release = |name: &str| {
        json!({
            "component": name,
            "artifact": format!("https://registry.example.com/{name}"),
            "digest": "sha256:00000001",
        })
    };
    let releases = [release("engine"), release("docs")];
    let green = call.random().chance(80);
    json!({"green": green, "red": "", "shown": "", "releases": releases})
}

/// Simulates one example, and gives the steps that succeeded in none of them.
fn never(example: &str, world: World) -> Vec<String> {
    let stage = Stage::new(example, world);
    let mut simulation = Simulation::of(&stage.plan)
        .inputs(stage.inputs.clone())
        .step("gate", |call| Ok(gate(call)));
    for name in stage.plan.grant().tools().keys() {
        let tool_name = name.to_string();
        simulation = simulation.tool(name.as_str(), move |call| tool(world, &tool_name, call));
    }
    let steps = stage.plan.plan().steps.iter();
    let mut never: BTreeSet<String> = steps.map(|step| step.id.to_string()).collect();
    for seed in 0..worlds() {
        let chances = if seed % 4 == 0 {
            Chances::none()
        } else {
            Chances::default()
        };
        let world = simulation.clone().seed(seed).chances(chances);
        let run = world.clone().untraced().run_twice();
        if !run.broken.is_empty() {
            let traced = world.run_twice();
            panic!("{example}, seed {seed}: {traced}");
        }
        for (path, step) in run.record.all_steps() {
            if step.status == StepStatus::Succeeded {
                never.remove(path.step().as_str());
            }
        }
    }
    never.into_iter().collect()
}

#[test]
fn each_is_sound_in_every_world_and_no_step_is_out_of_their_reach() {
    std::thread::scope(|scope| {
        for (example, world) in all() {
            scope.spawn(move || assert_eq!(never(example, world), [""; 0], "{example}"));
        }
    });
}
