//! The only way from an agent to the tools of its plan.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use plan_llm::Usage;
use plan_model::{Limits, StepId, ToolName, ToolSpec};
use plan_run::{
    AttemptSuccess, Effect, Failure, FailureClass, IdempotencyKey, JsonObject, ModelUsage,
    RetryAdvice,
};
use plan_validate::Grant;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tracing::Instrument;

use crate::drive::{
    AgentWord, Lent, PathArguments, Reach, Redactor, Returned, Turns, What, fly, judge, part_of,
    redact, within,
};
use crate::{Cancellation, Tool, ToolContext, ToolRegistry, spans};

/// The tools that an agent may call. Clones are one and the same.
///
/// Each call is checked against the grant of the agent's step and the tool's own
/// schema, counted against the budgets of the run, and in the journal before it is
/// made. What speaks against a call comes back as a failure, for the agent to read.
#[derive(Debug, Clone)]
pub struct AgentTools {
    guard: Option<Arc<Guard>>,
}

/// What holds an agent to its grant.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) step: StepId,
    /// What the agent may do: the grant of its step, cut down to its tools.
    pub(crate) grant: Grant,
    pub(crate) registry: ToolRegistry,
    pub(crate) cx: ToolContext,
    pub(crate) cancellation: Cancellation,
    pub(crate) limits: Limits,
    pub(crate) grace: Duration,
    pub(crate) redactor: Arc<Redactor>,
    pub(crate) desk: Desk,
    /// The most tokens that its models may use.
    pub(crate) tokens: Option<u64>,
    pub(crate) used: AtomicU64,
    pub(crate) acted: AtomicBool,
    pub(crate) turns: Arc<Turns>,
    /// What its tools need for themselves. The agent is given none of it.
    pub(crate) lent: Lent,
}

/// Where an agent's calls and costs are taken down.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) words: mpsc::UnboundedSender<AgentWord>,
}

impl AgentTools {
    /// No tools at all.
    pub fn none() -> Self {
        Self { guard: None }
    }

    pub(crate) fn guarded(guard: Guard) -> Self {
        Self {
            guard: Some(Arc::new(guard)),
        }
    }

    /// What the agent may do; `None` outside a run.
    pub fn grant(&self) -> Option<&Grant> {
        self.guard.as_deref().map(|guard| &guard.grant)
    }

    /// The tools, in the order of their names.
    pub fn specs(&self) -> Vec<&ToolSpec> {
        let Some(guard) = self.guard.as_deref() else {
            return Vec::new();
        };
        let catalog = guard.registry.catalog();
        let names = guard.grant.tools().keys();
        let tools = names.filter_map(|name| catalog.tool(name));
        tools.map(|tool| &tool.spec).collect()
    }

    /// The tokens that the agent's models may still use; `None` where nothing bounds them.
    pub fn tokens_left(&self) -> Option<u64> {
        let guard = self.guard.as_deref()?;
        let used = guard.used.load(Ordering::Acquire);
        Some(guard.tokens?.saturating_sub(used))
    }

    /// Takes down what an answer of the agent's model cost. Ends once that is in the journal.
    ///
    /// # Errors
    /// When the attempt is over: the agent should end.
    pub async fn answered(&self, usage: Usage) -> Result<(), Failure> {
        let Some(guard) = self.guard.as_deref() else {
            return Ok(());
        };
        guard.used.fetch_add(usage.total(), Ordering::AcqRel);
        let usage = ModelUsage::new(usage.input_tokens, usage.output_tokens);
        guard.say(What::Answered { usage }).await.map(drop)
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// The call was refused and not made, or it failed. Either is for the agent to read.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Value, Failure> {
        match self.guard.as_deref() {
            Some(guard) => guard.call(tool, arguments).await,
            None => Err(refused(
                FailureClass::ToolNotFound,
                format!("there is no tool `{tool}`"),
            )),
        }
    }

    /// Whether a tool was called that may have changed something.
    pub(crate) fn have_acted(&self) -> bool {
        let guard = self.guard.as_deref();
        guard.is_some_and(|guard| guard.acted.load(Ordering::Acquire))
    }

    /// Strikes the secrets of the run out of a text that goes to a model.
    pub(crate) fn redact(&self, text: &mut String) {
        if let Some(guard) = self.guard.as_deref() {
            guard.redactor.text(text);
        }
    }
}

/// A call that may be made.
struct Admitted {
    tool: Arc<dyn Tool>,
    arguments: Map<String, Value>,
    reach: Reach,
    limit: Option<Duration>,
    paths: PathArguments,
}

impl Guard {
    async fn call(&self, tool: &str, arguments: Value) -> Result<Value, Failure> {
        let (arguments, admitted) = match self.bounded(arguments) {
            Ok(arguments) => {
                let admitted = self.admit(tool, &arguments);
                (arguments, admitted)
            }
            Err(refusal) => (Map::new(), Err(refusal)),
        };
        let mut name = tool.to_owned();
        name.truncate(name.floor_char_boundary(NAME_BYTES));
        let refusal = admitted.as_ref().err().cloned();
        let mut shown = Value::Object(arguments);
        self.redactor.value(&mut shown);
        let called = What::Called {
            tool: name,
            arguments: JsonObject::from(match shown {
                Value::Object(members) => members,
                _ => Map::new(),
            }),
            refusal,
        };
        let call = self.say(called).await?;
        let admitted = admitted?;
        let (result, failure) = match self.perform(call, tool, admitted).await {
            Ok(value) => (Ok(value), None),
            Err(failure) => (Err(failure.clone()), Some(failure)),
        };
        self.say(What::Ended { call, failure }).await?;
        result
    }

