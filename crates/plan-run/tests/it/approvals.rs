//! Approvals of effects, which the host's policy asks for at the call.

use plan_model::ToolName;
use plan_run::{Answer, AnswerRefused, CallTarget, RequestKind, StepStatus};
use plan_validate::Policy;
use serde_json::{Value, json};

use crate::harness::{Driver, call, call_with, plan_under, somebody};

fn asking(steps: &Value, inputs: Value) -> Driver {
    let policy = Policy::default().require_approval_of(ToolName::new("send").unwrap());
    let more = json!({ "inputs": [{ "name": "to", "value_type": "string" }] });
    Driver::start(plan_under(steps, &more, &policy), inputs, |_| {})
}

fn sends() -> Driver {
    let steps = json!([
        call_with("a", "send", &json!({ "to": "${input.to}", "text": "hi" })),
        call("b", "read", &["a"], &json!({})),
    ]);
    asking(&steps, json!({ "to": "alice" }))
}

#[test]
fn a_call_that_needs_approval_asks_with_its_exact_arguments() {
    let run = sends();
    let requests = run.machine.requests();
    let request = requests[0];
    assert_eq!(request.kind, RequestKind::Effect);
    let call = request.call.as_ref().unwrap();
    assert_eq!(
        call.target,
        CallTarget::Tool(ToolName::new("send").unwrap())
    );
    assert_eq!(
        Value::Object((*call.arguments).clone()),
        json!({ "to": "alice", "text": "hi" })
    );
    assert!(
        request.prompt.contains(r#"{"text":"hi","to":"alice"}"#),
        "{}",
        request.prompt
    );
    assert_eq!(run.of("a"), StepStatus::Waiting);
    assert!(run.in_flight().is_empty(), "nothing was called");
}

#[test]
fn an_approved_call_is_made_with_what_was_shown() {
    let mut run = sends();
    run.answer("a", Answer::Approve);
    assert_eq!(
        Value::Object(run.arguments("a")),
        json!({ "to": "alice", "text": "hi" })
    );
    run.succeed("a", json!({})).succeed("b", json!({}));
    assert_eq!(run.statuses(), "succeeded: a succeeded, b succeeded");
}

#[test]
fn a_rejected_call_is_never_made_and_cancels_the_run() {
    let mut run = sends();
    run.answer("a", Answer::Reject);
    assert_eq!(
        run.statuses(),
        "cancelled: a cancelled, b skipped(run_cancelled)"
    );
    assert!(run.machine.record().step("a").unwrap().attempts.is_empty());
}

#[test]
fn case_34_no_text_approves_an_effect() {
    let run = sends();
    let request = run.request("a");
    let refused = run.machine.answer(
        &request,
        Answer::Text("approve".into()),
        somebody(),
        run.now,
    );
    assert_eq!(
        refused.unwrap_err(),
        AnswerRefused::TextForApproval(request)
    );
}

#[test]
fn one_approval_holds_for_the_retries_of_its_call() {
    let mut step = call_with("a", "send", &json!({ "to": "${input.to}" }));
    step["retry"] = json!({ "max_attempts": 2, "delay_secs": 1 });
    let mut run = asking(&json!([step]), json!({ "to": "bob" }));
    run.answer("a", Answer::Approve);
    let failed = crate::harness::failure(plan_run::FailureClass::Transient, plan_run::Effect::None);
    run.settle("a", Err(failed)).after(1000);
    assert_eq!(run.attempt("a"), 2);
}

#[test]
fn an_approval_survives_a_crash() {
    let mut run = sends();
    run.crash();
    assert_eq!(run.of("a"), StepStatus::Waiting);
    run.answer("a", Answer::Approve);
    assert_eq!(run.of("a"), StepStatus::Running);
}
