//! A driver for tests: it journals in memory, and time is what it says.

use plan_model::{Declared, IdempotencyKeySupport, Timestamp, ToolName, ToolSpec};
use plan_run::event::AttemptOutcome;
use plan_run::{
    Answer, AttemptSuccess, Decision, Effect, Event, EventKind, Failure, FailureClass, Machine,
    NewRun, PrincipalName, RequestId, RunId, RunStatus, StepPath, StepStatus, decode, encode,
};
use plan_validate::{Context, Policy, ToolCatalog, ValidatedPlan, check};
use serde_json::{Map, Value, json};

/// `read` changes nothing, `put` is idempotent, `keyed` takes a key, `send` is neither, `slow`
/// reads and takes two calls at a time.
pub(crate) fn catalog() -> ToolCatalog {
    let named = |name: &str| ToolSpec::named(ToolName::new(name).unwrap());
    let mut read = named("read");
    read.effects.read_only = Declared::said(true);
    let mut put = named("put");
    put.effects.idempotent = Declared::said(true);
    let mut keyed = named("keyed");
    keyed.idempotency_key = IdempotencyKeySupport::Env;
    let mut slow = named("slow");
    slow.effects.read_only = Declared::said(true);
    slow.max_concurrency = Some(2);
    [read, put, keyed, slow, named("send")]
        .into_iter()
        .fold(ToolCatalog::builder(), plan_validate::CatalogBuilder::tool)
        .build()
        .unwrap()
}

/// A plan document of these steps; `more` adds or replaces members.
pub(crate) fn document(steps: &Value, more: &Value) -> String {
    let mut plan = json!({
        "metadata": {
            "id": "3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90",
            "version": 1,
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
        },
        "name": "sample",
        "inputs": [],
        "config": {},
        "steps": steps,
        "outputs": [],
    });
    for (name, value) in more.as_object().unwrap() {
        plan[name] = value.clone();
    }
    plan.to_string()
}

/// The plan of these steps, checked.
pub(crate) fn plan(steps: &Value, more: &Value) -> ValidatedPlan {
    plan_under(steps, more, &Policy::default())
}

pub(crate) fn plan_under(steps: &Value, more: &Value, policy: &Policy) -> ValidatedPlan {
    let text = document(steps, more);
    match check(&text, &Context::new(&catalog(), policy)) {
        Ok(plan) => plan,
        Err(rejected) => panic!("{text}\n{rejected}\n{:#?}", rejected.findings()),
    }
}

/// A call of a tool without arguments; `more` adds or replaces members of the step.
pub(crate) fn call(id: &str, tool: &str, after: &[&str], more: &Value) -> Value {
    with(
        step(
            id,
            json!({ "type": "TOOL_CALL", "tool": tool, "arguments": {} }),
            after,
        ),
        more,
    )
}

/// A call whose arguments are these.
pub(crate) fn call_with(id: &str, tool: &str, arguments: &Value) -> Value {
    step(
        id,
        json!({ "type": "TOOL_CALL", "tool": tool, "arguments": arguments }),
        &[],
    )
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "a literal is written where it is called"
)]
pub(crate) fn step(id: &str, config: Value, after: &[&str]) -> Value {
    json!({ "id": id, "name": id, "config": config, "depends_on": after, "outputs": [] })
}

pub(crate) fn condition(
    id: &str,
    expression: &str,
    yes: &[&str],
    no: &[&str],
    after: &[&str],
) -> Value {
    let config = json!({
        "type": "CONDITION", "expression": expression, "true_steps": yes, "false_steps": no,
    });
    step(id, config, after)
}

/// A fan-out over this list; `more` adds or replaces members of its configuration.
pub(crate) fn fan(id: &str, over: &str, body: &[&str], more: &Value) -> Value {
    let config = json!({ "type": "FAN_OUT", "over": over, "item_var": "row", "spawn_steps": body });
    step(id, with(config, more), &[])
}

pub(crate) fn with(mut value: Value, more: &Value) -> Value {
    for (name, member) in more.as_object().unwrap() {
        value[name] = member.clone();
    }
    value
}

pub(crate) fn path(text: &str) -> StepPath {
    text.parse().unwrap()
}

pub(crate) fn somebody() -> PrincipalName {
    PrincipalName::new("ada").unwrap()
}

pub(crate) fn failure(class: FailureClass, effect: Effect) -> Failure {
    Failure::new(class, "it broke").with_effect(effect)
}

/// A run, its journal and the time.
pub(crate) struct Driver {
    pub(crate) plan: ValidatedPlan,
    pub(crate) machine: Machine,
    pub(crate) now: Timestamp,
    pub(crate) journal: Vec<Vec<u8>>,
}

impl Driver {
    /// A run of these steps, as far as it goes without results.
    pub(crate) fn new(steps: &Value) -> Self {
        Self::with(steps, &json!({}), json!({}))
    }

    pub(crate) fn with(steps: &Value, more: &Value, inputs: Value) -> Self {
        Self::start(plan(steps, more), inputs, |_| {})
    }

    pub(crate) fn start(plan: ValidatedPlan, inputs: Value, set: impl FnOnce(&mut NewRun)) -> Self {
        let Value::Object(inputs) = inputs else {
            panic!("inputs are an object")
        };
        let mut new = NewRun::new(RunId::new("run-1").unwrap(), inputs);
        set(&mut new);
        let now = Timestamp::from_millis(1_767_225_600_000);
        let created = Event {
            at: now,
            kind: Machine::create(&plan, new).unwrap(),
        };
        let machine = Machine::new(plan.clone(), &created).unwrap();
        let mut driver = Self {
            plan,
            machine,
            now,
            journal: vec![encode(&created)],
        };
        driver.pump();
        driver
    }

