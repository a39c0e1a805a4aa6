//! Agents of the application's own, and what becomes of attempts and calls in flight.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use plan_exec::{
    AgentRunner, AgentTask, Dispatched, Inputs, StartError, ToolContext, ToolError, ToolRegistry,
    Unequipped,
};
use plan_run::event::EventKind;
use plan_run::{AgentReport, Decision, Effect, FailureClass, RunRecord, RunStatus, StepStatus};
use plan_testkit::{Gate, Scripted, ScriptedModel};
use plan_validate::{AgentKind, AgentSpec};
use serde_json::{Value, json};

use super::{agent, agent_name, executor, lab, looping, policy, run};
use crate::lab::{Lab, object, plan, registry, somebody, statuses};

/// An agent of the application's own.
#[derive(Debug, Clone)]
struct Own {
    gate: Option<Gate>,
    fails: Option<ToolError>,
}

#[async_trait]
impl AgentRunner for Own {
    async fn run(&self, task: AgentTask, cx: &ToolContext) -> Result<AgentReport, ToolError> {
        if let Some(gate) = &self.gate {
            gate.pass().await;
        }
        if let Some(error) = &self.fails {
            return Err(error.clone());
        }
        let grant = task.tools.grant().unwrap();
        Ok(AgentReport {
            report: format!(
                "{} in {} as {} with {} tools",
                task.objective,
                task.working_dir,
                cx.step_path(),
                grant.tools().len()
            ),
            transcript: None,
        })
    }
}

fn own(runner: Own, tools: &[&Scripted]) -> ToolRegistry {
    registry(tools.iter().copied()).with_agent(
        AgentSpec::new(agent_name(), AgentKind::Subprocess),
        Arc::new(runner),
    )
}

const WORKS: Own = Own {
    gate: None,
    fails: None,
};

#[tokio::test(start_paused = true)]
async fn an_agent_is_granted_exactly_its_tools() {
    let lab = lab();
    let (one, two) = (Scripted::tool("one"), Scripted::tool("two"));
    let tools = own(WORKS, &[&one, &two]);
    let text = plan(&[
        crate::lab::call("t", "two", json!({})),
        agent("a", json!({"tools": ["one"]})),
    ]);
    let handle = lab.start(&text, &tools).await;
    let record = handle.wait().await.unwrap();
    assert_eq!(
        record.step("a").unwrap().outputs["report"],
        "mend it in . as a with 1 tools"
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_nothing_runs_is_refused_before_the_run_exists() {
    let lab = lab();
    let bare = ToolRegistry::new().with_default_agent(Arc::new(WORKS));
    let spec = AgentSpec::new(agent_name(), AgentKind::Subprocess);
    let described = ToolRegistry::from_catalog(bare.catalog().clone().with_agent(spec));
    let plan_of = |config: Value| plan(&[agent("a", config)]);
    let start = |tools: ToolRegistry, text: Value| {
        let checked = lab.check(&text, &tools);
        let executor = lab.executor(&tools);
        async move { executor.start(checked, Inputs::none()).await }
    };
    let refused = start(described, plan_of(json!({}))).await.unwrap_err();
    assert!(matches!(
        refused,
        StartError::Unequipped(Unequipped::NoAgent { agent: Some(_), .. })
    ));
    assert_eq!(
        refused.to_string(),
        "step `a` uses the agent `coder`, and nothing runs it"
    );
    let refused = start(looping([]), plan_of(json!({}))).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "step `a` asks the model `m`, and nothing answers for it"
    );
    let unnamed = plan_of(json!({"agent": null}));
    let refused = start(ToolRegistry::new(), unnamed.clone())
        .await
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "step `a` uses the host's default agent, and nothing runs it"
    );
    let record = start(bare, unnamed).await.unwrap().wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Succeeded);
}

