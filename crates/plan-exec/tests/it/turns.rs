//! The calls that a tool takes at one time, whoever makes them.

use std::time::Duration;

use plan_exec::{Inputs, ToolRegistry};
use plan_model::{AgentName, ModelName};
use plan_run::{Effect, FailureClass, RunRecord, RunStatus};
use plan_testkit::{Scripted, ScriptedModel};
use plan_validate::policy::Roots;
use plan_validate::{AgentKind, AgentSpec, Policy};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::lab::{Lab, call, plan, plan_with, registry, with};

const WORK: Duration = Duration::from_millis(10);

/// A tool that takes so many calls at one time.
fn narrow(calls: u64) -> Scripted {
    Scripted::tool("narrow").after(WORK).max_concurrency(calls)
}

fn lab() -> Lab {
    let mut policy = Policy::default();
    policy.roots = Roots::Unrestricted;
    Lab::with_policy(policy)
}

/// The tool, and an agent that is a loop over `m`.
fn with_agent(tool: &Scripted) -> ToolRegistry {
    let mut spec = AgentSpec::new(AgentName::new("coder").unwrap(), AgentKind::Loop);
    spec.model = Some(model_name());
    let tools = registry([tool]);
    let catalog = tools.catalog().clone().with_agent(spec);
    let narrow = tools.catalog().tools().next().unwrap().name().clone();
    let tool = tools.tool(&narrow).unwrap().clone();
    ToolRegistry::from_catalog(catalog).implement(tool).unwrap()
}

fn model_name() -> ModelName {
    ModelName::new("m").unwrap()
}

fn agent(id: &str) -> Value {
    json!({"id": id, "name": id, "config": {
        "type": "AGENT_CALL", "objective": "mend it", "working_dir": ".", "agent": "coder",
        "tools": ["narrow"], "timeout_secs": 600,
    }})
}

async fn run(lab: &Lab, text: &Value, tools: &ToolRegistry, model: ScriptedModel) -> RunRecord {
    let plan = lab.check(text, tools);
    let executor = lab.executor(tools).model(model_name(), model);
    let handle = executor.start(plan, Inputs::none()).await.unwrap();
    handle.wait().await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn items_of_a_fan_out_take_turns() {
    let lab = Lab::new();
    let tool = narrow(2);
    let each = json!({"type": "FAN_OUT", "over": "${conf.rows}", "item_var": "row", "spawn_steps": ["get"], "max_parallel": 6});
    let text = plan_with(
        &[
            json!({"id": "each", "name": "each", "config": each}),
            call("get", "narrow", json!({"row": "${item.row}"})),
        ],
        json!({"config": {"rows": [0, 1, 2, 3, 4, 5]}}),
    );
    let began = Instant::now();
    let record = lab.run(&text, &registry([&tool])).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!((tool.log().peak(), began.elapsed()), (2, 3 * WORK));
}

#[tokio::test(start_paused = true)]
async fn agents_and_steps_take_turns() {
    let lab = lab();
    let tool = narrow(1);
    let tools = with_agent(&tool);
    let mut steps = vec![agent("a"), agent("b"), agent("c")];
    steps.extend((0..2).map(|at| call(&format!("s{at}"), "narrow", json!({}))));
    let asks = (0..3).fold(ScriptedModel::new(), |model, _| {
        model.asks_for("narrow", json!({}))
    });
    let model = (0..3).fold(asks, |model, _| model.says("done"));
    let began = Instant::now();
    let record = run(&lab, &plan(&steps), &tools, model).await;
    assert_eq!(
        record.status(),
        RunStatus::Succeeded,
        "{:?}",
        record.failure()
    );
    assert_eq!(tool.calls().len(), 5);
    assert_eq!((tool.log().peak(), began.elapsed()), (1, 5 * WORK));
}

#[tokio::test(start_paused = true)]
async fn runs_of_one_executor_take_turns() {
    let lab = Lab::new();
    let tool = narrow(1);
    let tools = registry([&tool]);
    let text = plan(&[call("a", "narrow", json!({}))]);
    let executor = lab.executor(&tools);
    let began = Instant::now();
    let mut runs = Vec::new();
    for _ in 0..4 {
        let plan = lab.check(&text, &tools);
        runs.push(executor.start(plan, Inputs::none()).await.unwrap());
    }
    for run in runs {
        assert_eq!(run.wait().await.unwrap().status(), RunStatus::Succeeded);
    }
    assert_eq!((tool.log().peak(), began.elapsed()), (1, 4 * WORK));
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_turn_never_came_changed_nothing() {
    let lab = Lab::new();
    let tool = Scripted::tool("narrow").hangs().max_concurrency(1);
    let tools = registry([&tool]);
    let text = |version: u64, step: Value| {
        let mut text = plan(&[with(call("a", "narrow", json!({})), step)]);
        text["metadata"]["version"] = version.into();
        text
    };
    let executor = lab.executor(&tools);
    let begin = async |text: Value| {
        let plan = lab.check(&text, &tools);
        executor.start(plan, Inputs::none()).await.unwrap()
    };
    let first = begin(text(1, json!({"timeout_secs": 60}))).await;
    while tool.calls().is_empty() {
        tokio::task::yield_now().await;
    }
    let second = begin(text(2, json!({"timeout_secs": 5}))).await;
    let record = second.wait().await.unwrap();
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::Timeout);
    assert_eq!(failure.effect, Effect::None);
    assert_eq!(tool.calls().len(), 1);
    // the one that had its turn may have acted
    let record = first.wait().await.unwrap();
    assert_eq!(record.failure().unwrap().effect, Effect::Unknown);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_waits_for_a_turn_ends_with_its_run() {
    let lab = lab();
    let tool = Scripted::tool("narrow").hangs().max_concurrency(1);
    let tools = with_agent(&tool);
    let steps = [
        with(
            call("s", "narrow", json!({})),
            json!({"timeout_secs": 3000}),
        ),
        agent("a"),
    ];
    let model = ScriptedModel::new()
        .asks_for("narrow", json!({}))
        .says("done");
    let record = run(&lab, &plan(&steps), &tools, model).await;
    let a = record.step("a").unwrap();
    assert_eq!(a.attempts[0].calls.len(), 1);
    assert_eq!(tool.calls().len(), 1, "the agent's own call was never made");
}