    /// Journals and applies one event, as a store would give it back.
    pub(crate) fn push(&mut self, kind: EventKind) {
        let event = Event { at: self.now, kind };
        let bytes = encode(&event);
        assert_eq!(
            decode(&bytes).unwrap(),
            event,
            "an event comes back as it was written"
        );
        self.machine.apply(&event).unwrap();
        self.journal.push(bytes);
    }

    /// Applies proposals until there are none.
    pub(crate) fn pump(&mut self) {
        loop {
            let events = self.machine.next(self.now);
            if events.is_empty() {
                return;
            }
            for event in events {
                self.push(event);
            }
        }
    }

    pub(crate) fn after(&mut self, millis: i64) -> &mut Self {
        self.now = Timestamp::from_millis(self.now.as_millis() + millis);
        self.pump();
        self
    }

    /// The attempt of a step that is in flight.
    pub(crate) fn attempt(&self, id: &str) -> u32 {
        let started = self.machine.started();
        let found = started.iter().find(|(step, _)| *step == path(id));
        found
            .unwrap_or_else(|| panic!("`{id}` is not in flight, but {started:?} are"))
            .1
    }

    pub(crate) fn settle(
        &mut self,
        id: &str,
        result: Result<AttemptSuccess, Failure>,
    ) -> &mut Self {
        let attempt = self.attempt(id);
        self.settle_attempt(id, attempt, result)
    }

    pub(crate) fn settle_attempt(
        &mut self,
        id: &str,
        attempt: u32,
        result: Result<AttemptSuccess, Failure>,
    ) -> &mut Self {
        for event in self
            .machine
            .settle(&path(id), attempt, result, self.now, 0.5)
        {
            self.push(event);
        }
        self.pump();
        self
    }

    pub(crate) fn succeed(&mut self, id: &str, value: Value) -> &mut Self {
        self.settle(id, Ok(value.into()))
    }

    /// A failure that no plan repeats.
    pub(crate) fn fail(&mut self, id: &str) -> &mut Self {
        self.settle(id, Err(failure(FailureClass::Permission, Effect::None)))
    }

    pub(crate) fn answer(&mut self, id: &str, answer: Answer) -> &mut Self {
        let request = self.request(id);
        let event = self
            .machine
            .answer(&request, answer, somebody(), self.now)
            .unwrap();
        self.push(event);
        self.pump();
        self
    }

    pub(crate) fn decide(&mut self, id: &str, decision: Decision) -> &mut Self {
        let event = self
            .machine
            .decide(&path(id), decision, somebody())
            .unwrap();
        self.push(event);
        self.pump();
        self
    }

    pub(crate) fn cancel(&mut self) -> &mut Self {
        let event = self.machine.cancel(somebody(), "enough");
        self.push(event);
        self.pump();
        self
    }

    /// The open request of a step.
    pub(crate) fn request(&self, id: &str) -> RequestId {
        let requests = self.machine.requests();
        requests
            .iter()
            .find(|request| request.step == path(id))
            .unwrap()
            .id
            .clone()
    }

    pub(crate) fn replayed(&self) -> Machine {
        replay(&self.plan, &self.journal)
    }

    /// Kills the process and takes the run up in another one.
    pub(crate) fn crash(&mut self) -> &mut Self {
        self.machine = self.replayed();
        for event in self.machine.recover() {
            self.push(event);
        }
        self.pump();
        self
    }

    pub(crate) fn in_flight(&self) -> Vec<String> {
        self.machine
            .started()
            .iter()
            .map(|(step, _)| step.to_string())
            .collect()
    }

    pub(crate) fn status(&self) -> RunStatus {
        self.machine.status()
    }

    pub(crate) fn of(&self, id: &str) -> StepStatus {
        self.machine.record().step_at(&path(id)).unwrap().status
    }

    pub(crate) fn outputs_of(&self, id: &str) -> Map<String, Value> {
        (*self.machine.record().step_at(&path(id)).unwrap().outputs).clone()
    }

    /// The status of each step, with the reason of those that were skipped.
    pub(crate) fn statuses(&self) -> String {
        let record = self.machine.record();
        let steps = record.all_steps();
        let said = steps.iter().map(|(path, step)| match step.status {
            StepStatus::Skipped(reason) => format!("{path} {}({reason})", step.status),
            status => format!("{path} {status}"),
        });
        format!(
            "{}: {}",
            record.status(),
            said.collect::<Vec<_>>().join(", ")
        )
    }

    /// The arguments with which a started attempt is performed.
    pub(crate) fn arguments(&self, id: &str) -> Map<String, Value> {
        let call = self
            .machine
            .effect(&path(id), self.attempt(id), &|_| None)
            .unwrap();
        match call {
            plan_run::EffectCall::Tool(call) => call.arguments,
            plan_run::EffectCall::Code(_)
            | plan_run::EffectCall::Prompt(_)
            | plan_run::EffectCall::Agent(_) => {
                panic!("`{id}` is no tool call")
            }
        }
    }

    /// How the attempts of a step ended, as the journal says it.
    pub(crate) fn outcomes(&self, id: &str) -> Vec<AttemptOutcome> {
        let events = self.journal.iter().map(|bytes| decode(bytes).unwrap().kind);
        events
            .filter_map(|event| match event {
                EventKind::AttemptEnded { step, outcome, .. } if step == path(id) => Some(outcome),
                _ => None,
            })
            .collect()
    }
}

pub(crate) fn replay(plan: &ValidatedPlan, journal: &[Vec<u8>]) -> Machine {
    let events = journal.iter().map(|bytes| decode(bytes).unwrap());
    Machine::replay(plan.clone(), events).unwrap()
}
