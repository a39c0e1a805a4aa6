//! Calls of servers as steps of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plan_exec::{Executor, Inputs, MemorySecrets, Secret, ToolRegistry, inputs};
use plan_model::document::{DocumentKind, ReadOptions};
use plan_model::{SecretName, ToolName};
use plan_run::event::EventKind;
use plan_run::{FailureClass, PrincipalName, RunRecord, RunStatus, decode};
use plan_store::{MemoryStore, RunStoreExt};
use plan_tools::HttpTool;
use plan_validate::{ArgRule, Context, Policy, ValidatedPlan, check_bytes};
use serde_json::{Value, json};

use super::spec;
use crate::server::{Found, Reply, Server};

/// The tool `t` with this config.
fn tools(config: Value) -> ToolRegistry {
    let mut spec = spec(config, json!({"allow_private": true}));
    spec.secret_arguments = vec!["key".to_owned()];
    let tool = HttpTool::new(spec).unwrap().with_lookup(Found::here());
    ToolRegistry::new()
        .with(Arc::new(tool) as Arc<dyn plan_exec::Tool>)
        .unwrap()
}

fn checked(tools: &ToolRegistry, policy: &Policy, arguments: &Value, more: Value) -> ValidatedPlan {
    let mut step = json!({"id": "a", "name": "a", "config": {"type": "TOOL_CALL", "tool": "t", "arguments": arguments}});
    step.as_object_mut().unwrap().extend(super::object(more));
    let text = json!({
        "metadata": {
            "id": "6a0e4f0e-5b1c-4a54-9d57-1d8e6a3f00ff", "version": 1,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"
        },
        "name": "a plan",
        "inputs": [{"name": "page", "value_type": "string", "required": false}],
        "steps": [step],
    });
    let mut options = ReadOptions::default();
    options.kind = DocumentKind::Plan;
    check_bytes(
        text.to_string().as_bytes(),
        &options,
        &Context::new(tools.catalog(), policy),
    )
    .unwrap()
}

async fn run(
    tools: &ToolRegistry,
    policy: Policy,
    arguments: Value,
    more: Value,
) -> (RunRecord, String) {
    let inputs = Inputs::none();
    run_with(tools, policy, (arguments, more), inputs).await
}

/// The record of a run, and all that it leaves behind as text.
async fn run_with(
    tools: &ToolRegistry,
    policy: Policy,
    (arguments, more): (Value, Value),
    inputs: Inputs,
) -> (RunRecord, String) {
    let plan = checked(tools, &policy, &arguments, more);
    let secrets = MemorySecrets::new([("KEY", Secret::new(CANARY)), ("TOKEN", Secret::new(TOKEN))]);
    let store = MemoryStore::new();
    let executor = Executor::new(tools.clone(), store.clone())
        .policy(policy)
        .secrets(secrets);
    let handle = executor.start(plan, inputs).await.unwrap();
    let record = handle.wait().await.unwrap();
    let journal = store.journal(record.run_id()).await.unwrap();
    let mut told = serde_json::to_string(&record).unwrap();
    for record in journal.records {
        told.push_str(&String::from_utf8(record.into_bytes()).unwrap());
    }
    (record, told)
}

const CANARY: &str = "c4n4ry & secret";
const TOKEN: &str = "t0ken-of-the-host";

