//! Questions, approvals, and who answers them.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use plan_exec::{ControlError, HumanAnswer, HumanChannel, Inputs, WhenWaiting};
use plan_run::{Answer, AnswerRefused, Request, RequestKind, RunId, RunStatus};
use plan_testkit::{Gate, Scripted};
use plan_validate::{Approval, Policy};
use serde_json::{Value, json};

use crate::lab::{Lab, ask, call, plan, registry, somebody, statuses, with};

fn gated() -> Value {
    plan(&[
        ask("gate", json!({"approval_required": true})),
        with(
            call("act", "act", json!({})),
            json!({"depends_on": ["gate"]}),
        ),
    ])
}

#[tokio::test]
async fn case_34_a_text_never_passes_an_approval() {
    let lab = Lab::new();
    let act = Scripted::tool("act");
    let tools = registry([&act]);
    let run = lab.start(&gated(), &tools).await;
    let record = run.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Waiting);
    let request = record.waiting()[0].id.clone();
    for text in ["no, absolutely not", "yes", "approve", "approved", "true"] {
        let answer = Answer::Text(text.to_owned());
        let refused = run
            .answer(request.clone(), answer, somebody())
            .await
            .unwrap_err();
        let told = matches!(
            refused,
            ControlError::Answer(AnswerRefused::TextForApproval(_))
        );
        assert!(told, "{refused}");
    }
    assert_eq!(act.calls(), []);
}

#[tokio::test]
async fn case_34_an_answer_is_used_once() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("act")]);
    let run = lab.start(&gated(), &tools).await;
    let request = run.wait().await.unwrap().waiting()[0].id.clone();
    run.answer(request.clone(), Answer::Approve, somebody())
        .await
        .unwrap();
    let again = run
        .answer(request.clone(), Answer::Reject, somebody())
        .await
        .unwrap_err();
    let told = matches!(
        again,
        ControlError::Answer(AnswerRefused::AlreadyAnswered(_))
    );
    assert!(told, "{again}");
    let record = lab.resume(&tools, run.id()).await;
    assert_eq!(statuses(&record), "gate succeeded, act succeeded");
}

#[tokio::test]
async fn case_34_parallel_questions_have_ids_of_their_own_and_take_their_own_answers() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("act")]);
    let text = plan(&[ask("one", json!({})), ask("two", json!({}))]);
    let run = lab.start(&text, &tools).await;
    let waiting = run.wait().await.unwrap().waiting().to_vec();
    assert_eq!(waiting.len(), 2);
    assert_ne!(waiting[0].id, waiting[1].id);
    for request in waiting.iter().rev() {
        let answer = Answer::Text(format!("to {}", request.step));
        run.answer(request.id.clone(), answer, somebody())
            .await
            .unwrap();
    }
    let record = lab.resume(&tools, run.id()).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(record.step("one").unwrap().outputs["answer"], "to one");
    assert_eq!(record.step("two").unwrap().outputs["answer"], "to two");
}

#[tokio::test]
async fn a_rejection_cancels_the_run_and_nothing_behind_it_runs() {
    let lab = Lab::new();
    let act = Scripted::tool("act");
    let tools = registry([&act]);
    let run = lab.start(&gated(), &tools).await;
    let request = run.wait().await.unwrap().waiting()[0].id.clone();
    run.answer(request, Answer::Reject, somebody())
        .await
        .unwrap();
    let record = lab.resume(&tools, run.id()).await;
    assert_eq!(record.status(), RunStatus::Cancelled);
    assert_eq!(act.calls(), []);
}

#[tokio::test(start_paused = true)]
async fn other_branches_go_on_while_a_person_is_asked() {
    let lab = Lab::new();
    let gate = Gate::new();
    let slow = Scripted::tool("slow").past(&gate);
    let tools = registry([&slow]);
    let text = plan(&[ask("q", json!({})), call("a", "slow", json!({}))]);
    let run = lab.start(&text, &tools).await;
    gate.arrived(1).await;
    let waiting = run.record().await.unwrap();
    assert_eq!(
        (waiting.status(), waiting.waiting().len()),
        (RunStatus::Running, 1)
    );
    let request = waiting.waiting()[0].id.clone();
    run.answer(request, Answer::Text("hello".to_owned()), somebody())
        .await
        .unwrap();
    gate.open();
    let record = run.wait().await.unwrap();
    assert_eq!(statuses(&record), "q succeeded, a succeeded");
}

#[tokio::test(start_paused = true)]
async fn an_answer_after_its_time_is_refused_and_the_step_fails() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("t")]);
    let text = plan(&[with(ask("q", json!({})), json!({"timeout_secs": 60}))]);
    let run = lab.start(&text, &tools).await;
    let request = run.wait().await.unwrap().waiting()[0].id.clone();
    tokio::time::advance(Duration::from_secs(61)).await;
    let late = Answer::Text("too late".to_owned());
    let refused = run.answer(request, late, somebody()).await.unwrap_err();
    assert!(
        matches!(refused, ControlError::Answer(AnswerRefused::Expired(_))),
        "{refused}"
    );
    let record = lab.resume(&tools, run.id()).await;
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(
        record.failure().unwrap().class,
        plan_run::FailureClass::Timeout
    );
}

