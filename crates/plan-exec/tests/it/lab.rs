//! What the tests share: a store, a clock, plans written in a few words.

use std::time::Duration;

use async_trait::async_trait;
use plan_exec::{Clock, Executor, Inputs, RunHandle, ToolRegistry};
use plan_model::Timestamp;
use plan_model::document::{DocumentKind, ReadOptions};
use plan_run::event::EventKind;
use plan_run::{Event, PrincipalName, RunId, RunRecord, decode};
use plan_store::{
    CLAIM_TTL, Claim, Fence, HeadUpdate, JournalPage, ManualClock, MemoryStore, OwnerId, Page,
    PlanCursor, PlanHead, PlanPage, PlanStore, Record, RunFilter, RunHead, RunPage, RunStore,
    RunStoreExt, Sequence, Store, StoreError, StoredPlan, VersionSpec, Writer,
};
use plan_testkit::{PausedClock, Scripted};
use plan_validate::{Context, Policy, ValidatedPlan, check_bytes};
use serde_json::{Map, Value, json};

/// The time of a lab: Tokio's, and what was skipped by hand.
#[derive(Debug, Clone)]
pub(crate) struct LabClock {
    tokio: Option<PausedClock>,
    manual: ManualClock,
}

impl LabClock {
    /// Moves the time of day on, and no timer with it.
    pub(crate) fn skip(&self, span: Duration) {
        self.manual.advance(span);
    }
}

impl Clock for LabClock {
    fn now(&self) -> Timestamp {
        let skipped = self.manual.now();
        match &self.tokio {
            Some(tokio) => skipped.plus(tokio.now().since(Timestamp::from_millis(0))),
            None => skipped,
        }
    }
}

/// One store and one clock, and executors over them.
#[derive(Debug, Clone)]
pub(crate) struct Lab {
    pub(crate) store: MemoryStore,
    pub(crate) clock: LabClock,
    pub(crate) policy: Policy,
}

impl Lab {
    /// A lab in the time of the runtime that it is made in.
    pub(crate) fn new() -> Self {
        Self::at(LabClock {
            tokio: Some(PausedClock::at(Timestamp::from_millis(0))),
            manual: ManualClock::default(),
        })
    }

    /// A lab whose time stands still, for tests that outlive a runtime.
    pub(crate) fn manual() -> Self {
        Self::at(LabClock {
            tokio: None,
            manual: ManualClock::default(),
        })
    }

    /// Lets the claim of a process that died run out.
    pub(crate) fn after_the_claim(&self) {
        self.clock.skip(CLAIM_TTL + Duration::from_millis(1));
    }

    fn at(clock: LabClock) -> Self {
        Self {
            store: MemoryStore::with_clock(clock.clone()),
            clock,
            policy: Policy::default(),
        }
    }

    pub(crate) fn with_policy(policy: Policy) -> Self {
        Self {
            policy,
            ..Self::new()
        }
    }

    /// An executor of these tools over the store of the lab.
    pub(crate) fn executor(&self, tools: &ToolRegistry) -> Executor {
        self.executor_over(tools, self.store.clone())
    }

    pub(crate) fn executor_over(
        &self,
        tools: &ToolRegistry,
        store: impl Store + 'static,
    ) -> Executor {
        Executor::new(tools.clone(), store)
            .policy(self.policy.clone())
            .clock(self.clock.clone())
    }

    pub(crate) fn check(&self, plan: &Value, tools: &ToolRegistry) -> ValidatedPlan {
        let mut options = ReadOptions::default();
        options.kind = DocumentKind::Plan;
        let cx = Context::new(tools.catalog(), &self.policy);
        match check_bytes(plan.to_string().as_bytes(), &options, &cx) {
            Ok(plan) => plan,
            Err(rejected) => panic!("{rejected}: {:#?}", rejected.findings()),
        }
    }

    /// Starts a run without inputs.
    pub(crate) async fn start(&self, plan: &Value, tools: &ToolRegistry) -> RunHandle {
        let plan = self.check(plan, tools);
        let executor = self.executor(tools);
        executor.start(plan, Inputs::none()).await.unwrap()
    }

    /// Runs to the end, or until everything waits.
    pub(crate) async fn run(&self, plan: &Value, tools: &ToolRegistry) -> RunRecord {
        self.start(plan, tools).await.wait().await.unwrap()
    }

    /// Takes a run up in another executor, and drives it as far as it goes.
    pub(crate) async fn resume(&self, tools: &ToolRegistry, run: &RunId) -> RunRecord {
        let handle = self.executor(tools).resume(run).await.unwrap();
        handle.wait().await.unwrap()
    }

    /// The journal of a run.
    pub(crate) async fn journal(&self, run: &RunId) -> Vec<Event> {
        events(&self.store, run).await
    }
}

pub(crate) async fn events(store: &dyn RunStore, run: &RunId) -> Vec<Event> {
    let journal = store.journal(run).await.unwrap();
    let decoded = journal
        .records
        .iter()
        .map(|record| decode(record.as_bytes()));
    decoded.collect::<Result<_, _>>().unwrap()
}

