//! Questions and approvals that a plan asks a person.

use insta::assert_snapshot;
use plan_run::{Answer, AnswerRefused, Effect, FailureClass, RequestKind, RunStatus, StepStatus};
use serde_json::{Value, json};

use crate::harness::{Driver, call, path, somebody, step, with};

fn ask(id: &str, more: &Value) -> Value {
    let config =
        json!({ "type": "HUMAN_INTERACTION", "prompt": "Go on?", "response_field": "said" });
    step(id, with(config, more), &[])
}

fn gate(more: &Value) -> Value {
    ask("gate", &with(json!({ "approval_required": true }), more))
}

fn behind() -> Value {
    call("behind", "read", &["gate"], &json!({}))
}

#[test]
fn case_34_no_text_passes_an_approval() {
    let run = Driver::new(&json!([gate(&json!({})), behind()]));
    let request = run.request("gate");
    for text in [
        "no, absolutely not",
        "approve",
        "yes",
        "true",
        "APPROVED",
        "",
    ] {
        let answer =
            run.machine
                .answer(&request, Answer::Text(text.to_owned()), somebody(), run.now);
        assert_eq!(
            answer.unwrap_err(),
            AnswerRefused::TextForApproval(request.clone()),
            "{text:?}"
        );
    }
    assert_eq!(run.of("behind"), StepStatus::Pending);
}

#[test]
fn case_34_parallel_questions_have_distinct_ids_and_an_answer_is_used_once() {
    let mut run = Driver::new(&json!([
        ask("a", &json!({})),
        ask("b", &json!({})),
        gate(&json!({}))
    ]));
    let ids: std::collections::BTreeSet<_> = run
        .machine
        .requests()
        .iter()
        .map(|request| request.id.clone())
        .collect();
    assert_eq!(ids.len(), 3);
    let first = run.request("a");
    run.answer("a", Answer::Text("blue".to_owned()));
    let again = run
        .machine
        .answer(&first, Answer::Text("red".to_owned()), somebody(), run.now);
    assert_eq!(again.unwrap_err(), AnswerRefused::AlreadyAnswered(first));
    assert_eq!(run.outputs_of("a")["said"], "blue");
    assert_eq!(run.of("b"), StepStatus::Waiting);
}

#[test]
fn a_journaled_answer_is_refused_a_second_time() {
    let mut run = Driver::new(&json!([ask("a", &json!({})), ask("b", &json!({}))]));
    let request = run.request("a");
    let answer = run
        .machine
        .answer(&request, Answer::Text("x".to_owned()), somebody(), run.now)
        .unwrap();
    run.push(answer.clone());
    let event = plan_run::Event {
        at: run.now,
        kind: answer,
    };
    assert!(run.machine.apply(&event).is_err());
}

#[test]
fn approval_is_a_boolean_or_a_word_where_the_output_is_a_string() {
    let declared = json!({ "outputs": [{ "name": "said", "value_type": "string" }] });
    for (more, answer, said) in [
        (json!({}), Answer::Approve, json!(true)),
        (json!({}), Answer::Reject, json!(false)),
        (declared.clone(), Answer::Approve, json!("approved")),
        (declared.clone(), Answer::Reject, json!("rejected")),
    ] {
        let gate = with(gate(&json!({ "on_reject": "continue" })), &more);
        let mut run = Driver::new(&json!([gate, behind()]));
        run.answer("gate", answer);
        assert_eq!(run.outputs_of("gate")["said"], said);
        assert_eq!(run.of("behind"), StepStatus::Running);
    }
}

#[test]
fn a_rejection_cancels_the_run_once_work_in_flight_has_ended() {
    let steps = json!([
        gate(&json!({})),
        behind(),
        call("beside", "read", &[], &json!({}))
    ]);
    let mut run = Driver::new(&steps);
    run.answer("gate", Answer::Reject);
    assert_eq!(run.machine.ending(), Some(plan_run::Ending::Drain));
    assert_snapshot!(run.statuses(), @"running: gate cancelled, behind skipped(run_cancelled), beside running");
    run.succeed("beside", json!({}));
    assert_snapshot!(run.statuses(), @"cancelled: gate cancelled, behind skipped(run_cancelled), beside succeeded");
    assert_eq!(run.machine.record().cancelled().unwrap().by, somebody());
}

#[test]
fn cancel_is_an_answer_to_anything_and_stops_work_in_flight() {
    for step in [
        gate(&json!({ "on_reject": "continue" })),
        ask("gate", &json!({})),
    ] {
        let mut run = Driver::new(&json!([step, call("beside", "read", &[], &json!({}))]));
        run.answer("gate", Answer::Cancel);
        assert_eq!(run.machine.ending(), Some(plan_run::Ending::Abort));
    }
}

