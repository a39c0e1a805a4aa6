//! What changed between a run and its resume.

use async_trait::async_trait;
use plan_exec::{LoadError, ResumeError};
use plan_model::PlanId;
use plan_run::Answer;
use plan_store::{
    MemoryStore, Page, PlanCursor, PlanHead, PlanPage, PlanStore, StoreError, StoredPlan,
    VersionSpec,
};
use plan_testkit::Scripted;
use plan_validate::Policy;
use serde_json::json;

use crate::lab::{Lab, Split, ask, call, plan, registry, somebody, statuses, with};

fn waiting() -> serde_json::Value {
    plan(&[
        ask("gate", json!({"approval_required": true})),
        with(
            call("act", "act", json!({"amount": 10})),
            json!({"depends_on": ["gate"]}),
        ),
    ])
}

/// A plan store in which somebody has edited the rows.
#[derive(Debug, Clone)]
struct Edited(MemoryStore, &'static str, &'static str);

#[async_trait]
impl PlanStore for Edited {
    async fn put(&self, plan: StoredPlan, expected: Option<u64>) -> Result<(), StoreError> {
        self.0.put(plan, expected).await
    }

    async fn get(&self, id: PlanId, version: VersionSpec) -> Result<StoredPlan, StoreError> {
        let mut plan = self.0.get(id, version).await?;
        assert!(plan.document.contains(self.1), "{}", plan.document);
        plan.document = plan.document.replace(self.1, self.2);
        Ok(plan)
    }

    async fn history(&self, id: PlanId) -> Result<Vec<PlanHead>, StoreError> {
        self.0.history(id).await
    }

    async fn plans(&self, page: &Page<PlanCursor>) -> Result<PlanPage, StoreError> {
        self.0.plans(page).await
    }
}

#[tokio::test]
async fn case_47_an_edited_plan_runs_nothing() {
    for (from, to) in [("\"amount\":10", "\"amount\":1000"), ("\"act\"", "\"axt\"")] {
        let lab = Lab::new();
        let act = Scripted::tool("act");
        let tools = registry([&act]);
        let run = lab.start(&waiting(), &tools).await;
        run.wait().await.unwrap();
        let store = Split {
            runs: lab.store.clone(),
            plans: Edited(lab.store.clone(), from, to),
        };
        let executor = lab.executor_over(&tools, store);
        let refused = executor.resume(run.id()).await.unwrap_err();
        let differs = matches!(
            &refused,
            ResumeError::Load(LoadError::PlanDiffers { .. } | LoadError::PlanRejected { .. })
        );
        assert!(differs, "{refused}");
        // and the claim was given up again
        lab.resume(&tools, run.id()).await;
        assert_eq!(act.calls(), []);
    }
}

#[tokio::test]
async fn case_48_a_changed_tool_stops_the_resume_and_an_added_one_does_not() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("act")]);
    let run = lab.start(&waiting(), &tools).await;
    run.wait().await.unwrap();
    for changed in [
        registry([&Scripted::tool("act").idempotent()]),
        registry([&Scripted::tool("act").takes(json!({"type": "object"}))]),
        registry([&Scripted::tool("other")]),
    ] {
        let refused = lab.executor(&changed).resume(run.id()).await.unwrap_err();
        assert!(
            matches!(&refused, ResumeError::Load(LoadError::ToolsDiffer { tools, .. }) if tools[0] == "act"),
            "{refused}"
        );
        assert_eq!(
            refused.to_string(),
            format!("tools of run `{}` are gone or changed: `act`", run.id())
        );
    }
    let more = registry([&Scripted::tool("act"), &Scripted::tool("other")]);
    lab.resume(&more, run.id()).await;
}

#[tokio::test]
async fn a_policy_that_grants_something_else_stops_the_resume() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("act")]);
    let run = lab.start(&waiting(), &tools).await;
    run.wait().await.unwrap();
    let name = plan_model::ToolName::new("act").unwrap();
    let stricter = Lab {
        policy: Policy::default().require_approval_of(name),
        ..lab.clone()
    };
    let refused = stricter
        .executor(&tools)
        .resume(run.id())
        .await
        .unwrap_err();
    assert!(
        matches!(refused, ResumeError::Load(LoadError::GrantDiffers { .. })),
        "{refused}"
    );
}

#[tokio::test]
async fn case_48_an_approval_of_a_call_is_worth_nothing_once_its_tool_has_changed() {
    let name = plan_model::ToolName::new("act").unwrap();
    let lab = Lab::with_policy(Policy::default().require_approval_of(name));
    let approved = Scripted::tool("act");
    let tools = registry([&approved]);
    let text = plan(&[call("a", "act", json!({"amount": 10}))]);
    let run = lab.start(&text, &tools).await;
    let request = run.wait().await.unwrap().waiting()[0].id.clone();
    run.answer(request, Answer::Approve, somebody())
        .await
        .unwrap();
    // the same name, and something else behind it
    let other = Scripted::tool("act").takes(json!({"type": "object"}));
    let refused = lab
        .executor(&registry([&other]))
        .resume(run.id())
        .await
        .unwrap_err();
    let told = matches!(&refused, ResumeError::Load(LoadError::ToolsDiffer { .. }));
    assert!(told, "{refused}");
    assert_eq!((approved.calls(), other.calls()), (vec![], vec![]));
    // the tool that was approved is called, once
    lab.resume(&tools, run.id()).await;
    assert_eq!(approved.calls().len(), 1);
}

#[tokio::test]
async fn case_49_a_tool_that_is_gone_stops_the_resume_before_any_effect() {
    let lab = Lab::new();
    let (first, last) = (Scripted::tool("first"), Scripted::tool("last"));
    let text = plan(&[
        ask("gate", json!({"approval_required": true})),
        with(
            call("a", "first", json!({})),
            json!({"depends_on": ["gate"]}),
        ),
        with(call("b", "last", json!({})), json!({"depends_on": ["a"]})),
    ]);
    let run = lab.start(&text, &registry([&first, &last])).await;
    let request = run.wait().await.unwrap().waiting()[0].id.clone();
    run.answer(request, Answer::Approve, somebody())
        .await
        .unwrap();
    // the first step could go on: its tool is there
    let refused = lab
        .executor(&registry([&first]))
        .resume(run.id())
        .await
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("tools of run `{}` are gone or changed: `last`", run.id())
    );
    assert_eq!(first.calls(), []);
    let record = lab.resume(&registry([&first, &last]), run.id()).await;
    assert_eq!(
        statuses(&record),
        "gate succeeded, a succeeded, b succeeded"
    );
}
