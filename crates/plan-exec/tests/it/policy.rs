//! A plan that was checked under another policy than that of the executor.

use plan_exec::{Inputs, StartError, ToolRegistry};
use plan_model::ToolName;
use plan_run::RunStatus;
use plan_store::{Page, RunFilter, RunStore};
use plan_testkit::Scripted;
use plan_validate::Policy;
use serde_json::json;

use crate::lab::{Lab, call, plan, registry};

/// What a start says where the policy of the check and that of the executor are these.
async fn start(checked: Policy, own: Policy) -> Result<RunStatus, StartError> {
    let act = Scripted::tool("act");
    let tools: ToolRegistry = registry([&act]);
    let lab = Lab::with_policy(checked);
    let plan = lab.check(&plan(&[call("a", "act", json!({}))]), &tools);
    let host = Lab { policy: own, ..lab };
    let started = host.executor(&tools).start(plan, Inputs::none()).await;
    match started {
        Ok(run) => Ok(run.wait().await.unwrap().status()),
        Err(refused) => {
            assert_eq!(act.calls(), []);
            let (filter, page) = (RunFilter::default(), Page::default());
            let runs = host.store.list(&filter, &page).await.unwrap();
            assert_eq!(runs.heads, []);
            Err(refused)
        }
    }
}

#[tokio::test]
async fn a_start_under_a_policy_that_grants_something_else_is_refused() {
    let asks = Policy::default().require_approval_of(ToolName::new("act").unwrap());
    for (checked, own) in [(Policy::default(), asks.clone()), (asks, Policy::default())] {
        let refused = start(checked, own).await.unwrap_err();
        assert!(
            matches!(refused, StartError::GrantDiffers { .. }),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn a_start_under_a_policy_that_refuses_the_plan_is_refused() {
    let mut none = Policy::default();
    none.tools = Some(std::collections::BTreeSet::new());
    let refused = start(Policy::default(), none).await.unwrap_err();
    assert!(matches!(refused, StartError::PlanRejected(_)), "{refused}");
}

#[tokio::test]
async fn a_policy_that_grants_the_same_is_as_good() {
    let mut other = Policy::default();
    other.limits.findings = 7;
    let status = start(Policy::default(), other).await.unwrap();
    assert_eq!(status, RunStatus::Succeeded);
}

#[tokio::test]
async fn a_start_with_a_delisted_tool_is_refused() {
    let lab = Lab::new();
    let listed = registry([&Scripted::tool("act")]);
    let plan = lab.check(&plan(&[call("a", "act", json!({}))]), &listed);
    let delisted = registry([&Scripted::tool("act").declared(|spec| spec.allowlisted = false)]);
    let refused = lab
        .executor(&delisted)
        .start(plan, Inputs::none())
        .await
        .unwrap_err();
    assert!(matches!(refused, StartError::Unequipped(_)), "{refused}");
}