#[test]
fn a_question_takes_no_approval() {
    let run = Driver::new(&json!([ask("a", &json!({}))]));
    let request = run.request("a");
    for answer in [Answer::Approve, Answer::Reject] {
        let refused = run
            .machine
            .answer(&request, answer, somebody(), run.now)
            .unwrap_err();
        assert_eq!(refused, AnswerRefused::ApprovalForQuestion(request.clone()));
    }
}

#[test]
fn an_answer_that_the_declared_output_does_not_take_leaves_the_question_open() {
    let declared =
        json!({ "name": "said", "value_type": "string", "schema": { "enum": ["red", "blue"] } });
    let steps = json!([with(
        ask("a", &json!({})),
        &json!({ "outputs": [declared] })
    )]);
    let mut run = Driver::new(&steps);
    let request = run.request("a");
    assert_eq!(
        run.machine.requests()[0].schema,
        json!({ "type": "string", "enum": ["red", "blue"] })
    );
    let long = "x".repeat((1 << 20) + 1);
    for text in ["green", "", long.as_str()] {
        let refused =
            run.machine
                .answer(&request, Answer::Text(text.to_owned()), somebody(), run.now);
        assert!(matches!(refused, Err(AnswerRefused::DoesNotFit { .. })));
    }
    run.answer("a", Answer::Text("red".to_owned()));
    assert_eq!(run.outputs_of("a")["said"], "red");
}

#[test]
fn case_35_an_answer_is_text_whatever_it_looks_like() {
    let mut echo = call("b", "read", &[], &json!({}));
    echo["config"]["arguments"] = json!({ "v": "${step.a.said}", "t": "<${step.a.said}>" });
    let mut run = Driver::new(&json!([ask("a", &json!({})), echo]));
    run.answer("a", Answer::Text("${secret.x} ${step.a.said}".to_owned()));
    assert_eq!(
        Value::Object(run.arguments("b")),
        json!({ "v": "${secret.x} ${step.a.said}", "t": "<${secret.x} ${step.a.said}>" })
    );
}

#[test]
fn an_answer_stamped_later_than_its_time_is_refused_and_the_step_fails() {
    let steps = json!([with(ask("a", &json!({})), &json!({ "timeout_secs": 5 }))]);
    let mut run = Driver::new(&steps);
    let request = run.request("a");
    let text = || Answer::Text("x".to_owned());
    let last = run.now.plus(std::time::Duration::from_secs(5));
    assert!(
        run.machine
            .answer(&request, text(), somebody(), last)
            .is_ok()
    );
    let late = last.plus(std::time::Duration::from_millis(1));
    let refused = run
        .machine
        .answer(&request, text(), somebody(), late)
        .unwrap_err();
    assert_eq!(refused, AnswerRefused::Expired(request.clone()));
    let in_time = run
        .machine
        .answer(&request, text(), somebody(), last)
        .unwrap();
    let stamped = plan_run::Event {
        at: late,
        kind: in_time,
    };
    assert!(run.machine.apply(&stamped).is_err());

    assert_eq!(run.machine.due(), Some(late));
    run.after(5000);
    assert_eq!(run.status(), RunStatus::Waiting);
    run.after(1);
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(
        (failure.class, failure.effect),
        (FailureClass::Timeout, Effect::None)
    );
    assert_eq!(failure.step, Some(path("a")));
}

#[test]
fn a_run_waits_only_when_nothing_else_can_go_on() {
    let steps = json!([ask("a", &json!({})), call("b", "read", &[], &json!({}))]);
    let mut run = Driver::new(&steps);
    assert_eq!(run.status(), RunStatus::Running);
    run.succeed("b", json!({}));
    assert_eq!(run.status(), RunStatus::Waiting);
    run.answer("a", Answer::Text("x".to_owned()));
    assert_eq!(run.status(), RunStatus::Succeeded);
}

#[test]
fn a_request_shows_its_prompt_with_values_and_hides_sensitive_ones() {
    let steps = json!([ask(
        "a",
        &json!({ "prompt": "Send ${input.n} to ${input.token}?" })
    )]);
    let more = json!({ "inputs": [
        { "name": "n", "value_type": "integer" },
        { "name": "token", "value_type": "string", "sensitive": true },
    ] });
    let run = Driver::with(&steps, &more, json!({ "n": 3, "token": "canary" }));
    let requests = run.machine.requests();
    assert_eq!(requests[0].kind, RequestKind::Question);
    assert_eq!(requests[0].prompt, "Send 3 to [hidden]?");
    let record = serde_json::to_string(&run.machine.record()).unwrap();
    assert!(!record.contains("canary"), "{record}");
}