/// The name of each event's kind, with its step where it has one.
pub(crate) fn names(events: &[Event]) -> Vec<String> {
    let name = |event: &Event| {
        let kind = serde_json::to_value(&event.kind).unwrap();
        let (name, fields) = kind.as_object().unwrap().iter().next().unwrap();
        match fields.get("step").and_then(Value::as_str) {
            Some(step) => format!("{name} {step}"),
            None => name.clone(),
        }
    };
    events.iter().map(name).collect()
}

/// The attempts that a journal says were begun: step and number.
pub(crate) fn begun(events: &[Event]) -> Vec<(String, u32)> {
    let begun = events.iter().filter_map(|event| match &event.kind {
        EventKind::AttemptStarted(started) => Some((started.step.to_string(), started.attempt)),
        _ => None,
    });
    begun.collect()
}

/// A native plan of these steps and nothing else.
pub(crate) fn plan(steps: &[Value]) -> Value {
    json!({
        "metadata": {
            "id": "6a0e4f0e-5b1c-4a54-9d57-1d8e6a3f00ff", "version": 1,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"
        },
        "name": "a plan",
        "steps": steps,
    })
}

/// A plan with further members.
pub(crate) fn plan_with(steps: &[Value], more: Value) -> Value {
    merged(plan(steps), more)
}

/// A step that calls a tool.
#[expect(
    clippy::needless_pass_by_value,
    reason = "tests write the arguments in place"
)]
pub(crate) fn call(id: &str, tool: &str, arguments: Value) -> Value {
    json!({
        "id": id, "name": id,
        "config": {"type": "TOOL_CALL", "tool": tool, "arguments": arguments},
    })
}

/// A step that asks a person.
pub(crate) fn ask(id: &str, more: Value) -> Value {
    let config = json!({"type": "HUMAN_INTERACTION", "prompt": format!("{id}?"), "response_field": "answer"});
    json!({"id": id, "name": id, "config": merged(config, more)})
}

/// A step with further members.
pub(crate) fn with(step: Value, more: Value) -> Value {
    merged(step, more)
}

fn merged(mut to: Value, more: Value) -> Value {
    let members = to.as_object_mut().unwrap();
    members.extend(object(more));
    to
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("{other} is no object"),
    }
}

/// A registry of scripted tools.
pub(crate) fn registry<'a>(tools: impl IntoIterator<Item = &'a Scripted>) -> ToolRegistry {
    let add = |tools: ToolRegistry, tool: &Scripted| tools.with(tool.clone()).unwrap();
    tools.into_iter().fold(ToolRegistry::new(), add)
}

/// The status of every step, in plan order: `a succeeded, b skipped (upstream_failed)`.
pub(crate) fn statuses(record: &RunRecord) -> String {
    let one = |step: &plan_run::record::StepRecord| match step.status {
        plan_run::StepStatus::Skipped(reason) => format!("{} skipped ({reason})", step.id),
        status => format!("{} {status}", step.id),
    };
    record
        .steps()
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join(", ")
}

pub(crate) fn somebody() -> PrincipalName {
    PrincipalName::new("ada").unwrap()
}

/// A store whose runs and plans are kept apart.
#[derive(Debug, Clone)]
pub(crate) struct Split<R, P> {
    pub(crate) runs: R,
    pub(crate) plans: P,
}

#[async_trait]
impl<R: RunStore, P: Send + Sync + std::fmt::Debug> RunStore for Split<R, P> {
    async fn create(&self, head: &RunHead, records: Vec<Record>) -> Result<Sequence, StoreError> {
        self.runs.create(head, records).await
    }

    async fn append(
        &self,
        run: &RunId,
        expected: Sequence,
        writer: Writer,
        update: HeadUpdate,
        records: Vec<Record>,
    ) -> Result<Sequence, StoreError> {
        self.runs
            .append(run, expected, writer, update, records)
            .await
    }

    async fn read(&self, run: &RunId, after: Sequence) -> Result<JournalPage, StoreError> {
        self.runs.read(run, after).await
    }

    async fn list(&self, filter: &RunFilter, page: &Page) -> Result<RunPage, StoreError> {
        self.runs.list(filter, page).await
    }

    async fn claim(
        &self,
        run: &RunId,
        owner: &OwnerId,
        action: Claim,
    ) -> Result<Fence, StoreError> {
        self.runs.claim(run, owner, action).await
    }
}

#[async_trait]
impl<R: Send + Sync + std::fmt::Debug, P: PlanStore> PlanStore for Split<R, P> {
    async fn put(&self, plan: StoredPlan, expected: Option<u64>) -> Result<(), StoreError> {
        self.plans.put(plan, expected).await
    }

    async fn get(
        &self,
        id: plan_model::PlanId,
        version: VersionSpec,
    ) -> Result<StoredPlan, StoreError> {
        self.plans.get(id, version).await
    }

    async fn history(&self, id: plan_model::PlanId) -> Result<Vec<PlanHead>, StoreError> {
        self.plans.history(id).await
    }

    async fn plans(&self, page: &Page<PlanCursor>) -> Result<PlanPage, StoreError> {
        self.plans.plans(page).await
    }
}
