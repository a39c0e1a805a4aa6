//! Secrets reach the call that they were lent to, and nothing else.

use async_trait::async_trait;
use plan_exec::{Inputs, MemorySecrets, Secret, SecretError, SecretSource, ToolError};
use plan_model::SecretName;
use plan_run::{Effect, FailureClass, RunStatus};
use plan_store::{RunStoreExt, Sequence};
use plan_testkit::Scripted;
use plan_validate::Policy;
use serde_json::{Value, json};

use crate::lab::{Lab, ask, call, plan, plan_with, registry, somebody, statuses, with};

const CANARY: &str = "c4n4ry-5ecret";

fn lab() -> Lab {
    Lab::with_policy(Policy::default().allow_secrets([SecretName::new("KEY").unwrap()]))
}

fn tool(name: &str) -> Scripted {
    Scripted::tool(name).declared(|spec| spec.secret_arguments = vec!["key".to_owned()])
}

fn text() -> Value {
    plan(&[call("a", "login", json!({"key": "${secret.KEY}"}))])
}

#[tokio::test]
async fn a_secret_reaches_its_call_and_is_struck_from_everything_that_comes_back() {
    let leaks: [(Scripted, RunStatus); 2] = [
        (
            tool("login").returns(json!({"said": format!("hello {CANARY}"), CANARY: [CANARY]})),
            RunStatus::Succeeded,
        ),
        (
            tool("login").fails(
                ToolError::permanent(format!("bad key {CANARY}"))
                    .details(json!({"key": CANARY}))
                    .output(Some(CANARY.to_owned()), Some(CANARY.to_owned())),
            ),
            RunStatus::Failed,
        ),
    ];
    for (login, status) in leaks {
        let lab = lab();
        let tools = registry([&login]);
        let secrets = MemorySecrets::new([("KEY", Secret::new(CANARY))]);
        let executor = lab.executor(&tools).secrets(secrets);
        let run = executor
            .start(lab.check(&text(), &tools), Inputs::none())
            .await
            .unwrap();
        let record = run.wait().await.unwrap();
        assert_eq!(record.status(), status);
        assert_eq!(login.calls()[0].arguments["key"], CANARY);
        let told = serde_json::to_string(&record).unwrap();
        assert!(!told.contains(CANARY) && told.contains("***"), "{told}");
        let journal = lab.store.tail(run.id(), Sequence::START).await.unwrap();
        for record in journal.records {
            let line = String::from_utf8(record.into_bytes()).unwrap();
            assert!(!line.contains(CANARY), "{line}");
        }
    }
}

#[derive(Debug)]
struct Broken;

#[async_trait]
impl SecretSource for Broken {
    async fn secret(&self, _name: &SecretName) -> Result<Option<Secret>, SecretError> {
        panic!("no vault")
    }
}

#[tokio::test]
async fn a_secret_that_cannot_be_had_fails_the_step_before_the_call() {
    let lab = lab();
    let login = tool("login");
    let tools = registry([&login]);
    let plan = lab.check(&text(), &tools);
    let none = MemorySecrets::default();
    for executor in [
        lab.executor(&tools),
        lab.executor(&tools).secrets(none),
        lab.executor(&tools).secrets(Broken),
    ] {
        let run = executor.start(plan.clone(), Inputs::none()).await.unwrap();
        let record = run.wait().await.unwrap();
        let failure = record.failure().unwrap();
        assert_eq!(
            (failure.class, failure.effect),
            (FailureClass::Auth, Effect::None)
        );
    }
    assert_eq!(login.calls(), []);
}

/// A source that falls over one secret and takes its time over all others.
#[derive(Debug)]
struct Falls;

#[async_trait]
impl SecretSource for Falls {
    async fn secret(&self, name: &SecretName) -> Result<Option<Secret>, SecretError> {
        assert!(name.as_str() != "BAD", "no such drawer");
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        Ok(Some(Secret::new(CANARY)))
    }
}

#[tokio::test(start_paused = true)]
async fn case_40_a_source_that_panics_fails_the_step_that_asked_and_no_other() {
    let names = ["KEY", "BAD"].map(|name| SecretName::new(name).unwrap());
    let lab = Lab::with_policy(Policy::default().allow_secrets(names));
    let tools = registry([&tool("login")]);
    let text = plan_with(
        &[
            call("a", "login", json!({"key": "${secret.KEY}"})),
            call("b", "login", json!({"key": "${secret.BAD}"})),
            call("c", "login", json!({"key": "${secret.KEY}"})),
        ],
        json!({"failure_policy": "finish_independent"}),
    );
    let run = lab
        .executor(&tools)
        .secrets(Falls)
        .start(lab.check(&text, &tools), Inputs::none())
        .await
        .unwrap();
    let record = run.wait().await.unwrap();
    assert_eq!(statuses(&record), "a succeeded, b failed, c succeeded");
    assert_eq!(record.failure().unwrap().effect, Effect::None);
}

#[tokio::test(start_paused = true)]
async fn case_42_a_secret_lent_before_a_resume_is_struck_after_it() {
    let lab = lab();
    let login = tool("login").returns(json!({"in": true}));
    let remembers = Scripted::tool("remembers").returns(json!({"still": CANARY}));
    let tools = registry([&login, &remembers]);
    let text = plan(&[
        call("a", "login", json!({"key": "${secret.KEY}"})),
        with(ask("q", json!({})), json!({"depends_on": ["a"]})),
        with(
            call("b", "remembers", json!({})),
            json!({"depends_on": ["q"]}),
        ),
    ]);
    let executor = || {
        let secrets = MemorySecrets::new([("KEY", Secret::new(CANARY))]);
        lab.executor(&tools).secrets(secrets)
    };
    let started = executor();
    let plan = lab.check(&text, &tools);
    let run = started.start(plan, Inputs::none()).await.unwrap();
    let request = run.wait().await.unwrap().waiting()[0].id.clone();
    let answer = plan_run::Answer::Text("go on".to_owned());
    run.answer(request, answer, somebody()).await.unwrap();
    let again = executor();
    let record = again.resume(run.id()).await.unwrap().wait().await.unwrap();
    assert_eq!(record.step("b").unwrap().outputs["still"], "***");
    assert_eq!(login.calls().len(), 1);

    // a fork keeps what the call came to, and what it may not say
    let fork = again.fork(run.id(), ["b".parse().unwrap()]).await.unwrap();
    let record = fork.wait().await.unwrap();
    assert_eq!(record.step("b").unwrap().outputs["still"], "***");
    assert_eq!(login.calls().len(), 1);

    // a source that lost it, or falls over it, keeps nothing from going on
    let run = started
        .start(lab.check(&text, &tools), Inputs::none())
        .await
        .unwrap();
    let request = run.wait().await.unwrap().waiting()[0].id.clone();
    let answer = plan_run::Answer::Text("go on".to_owned());
    run.answer(request, answer, somebody()).await.unwrap();
    let broken = lab.executor(&tools).secrets(Broken);
    let record = broken.resume(run.id()).await.unwrap().wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Succeeded);
}