    /// The arguments, where they are an object within the bounds of values.
    fn bounded(&self, arguments: Value) -> Result<Map<String, Value>, Failure> {
        if let Err(over) = within(&arguments, &self.limits) {
            crate::drive::take_apart(arguments);
            let message = format!("the arguments have {over}");
            return Err(refused(FailureClass::LimitExceeded, message));
        }
        match arguments {
            Value::Object(members) => Ok(members),
            Value::Null => Ok(Map::new()),
            _ => Err(refused(
                FailureClass::InvalidArguments,
                "the arguments are no object",
            )),
        }
    }

    /// Whether the grant and the tool take the call.
    fn admit(&self, tool: &str, arguments: &Map<String, Value>) -> Result<Admitted, Failure> {
        let unknown = || {
            let message = format!("there is no tool `{}`", shown(tool));
            refused(FailureClass::ToolNotFound, message)
        };
        let name = ToolName::new(tool).map_err(|_| unknown())?;
        self.grant
            .permits_agent_tool(&self.step, &name, arguments)
            .map_err(|refusal| refused(FailureClass::RefusedByGrant, refusal.to_string()))?;
        let described = self.registry.catalog().tool(&name).ok_or_else(unknown)?;
        if self.grant.tools().get(&name) != Some(&described.digest) {
            return Err(unknown());
        }
        described
            .check_arguments(arguments)
            .map_err(|faults| refused(FailureClass::InvalidArguments, faults.join("; ")))?;
        let implementation = self.registry.tool(&name).ok_or_else(unknown)?;
        Ok(Admitted {
            tool: Arc::clone(implementation),
            arguments: arguments.clone(),
            reach: if described.spec.effects.read_only.holds {
                Reach::ReadOnly
            } else {
                Reach::Writes
            },
            paths: PathArguments::of(Some(described), self.cx.facts()),
            limit: described.spec.timeout.map(plan_model::Seconds::as_duration),
        })
    }

    async fn perform(&self, call: u32, name: &str, admitted: Admitted) -> Result<Value, Failure> {
        let Admitted {
            tool,
            arguments,
            reach,
            limit,
            paths,
        } = admitted;
        let turn = self.turns.at(&tool.spec().name);
        let _turn = tokio::select! {
            permit = turn.wait() => permit,
            () = self.cancellation.cancelled() => {
                let message = "the call was stopped while it waited for its turn";
                return Err(refused(FailureClass::Cancelled, message));
            }
        };
        if reach == Reach::Writes {
            self.acted.store(true, Ordering::Release);
        }
        let own = Cancellation::new();
        let key = IdempotencyKey::of_agent_call(self.cx.idempotency_key(), self.cx.attempt(), call);
        let secrets = part_of(&self.lent, tool.secrets());
        let cx = self.cx.for_call(key, own.clone(), secrets);
        let span = spans::agent_call(call, name);
        let made = async move {
            paths.check(&arguments).await?;
            tool.call(arguments, &cx).await.map(Returned::Tool)
        };
        let flight = fly(made, limit, self.grace, own.clone()).instrument(span.clone());
        tokio::pin!(flight);
        let landing = tokio::select! {
            landing = &mut flight => landing,
            () = self.cancellation.cancelled() => {
                own.cancel();
                flight.await
            }
        };
        let mut judged = judge(landing, reach, &self.limits);
        if !self.redactor.is_empty() {
            redact(&mut judged.result, &self.redactor);
        }
        match judged.result {
            Ok(AttemptSuccess::Value { value, .. }) => Ok(value),
            Ok(_) => Ok(Value::Null),
            Err(failure) => {
                spans::failed(&span, failure.class);
                Err(*failure)
            }
        }
    }

    /// Has something taken down, and waits until it is in the journal.
    async fn say(&self, what: What) -> Result<u32, Failure> {
        let (reply, taken) = oneshot::channel();
        let word = AgentWord {
            step: self.cx.step_path().clone(),
            attempt: self.cx.attempt(),
            what,
            staged: None,
            reply,
        };
        let over = || refused(FailureClass::Cancelled, "the run of the agent is over");
        self.desk.words.send(word).map_err(|_| over())?;
        match taken.await {
            Ok(taken) => taken.map_err(|failure| *failure),
            Err(_) => Err(over()),
        }
    }
}

/// The most bytes of a name that an agent calls.
const NAME_BYTES: usize = 256;

/// A name that somebody made up, as far as a message shows it.
fn shown(name: &str) -> &str {
    name.get(..name.floor_char_boundary(NAME_BYTES))
        .unwrap_or_default()
}

/// A call that was not made.
fn refused(class: FailureClass, message: impl Into<String>) -> Failure {
    Failure::new(class, message)
        .with_effect(Effect::None)
        .with_retry(RetryAdvice::Never)
}