#[tokio::test]
async fn a_pause_that_a_server_asks_for_is_kept() {
    let server = Server::start(|_| Reply::new("429 Slow", &[("retry-after", "3600")], "")).await;
    let tools = tools(json!({"url": server.url("/"), "method": "POST"}));
    let policy = Policy::default();
    let retry = json!({"retry": {"max_attempts": 3, "delay_secs": 1, "jitter": false}});
    let plan = checked(&tools, &policy, &json!({}), retry);
    let store = MemoryStore::new();
    let executor = Executor::new(tools, store.clone()).policy(policy);
    let handle = executor.start(plan, Inputs::none()).await.unwrap();
    let scheduled = async {
        loop {
            let journal = store.journal(handle.id()).await.unwrap();
            let events = journal
                .records
                .iter()
                .map(|record| decode(record.as_bytes()).unwrap());
            let found = events.into_iter().find_map(|event| match event.kind {
                EventKind::RetryScheduled { delay, .. } => Some(delay),
                _ => None,
            });
            match found {
                Some(delay) => return delay,
                None => tokio::task::yield_now().await,
            }
        }
    };
    // a POST, but one that was turned away
    assert_eq!(scheduled.await, Duration::from_hours(1));
    handle
        .cancel(PrincipalName::new("ada").unwrap(), "enough")
        .await
        .unwrap();
    assert_eq!(handle.wait().await.unwrap().status(), RunStatus::Cancelled);
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_server_that_recovers_is_asked_again_under_the_same_key() {
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |_| match asked.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::new("503 Busy", &[("retry-after", "0")], ""),
        _ => Reply::json(r#"{"ok": true}"#),
    })
    .await;
    let mut spec = spec(
        json!({"url": server.url("/"), "method": "PUT"}),
        json!({"allow_private": true}),
    );
    spec.effects.idempotent = plan_model::Declared::said(true);
    spec.idempotency_key = plan_model::IdempotencyKeySupport::Header("Idempotency-Key".to_owned());
    let tools = ToolRegistry::new()
        .with(Arc::new(HttpTool::new(spec).unwrap()) as Arc<dyn plan_exec::Tool>)
        .unwrap();
    let retry = json!({"retry": {"max_attempts": 3, "delay_secs": 0}});
    let (record, _) = run(&tools, Policy::default(), json!({}), retry).await;
    assert_eq!(
        record.status(),
        RunStatus::Succeeded,
        "{:?}",
        record.failure()
    );
    assert_eq!(record.step("a").unwrap().outputs["ok"], true);
    let keys: Vec<String> = server
        .received()
        .iter()
        .map(|one| one.headers["idempotency-key"].clone())
        .collect();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0], keys[1]);
}

/// Who says the URL of a call.
enum Given {
    Literal,
    Input,
}

#[tokio::test]
async fn the_grant_holds_at_every_hop() {
    let rule = ArgRule::Url {
        schemes: vec!["http".to_owned()],
        hosts: vec!["*.a.test".to_owned()],
    };
    for (next, given, goes) in [
        ("two.a.test", Given::Literal, true),
        ("b.test", Given::Literal, false),
        ("two.a.test", Given::Input, true),
        ("b.test", Given::Input, false),
    ] {
        let second = Server::start(|_| Reply::json("1")).await;
        let to = second.named(next, "/two");
        let first = Server::start(move |_| Reply::redirect("302 Found", &to)).await;
        let tools = tools(json!({"url": "{page}"}));
        let policy = Policy::default().argument(ToolName::new("t").unwrap(), "page", rule.clone());
        let page = first.named("one.a.test", "/");
        let (argument, inputs) = match given {
            Given::Literal => (page, Inputs::none()),
            Given::Input => ("${input.page}".to_owned(), inputs! {"page": page}),
        };
        let call = (json!({"page": argument}), json!({}));
        let (record, _) = run_with(&tools, policy, call, inputs).await;
        assert_eq!(second.connections() == 1, goes, "{next}");
        match record.failure() {
            None => assert!(goes, "{next}"),
            Some(failure) => {
                assert_eq!(failure.class, FailureClass::RefusedByGrant);
                insta::allow_duplicates! {
                    insta::assert_snapshot!(failure.message, @"the URL that the argument `page` of step `a` leads to is not a URL of an allowed scheme and host");
                }
            }
        }
    }
}

#[tokio::test]
async fn case_42_no_secret_of_a_request_comes_back() {
    // the server tells all that it was told
    let server = Server::start(|received| {
        let said = format!("{} {:?} {}", received.line, received.headers, received.body);
        if received.line.contains("fail") {
            Reply::new(
                "400 Bad",
                &[("x-said", &received.headers["authorization"])],
                said,
            )
        } else {
            Reply::new(
                "200 OK",
                &[("x-said", &received.headers["authorization"])],
                said,
            )
        }
    })
    .await;
    for path in ["/fine", "/fail"] {
        let tools = tools(json!({
            "url": format!("{}?k={{key}}", server.url(path)), "method": "POST",
            "headers": {"Authorization": "Bearer ${secret.TOKEN}", "X-Key": "{key}"}, "body": {"json": {"k": "{key}"}},
        }));
        let policy = Policy::default().allow_secrets([SecretName::new("KEY").unwrap()]);
        let (_, told) = run(&tools, policy, json!({"key": "${secret.KEY}"}), json!({})).await;
        let received = server.received().pop().unwrap();
        assert_eq!(received.headers["x-key"], CANARY);
        assert_eq!(received.headers["authorization"], format!("Bearer {TOKEN}"));
        for canary in [CANARY, TOKEN, "c4n4ry%20%26%20secret"] {
            assert!(!told.contains(canary), "{path}: {told}");
        }
        assert!(told.contains("***"), "{told}");
    }
}
