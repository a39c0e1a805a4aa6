//! What a tool needs for itself: secrets of the host, and the word of the grant on URLs that the other side names.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use plan_exec::{
    Inputs, MemorySecrets, Secret, Tool, ToolContext, ToolError, ToolOutput, ToolRegistry,
};
use plan_model::{AgentName, ModelName, SecretName, ToolName, ToolSpec};
use plan_run::{FailureClass, RunRecord, RunStatus};
use plan_store::{RunStoreExt, Sequence};
use plan_testkit::ScriptedModel;
use plan_validate::policy::Roots;
use plan_validate::{AgentKind, AgentSpec, ArgRule, Policy};
use serde_json::{Map, Value, json};

use crate::lab::{Lab, call, plan};

const CANARY: &str = "c4n4ry-5ecret";

/// A tool that shows what it was lent, and asks whether it may go on to a URL.
#[derive(Debug)]
struct Needy {
    spec: ToolSpec,
    secrets: Vec<SecretName>,
    seen: Arc<Mutex<Vec<Option<String>>>>,
}

impl Needy {
    fn new() -> Self {
        Self {
            spec: ToolSpec::named(ToolName::new("needy").unwrap()),
            secrets: vec![SecretName::new("KEY").unwrap()],
            seen: Arc::default(),
        }
    }
}

#[async_trait]
impl Tool for Needy {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn secrets(&self) -> &[SecretName] {
        &self.secrets
    }

    async fn call(
        &self,
        arguments: Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let lent = |name: &str| {
            let secret = cx.secret(&SecretName::new(name).unwrap());
            secret.map(|secret| secret.expose().to_owned())
        };
        self.seen
            .lock()
            .unwrap()
            .extend([lent("KEY"), lent("OTHER")]);
        if let Some(next) = arguments.get("next").and_then(Value::as_str) {
            cx.permits_url(&self.spec.name, "url", next)?;
        }
        Ok(json!({"said": lent("KEY")}).into())
    }
}

fn agent() -> Value {
    json!({"id": "a", "name": "a", "config": {
        "type": "AGENT_CALL", "objective": "mend it", "working_dir": ".", "agent": "coder",
        "tools": ["needy"], "timeout_secs": 600,
    }})
}

fn tools(needy: Needy) -> ToolRegistry {
    let mut spec = AgentSpec::new(AgentName::new("coder").unwrap(), AgentKind::Loop);
    spec.model = Some(ModelName::new("m").unwrap());
    let catalog = ToolRegistry::new().catalog().clone();
    let catalog = catalog
        .with_tool(needy.spec.clone())
        .unwrap()
        .with_agent(spec);
    ToolRegistry::from_catalog(catalog)
        .implement(Arc::new(needy))
        .unwrap()
}

fn lab(rule: Option<ArgRule>) -> Lab {
    let mut policy = Policy::default();
    policy.roots = Roots::Unrestricted;
    if let Some(rule) = rule {
        policy = policy.argument(ToolName::new("needy").unwrap(), "url", rule);
    }
    Lab::with_policy(policy)
}

async fn run(
    lab: &Lab,
    text: &Value,
    tools: &ToolRegistry,
    model: ScriptedModel,
    secrets: MemorySecrets,
) -> RunRecord {
    let executor = lab
        .executor(tools)
        .secrets(secrets)
        .model(ModelName::new("m").unwrap(), model);
    let handle = executor
        .start(lab.check(text, tools), Inputs::none())
        .await
        .unwrap();
    handle.wait().await.unwrap()
}

fn held() -> MemorySecrets {
    MemorySecrets::new([
        ("KEY", Secret::new(CANARY)),
        ("OTHER", Secret::new("0ther")),
    ])
}

#[tokio::test]
async fn case_42_a_secret_of_the_tool_reaches_its_calls_and_nothing_else() {
    let by_step = plan(&[call("a", "needy", json!({}))]);
    let by_agent = plan(&[agent()]);
    for text in [by_step, by_agent] {
        let lab = lab(None);
        let needy = Needy::new();
        let seen = Arc::clone(&needy.seen);
        let model = ScriptedModel::new()
            .asks_for("needy", json!({}))
            .says("done");
        let record = run(&lab, &text, &tools(needy), model.clone(), held()).await;
        assert_eq!(
            record.status(),
            RunStatus::Succeeded,
            "{:?}",
            record.failure()
        );
        assert_eq!(*seen.lock().unwrap(), [Some(CANARY.to_owned()), None]);
        let asked = format!("{:?}", model.asked());
        let mut told = serde_json::to_string(&record).unwrap() + &asked;
        for record in lab
            .store
            .tail(record.run_id(), Sequence::START)
            .await
            .unwrap()
            .records
        {
            told.push_str(&String::from_utf8(record.into_bytes()).unwrap());
        }
        assert!(!told.contains(CANARY) && told.contains("***"), "{told}");
    }
}

#[tokio::test]
async fn a_tool_without_its_secret_is_not_called() {
    let lab = lab(None);
    let needy = Needy::new();
    let seen = Arc::clone(&needy.seen);
    let text = plan(&[call("a", "needy", json!({}))]);
    let record = run(
        &lab,
        &text,
        &tools(needy),
        ScriptedModel::new(),
        MemorySecrets::default(),
    )
    .await;
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::Auth);
    assert_eq!(failure.message, "the host has no secret `KEY`");
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_rule_of_an_argument_holds_for_every_url_that_follows() {
    let rule = ArgRule::Url {
        schemes: vec!["https".to_owned()],
        hosts: vec!["*.a.test".to_owned()],
    };
    for (next, goes) in [
        ("https://b.a.test/", true),
        ("http://b.a.test/", false),
        ("https://b.test/", false),
        ("https://a.test@b.test/", false),
    ] {
        let arguments = json!({"url": "https://one.a.test/", "next": next});
        let lab = lab(Some(rule.clone()));
        let text = plan(&[call("a", "needy", arguments.clone())]);
        let record = run(
            &lab,
            &text,
            &tools(Needy::new()),
            ScriptedModel::new(),
            held(),
        )
        .await;
        assert_eq!(record.status() == RunStatus::Succeeded, goes, "{next}");
        if let Some(failure) = record.failure() {
            assert_eq!(failure.class, FailureClass::RefusedByGrant);
            assert_eq!(failure.effect, plan_run::Effect::None);
        }
        // and in the hands of an agent
        let lab = self::lab(Some(rule.clone()));
        let model = ScriptedModel::new()
            .asks_for("needy", arguments)
            .says("done");
        let record = run(&lab, &plan(&[agent()]), &tools(Needy::new()), model, held()).await;
        let made = &record.step("a").unwrap().attempts[0].calls[0];
        let refused = made.failure.as_deref().map(|failure| failure.class);
        let expected = (!goes).then_some(FailureClass::RefusedByGrant);
        assert_eq!(refused, expected, "{next}");
    }
}
