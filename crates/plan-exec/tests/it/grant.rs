//! The grant at the effect: what was allowed before the run is checked again at the call.

use plan_run::{Effect, FailureClass, RunStatus};
use plan_testkit::Scripted;
use plan_validate::{ArgRule, Policy};
use serde_json::json;

use crate::lab::{Lab, call, plan, registry, statuses};

fn policy() -> Policy {
    let tool = plan_model::ToolName::new("send").unwrap();
    Policy::default().argument(tool, "to", ArgRule::OneOf(vec![json!("ada"), json!("bob")]))
}

#[tokio::test]
async fn a_value_that_policy_does_not_allow_is_refused_at_the_call() {
    for (to, status) in [
        ("ada", RunStatus::Succeeded),
        ("mallory", RunStatus::Failed),
    ] {
        let lab = Lab::with_policy(policy());
        let find = Scripted::tool("find").returns(json!({"to": to}));
        let send = Scripted::tool("send");
        let text = plan(&[
            call("find", "find", json!({})),
            call("send", "send", json!({"to": "${step.find.to}"})),
        ]);
        let record = lab.run(&text, &registry([&find, &send])).await;
        assert_eq!(record.status(), status, "{to}: {}", statuses(&record));
        if status == RunStatus::Failed {
            assert_eq!(send.calls(), []);
            let failure = record.failure().unwrap();
            assert_eq!(
                (failure.class, failure.effect),
                (FailureClass::RefusedByGrant, Effect::None)
            );
        } else {
            assert_eq!(send.calls().len(), 1);
        }
    }
}