#[test]
fn case_45_an_agent_in_flight_at_a_crash_is_in_doubt() {
    let mut lab = Lab::manual();
    lab.policy = policy();
    let gate = Gate::new();
    let tools = own(
        Own {
            gate: Some(gate.clone()),
            fails: None,
        },
        &[],
    );
    let new_runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
    };
    let text = plan(&[agent("a", json!({}))]);
    let dying = new_runtime();
    let run = dying.block_on(async {
        let handle = lab.start(&text, &tools).await;
        gate.arrived(1).await;
        handle.id().clone()
    });
    dying.shutdown_background();
    lab.after_the_claim();
    let record = new_runtime().block_on(lab.resume(&tools, &run));
    assert_eq!(record.status(), RunStatus::Waiting);
    assert_eq!(record.step("a").unwrap().status, StepStatus::InDoubt);
    let record = new_runtime().block_on(async {
        let executor = lab.executor(&tools);
        let step = "a".parse().unwrap();
        let done = object(json!({"report": "it was done"}));
        executor
            .decide(&run, step, Decision::MarkSucceeded(done.into()), somebody())
            .await
            .unwrap();
        executor.resume(&run).await.unwrap().wait().await.unwrap()
    });
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(record.step("a").unwrap().outputs["report"], "it was done");
}

#[tokio::test(start_paused = true)]
async fn a_call_in_flight_ends_with_its_agent() {
    let lab = lab();
    let slow = Scripted::tool("slow").hangs();
    let tools = looping([&slow]);
    let model = ScriptedModel::new().asks_for("slow", json!({}));
    let text = plan(&[agent("a", json!({"tools": ["slow"], "timeout_secs": 5}))]);
    let record = run(&lab, &text, &tools, &model).await;
    let failure = record.failure().unwrap();
    assert_eq!(
        (failure.class, failure.effect),
        (FailureClass::Timeout, Effect::Unknown)
    );
    assert_eq!(slow.log().running(), 0);
    let call = &record.step("a").unwrap().attempts[0].calls[0];
    assert!(call.ended_at.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_tool_of_an_agent_has_its_own_time() {
    let lab = lab();
    let slow = Scripted::tool("slow")
        .timeout(Duration::from_secs(1))
        .hangs();
    let tools = looping([&slow]);
    let model = ScriptedModel::new()
        .asks_for("slow", json!({}))
        .says("gave up");
    let text = plan(&[agent("a", json!({"tools": ["slow"]}))]);
    let record = run(&lab, &text, &tools, &model).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    let call = &record.step("a").unwrap().attempts[0].calls[0];
    assert_eq!(call.failure.as_ref().unwrap().class, FailureClass::Timeout);
}

#[tokio::test(start_paused = true)]
async fn what_an_own_agent_says_of_its_failure_stands() {
    let error = ToolError::new(FailureClass::ExitStatus, "the agent ended with exit code 3")
        .dispatched(Dispatched::Yes)
        .output(Some("partly".into()), None);
    let runner = Own {
        gate: None,
        fails: Some(error),
    };
    let lab = lab();
    let tools = own(runner, &[]);
    let handle = lab.start(&plan(&[agent("a", json!({}))]), &tools).await;
    let record = handle.wait().await.unwrap();
    let failure = record.failure().unwrap();
    assert_eq!(
        (failure.class, failure.effect),
        (FailureClass::ExitStatus, Effect::Unknown)
    );
    assert_eq!(record.step("a").unwrap().stdout.as_deref(), Some("partly"));
    assert_eq!(statuses(&record), "a failed");
}

#[tokio::test(start_paused = true)]
async fn a_call_is_in_the_journal_before_it_is_made() {
    let lab = lab();
    let gate = Gate::new();
    let slow = Scripted::tool("slow").returns(json!(1)).past(&gate);
    let tools = looping([&slow]);
    let model = ScriptedModel::new()
        .asks_for("slow", json!({"a": 1}))
        .says("done");
    let text = plan(&[agent("a", json!({"tools": ["slow"]}))]);
    let checked = lab.check(&text, &tools);
    let handle = executor(&lab, &tools, &model)
        .start(checked, Inputs::none())
        .await
        .unwrap();
    gate.arrived(1).await;
    let journal = lab.journal(handle.id()).await;
    assert!(journal.iter().any(|event| matches!(
        &event.kind,
        EventKind::AgentCalled(called) if called.tool == "slow" && called.refusal.is_none()
    )));
    gate.open();
    let record = handle.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Succeeded);
    let journal = lab.journal(record.run_id()).await;
    let replayed = RunRecord::replay(checked_plan(&lab, &text, &tools), journal).unwrap();
    assert_eq!(replayed, record);
}

fn checked_plan(lab: &Lab, text: &Value, tools: &ToolRegistry) -> plan_model::Plan {
    lab.check(text, tools).plan().clone()
}
