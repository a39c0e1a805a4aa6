//! A host in a folder of its own, and plans written in a few words.

use planwright::exec::Inputs;
use planwright::tools::{load_catalog, load_policy};
use planwright::{
    Context, Executor, MemoryStore, Policy, RunHandle, RunRecord, ToolRegistry, ValidatedPlan,
    check,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with a catalog and a policy, and what runs in it.
pub(crate) struct Host {
    pub(crate) folder: TempDir,
    pub(crate) policy: Policy,
    pub(crate) tools: ToolRegistry,
}

impl Host {
    /// A host of these tools, agents and languages, whose scripts run with the rights of the test.
    pub(crate) fn new(catalog: &Value) -> Self {
        Self::with_policy(catalog, "sandbox: {mode: \"off\"}\n")
    }

    pub(crate) fn with_policy(catalog: &Value, policy: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("tools.json"), catalog.to_string()).unwrap();
        std::fs::write(path("policy.yaml"), policy).unwrap();
        let policy = load_policy(path("policy.yaml")).unwrap();
        let catalog = load_catalog(path("tools.json")).unwrap();
        let made = catalog.tools(policy.sandbox).unwrap();
        assert_eq!((made.unavailable, made.idle), (vec![], vec![]));
        Self {
            tools: made.registry,
            policy,
            folder,
        }
    }

    pub(crate) fn check(&self, plan: &Value) -> ValidatedPlan {
        let cx = Context::new(self.tools.catalog(), &self.policy);
        match check(&plan.to_string(), &cx) {
            Ok(plan) => plan,
            Err(rejected) => panic!("{rejected}: {:#?}", rejected.findings()),
        }
    }

    pub(crate) fn executor(&self) -> Executor {
        Executor::new(self.tools.clone(), MemoryStore::new())
            .policy(self.policy.clone())
            .scratch(self.folder.path().join("runs"))
    }

    pub(crate) async fn start(&self, steps: &[Value]) -> RunHandle {
        let plan = self.check(&plan(steps, json!({})));
        let executor = self.executor();
        executor.start(plan, Inputs::none()).await.unwrap()
    }

    pub(crate) async fn run(&self, steps: &[Value]) -> RunRecord {
        self.start(steps).await.wait().await.unwrap()
    }
}

/// A plan of these steps, with further members.
pub(crate) fn plan(steps: &[Value], more: Value) -> Value {
    let plan = json!({
        "metadata": {
            "id": "6a0e4f0e-5b1c-4a54-9d57-1d8e6a3f0c5e", "version": 1,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        },
        "name": "a plan",
        "steps": steps,
    });
    with(plan, more)
}

/// A step of a kind.
pub(crate) fn step(id: &str, kind: &str, config: Value) -> Value {
    json!({"id": id, "name": id, "config": with(json!({"type": kind}), config)})
}

/// A script for `sh`.
pub(crate) fn sh(id: &str, inline: &str) -> Value {
    step(id, "CODE_CALL", json!({"language": "sh", "inline": inline}))
}

/// A value with further members.
pub(crate) fn with(mut to: Value, more: Value) -> Value {
    if let (Value::Object(members), Value::Object(more)) = (&mut to, more) {
        members.extend(more);
    }
    to
}

/// The status of every step: `a succeeded, b skipped`.
pub(crate) fn statuses(record: &RunRecord) -> String {
    let one = |step: &planwright::run::record::StepRecord| format!("{} {}", step.id, step.status);
    record
        .steps()
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join(", ")
}
