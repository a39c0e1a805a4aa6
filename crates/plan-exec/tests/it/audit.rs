//! The record of a run, where nobody could drive it any more.

use plan_exec::{Executor, LoadError, ResumeError, ToolRegistry, read_run};
use plan_run::{RunId, RunRecord, RunStatus};
use plan_testkit::Scripted;
use plan_validate::Policy;
use serde_json::{Value, json};

use crate::lab::{Lab, ask, call, plan, registry, statuses, with};

/// The record that a host reads which has no tool at all and allows nothing.
async fn read_elsewhere(lab: &Lab, run: &RunId) -> RunRecord {
    let mut policy = Policy::default();
    policy.tools = Some(std::collections::BTreeSet::new());
    let host = Executor::new(ToolRegistry::new(), lab.store.clone()).policy(policy);
    let opened = host.open(run).await.unwrap();
    assert_eq!(opened, read_run(&lab.store, run).await.unwrap());
    let refused = host.resume(run).await.unwrap_err();
    let told = matches!(
        refused,
        ResumeError::Load(LoadError::ToolsDiffer { .. } | LoadError::PlanRejected { .. })
    );
    assert!(told, "{refused}");
    opened
}

#[tokio::test]
async fn a_waiting_a_failed_and_a_finished_run_are_read_without_their_tools() {
    let broken = Scripted::tool("act").fails(plan_exec::ToolError::permanent("no"));
    for (gate, act, expected) in [
        (true, Scripted::tool("act"), RunStatus::Waiting),
        (false, broken, RunStatus::Failed),
        (false, Scripted::tool("act"), RunStatus::Succeeded),
    ] {
        let lab = Lab::new();
        let tools = registry([&act]);
        let mut steps: Vec<Value> = vec![call("act", "act", json!({"x": 1}))];
        if gate {
            steps.insert(0, ask("gate", json!({"approval_required": true})));
            steps[1] = with(steps[1].clone(), json!({"depends_on": ["gate"]}));
        }
        let run = lab.start(&plan(&steps), &tools).await;
        let record = run.wait().await.unwrap();
        assert_eq!(record.status(), expected);
        assert_eq!(read_elsewhere(&lab, run.id()).await, record);
    }
}

#[tokio::test]
async fn a_run_of_an_imported_plan_with_long_names_is_read_and_resumed() {
    let lab = Lab::new();
    let act = Scripted::tool("act");
    let tools = registry([&act]);
    let long = "a".repeat(200);
    let bundle = json!({
        "format_version": 1, "exported_at": "2026-01-01T00:00:00Z", "app_version": "1.0",
        "plan": plan(&[call(&long, "act", json!({}))]), "tools": [],
    });
    let list = bundle.to_string();
    let cx = plan_validate::Context::new(tools.catalog(), &lab.policy);
    let plan = plan_validate::check(&list, &cx).unwrap();
    let run = lab
        .executor(&tools)
        .start(plan, plan_exec::Inputs::none())
        .await
        .unwrap();
    let record = run.wait().await.unwrap();
    assert_eq!(statuses(&record), format!("{long} succeeded"));
    assert_eq!(read_elsewhere(&lab, run.id()).await, record);
    let over = lab.executor(&tools).resume(run.id()).await.unwrap_err();
    assert!(matches!(over, ResumeError::Finished { .. }), "{over}");
}