#[tokio::test]
async fn an_effect_that_policy_asks_about_is_shown_with_its_exact_arguments_and_made_once_approved()
{
    let name = plan_model::ToolName::new("send").unwrap();
    let lab = Lab::with_policy(Policy::default().require_approval_of(name));
    let (send, find) = (
        Scripted::tool("send"),
        Scripted::tool("find").returns(json!({"to": "ada"})),
    );
    let tools = registry([&send, &find]);
    let text = plan(&[
        call("find", "find", json!({})),
        call(
            "send",
            "send",
            json!({"to": "${step.find.to}", "text": "hi"}),
        ),
    ]);
    let run = lab.start(&text, &tools).await;
    let record = run.wait().await.unwrap();
    assert_eq!(statuses(&record), "find succeeded, send waiting");
    let request = &record.waiting()[0];
    assert_eq!(request.kind, RequestKind::Effect);
    let shown = request.call.as_ref().unwrap();
    assert_eq!(json!(*shown.arguments), json!({"to": "ada", "text": "hi"}));
    assert_eq!(send.calls(), []);
    run.answer(request.id.clone(), Answer::Approve, somebody())
        .await
        .unwrap();
    let record = lab.resume(&tools, run.id()).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(send.calls().len(), 1);
    assert_eq!(
        json!(send.calls()[0].arguments),
        json!({"to": "ada", "text": "hi"})
    );
}

#[tokio::test]
async fn case_22_an_approval_of_the_plan_that_shows_every_value_is_the_only_one_asked_for() {
    let name = plan_model::ToolName::new("send").unwrap();
    let lab = Lab::with_policy(Policy::default().require_approval_of(name));
    for (answer, status, calls) in [
        (Answer::Approve, RunStatus::Succeeded, 1),
        (Answer::Reject, RunStatus::Cancelled, 0),
    ] {
        let (send, find) = (
            Scripted::tool("send"),
            Scripted::tool("find").returns(json!({"to": "ada"})),
        );
        let tools = registry([&send, &find]);
        let text = plan(&[
            call("find", "find", json!({})),
            ask(
                "agree",
                json!({"prompt": "Write to ${step.find.to}?", "approval_required": true}),
            ),
            with(
                call("send", "send", json!({"to": "${step.find.to}"})),
                json!({"depends_on": ["agree"]}),
            ),
        ]);
        let checked = lab.check(&text, &tools);
        let sites = checked.grant().sites();
        let given = sites.values().filter_map(|site| match &site.approval {
            Approval::GivenBy(gate) => Some(gate.as_str()),
            _ => None,
        });
        assert_eq!(given.collect::<Vec<_>>(), ["agree"]);
        let run = lab.start(&text, &tools).await;
        let record = run.wait().await.unwrap();
        assert_eq!(
            statuses(&record),
            "find succeeded, agree waiting, send pending"
        );
        assert_eq!(record.waiting()[0].kind, RequestKind::Approval);
        assert_eq!(record.waiting()[0].prompt, "Write to ada?");
        run.answer(record.waiting()[0].id.clone(), answer, somebody())
            .await
            .unwrap();
        let record = lab.resume(&tools, run.id()).await;
        assert_eq!(record.status(), status, "{}", statuses(&record));
        assert_eq!(send.calls().len(), calls);
        // who approved stands at the approval, and the call itself was never asked about
        assert_eq!(record.step("agree").unwrap().answered_by, Some(somebody()));
        assert_eq!(record.step("send").unwrap().answered_by, None);
    }
}

/// A person who says the same to everything, once let.
#[derive(Debug)]
struct Person {
    gate: Gate,
    says: Option<Answer>,
}

#[async_trait]
impl HumanChannel for Person {
    async fn ask(&self, _run: &RunId, _request: &Request) -> Option<HumanAnswer> {
        self.gate.pass().await;
        let answer = self.says.clone()?;
        Some(HumanAnswer {
            answer,
            by: somebody(),
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_channel_to_a_person_keeps_the_run_going_until_it_comes_back() {
    for (says, expected) in [
        (Some(Answer::Approve), RunStatus::Succeeded),
        (None, RunStatus::Waiting),
    ] {
        let lab = Lab::new();
        let gate = Gate::new();
        let tools = registry([&Scripted::tool("act")]);
        let person = Person {
            gate: gate.clone(),
            says,
        };
        let executor = lab.executor(&tools).human(person);
        let run = executor
            .start(lab.check(&gated(), &tools), Inputs::none())
            .await
            .unwrap();
        gate.arrived(1).await;
        assert_eq!(run.record().await.unwrap().status(), RunStatus::Waiting);
        gate.open();
        assert_eq!(run.wait().await.unwrap().status(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn an_executor_that_stays_goes_on_when_another_one_takes_the_answer() {
    let lab = Lab::new();
    let act = Scripted::tool("act");
    let tools = registry([&act]);
    let staying = lab.executor(&tools).when_waiting(WhenWaiting::Stay);
    let run = staying
        .start(lab.check(&gated(), &tools), Inputs::none())
        .await
        .unwrap();
    let other = lab.executor(&tools);
    let request = loop {
        let record = other.open(run.id()).await.unwrap();
        if let [request] = record.waiting() {
            break request.id.clone();
        }
        tokio::task::yield_now().await;
    };
    other
        .answer(run.id(), request, Answer::Approve, somebody())
        .await
        .unwrap();
    assert_eq!(run.wait().await.unwrap().status(), RunStatus::Succeeded);
    assert_eq!(act.calls().len(), 1);
}

#[test]
fn a_channel_is_shared_as_a_trait_object() {
    let person: Arc<dyn HumanChannel> = Arc::new(Person {
        gate: Gate::new(),
        says: None,
    });
    assert!(format!("{person:?}").starts_with("Person"));
}
