//! Tools that do what a script says.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use plan_exec::{Tool, ToolContext, ToolError, ToolOutput};
use plan_model::{Declared, Schema, Seconds, ToolName, ToolSpec};
use plan_run::{IdempotencyKey, RunId, StepPath};
use serde_json::{Map, Value};

use crate::Gate;

/// A tool whose every call is scripted: the first call takes the first act, the
/// last act repeats, and without a script it returns its own arguments.
///
/// Clones share the script's place and the record of calls, so a test keeps one
/// and registers another.
///
/// ```
/// use plan_testkit::Scripted;
/// use serde_json::json;
///
/// let flaky = Scripted::tool("fetch")
///     .read_only()
///     .fails(plan_exec::ToolError::transient("connection reset"))
///     .returns(json!({"status": 200}));
/// let registry = plan_exec::ToolRegistry::new().with(flaky.clone())?;
/// assert_eq!(flaky.calls().len(), 0);
/// # Ok::<(), plan_exec::RegistryError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Scripted {
    spec: ToolSpec,
    acts: Arc<Vec<Act>>,
    log: CallLog,
    shared: Option<CallLog>,
}

/// One call that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool.
    pub tool: ToolName,
    /// The run.
    pub run: RunId,
    /// The step.
    pub step: StepPath,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The idempotency key.
    pub key: IdempotencyKey,
    /// The arguments.
    pub arguments: Map<String, Value>,
}

/// Calls in the order in which they began. Clones are one log.
#[derive(Debug, Clone, Default)]
pub struct CallLog(Arc<Mutex<Calls>>);

#[derive(Debug, Default)]
struct Calls {
    begun: Vec<Call>,
    running: usize,
    peak: usize,
}

impl CallLog {
    /// A log without calls.
    pub fn new() -> Self {
        Self::default()
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.lock().begun.clone()
    }

    /// The calls of one tool so far.
    pub fn of(&self, tool: &str) -> Vec<Call> {
        let calls = self.lock();
        let of_tool = calls.begun.iter().filter(|call| call.tool.as_str() == tool);
        of_tool.cloned().collect()
    }

    /// The steps of the calls so far.
    pub fn steps(&self) -> Vec<String> {
        let calls = self.lock();
        calls
            .begun
            .iter()
            .map(|call| call.step.to_string())
            .collect()
    }

    /// The most calls that were under way at one time.
    pub fn peak(&self) -> usize {
        self.lock().peak
    }

    /// The calls that are under way.
    pub fn running(&self) -> usize {
        self.lock().running
    }

    fn begin(&self, call: Call) -> usize {
        let mut calls = self.lock();
        calls.begun.push(call);
        calls.running += 1;
        calls.peak = calls.peak.max(calls.running);
        calls.begun.len() - 1
    }

    fn end(&self) {
        self.lock().running -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a call in the logs, however it ended.
struct UnderWay<'a>(Vec<&'a CallLog>);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        for log in &self.0 {
            log.end();
        }
    }
}

type Answering = Arc<dyn Fn(&Call) -> Result<Value, ToolError> + Send + Sync>;

#[derive(Clone)]
enum Act {
    Return(Value),
    Fail(ToolError),
    Panic(String),
    Hang,
    Linger(Value),
    Answer(Answering),
    After(Duration, Box<Act>),
    Past(Gate, Box<Act>),
}

impl fmt::Debug for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Return(_) => "Return",
            Self::Fail(_) => "Fail",
            Self::Panic(_) => "Panic",
            Self::Hang => "Hang",
            Self::Linger(_) => "Linger",
            Self::Answer(_) => "Answer",
            Self::After(..) => "After",
            Self::Past(..) => "Past",
        })
    }
}

impl Scripted {
    /// A tool of this name, of which nothing is declared and nothing is scripted.
    ///
    /// # Panics
    /// When the text is no tool name.
    pub fn tool(name: &str) -> Self {
        let name = match ToolName::new(name) {
            Ok(name) => name,
            Err(error) => panic!("the tool name `{name}` {error}"),
        };
        Self {
            spec: ToolSpec::named(name),
            acts: Arc::default(),
            log: CallLog::new(),
            shared: None,
        }
    }

    fn act(mut self, act: Act) -> Self {
        Arc::make_mut(&mut self.acts).push(act);
        self
    }

    /// The next call returns this.
    #[must_use]
    pub fn returns(self, value: Value) -> Self {
        self.act(Act::Return(value))
    }

    /// The next call returns what `answer` makes of it.
    #[must_use]
    pub fn answers(
        self,
        answer: impl Fn(&Call) -> Result<Value, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.act(Act::Answer(Arc::new(answer)))
    }

    /// The next call fails.
    #[must_use]
    pub fn fails(self, error: ToolError) -> Self {
        self.act(Act::Fail(error))
    }

    /// The next call panics.
    #[must_use]
    pub fn panics(self, message: &str) -> Self {
        self.act(Act::Panic(message.to_owned()))
    }

    /// The next call never ends, and never looks at its cancellation.
    #[must_use]
    pub fn hangs(self) -> Self {
        self.act(Act::Hang)
    }

    /// The next call ends only once it is told to, and then returns this.
    #[must_use]
    pub fn lingers(self, value: Value) -> Self {
        self.act(Act::Linger(value))
    }

    /// The last scripted call takes this long first, in Tokio's time.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        self.change_last(|act| Act::After(span, act))
    }

    /// The last scripted call waits at a gate first.
    #[must_use]
    pub fn past(self, gate: &Gate) -> Self {
        let gate = gate.clone();
        self.change_last(|act| Act::Past(gate, act))
    }

    fn change_last(mut self, change: impl FnOnce(Box<Act>) -> Act) -> Self {
        let acts = Arc::make_mut(&mut self.acts);
        let last = acts.pop().unwrap_or(Act::Answer(Arc::new(echo)));
        acts.push(change(Box::new(last)));
        self
    }

    /// Also writes calls into a log that several tools share.
    #[must_use]
    pub fn logged(mut self, log: &CallLog) -> Self {
        self.shared = Some(log.clone());
        self
    }

    /// Declares anything else of the tool.
    #[must_use]
    pub fn declared(mut self, declare: impl FnOnce(&mut ToolSpec)) -> Self {
        declare(&mut self.spec);
        self
    }

    /// Declares that calls change nothing.
    #[must_use]
    pub fn read_only(self) -> Self {
        self.declared(|spec| {
            spec.effects.read_only = Declared::said(true);
            spec.effects.idempotent = Declared::said(true);
            spec.effects.destructive = Declared::said(false);
        })
    }

    /// Declares that a repeated call changes nothing more.
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.declared(|spec| spec.effects.idempotent = Declared::said(true))
    }

    /// Declares the most calls at one time.
    #[must_use]
    pub fn max_concurrency(self, calls: u64) -> Self {
        self.declared(|spec| spec.max_concurrency = Some(calls))
    }

    /// Declares the longest time of a call.
    #[must_use]
    pub fn timeout(self, span: Duration) -> Self {
        let millis = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        self.declared(|spec| spec.timeout = Some(Seconds::from_millis(millis)))
    }

    /// Declares the schema of the arguments.
    #[must_use]
    pub fn takes(self, schema: Value) -> Self {
        self.declared(|spec| spec.input_schema = Some(Schema(schema)))
    }

    /// Declares the schema of the result.
    #[must_use]
    pub fn gives(self, schema: Value) -> Self {
        self.declared(|spec| spec.output_schema = Some(Schema(schema)))
    }

    /// The calls so far, in the order in which they began.
    pub fn calls(&self) -> Vec<Call> {
        self.log.calls()
    }

    /// The log of its calls.
    pub fn log(&self) -> &CallLog {
        &self.log
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is an act like those that fail"
)]
fn echo(call: &Call) -> Result<Value, ToolError> {
    Ok(Value::Object(call.arguments.clone()))
}

#[async_trait]
impl Tool for Scripted {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(
        &self,
        arguments: Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let call = Call {
            tool: self.spec.name.clone(),
            run: cx.run().clone(),
            step: cx.step_path().clone(),
            attempt: cx.attempt(),
            key: cx.idempotency_key().clone(),
            arguments,
        };
        let place = self.log.begin(call.clone());
        let mut logs = vec![&self.log];
        if let Some(shared) = &self.shared {
            shared.begin(call.clone());
            logs.push(shared);
        }
        let _under_way = UnderWay(logs);
        let act = self.acts.get(place).or(self.acts.last()).cloned();
        let mut act = act.unwrap_or(Act::Answer(Arc::new(echo)));
        loop {
            act = match act {
                Act::Return(value) => return Ok(value.into()),
                Act::Fail(error) => return Err(error),
                Act::Panic(message) => panic!("{message}"),
                Act::Hang => std::future::pending().await,
                Act::Linger(value) => {
                    cx.cancellation().cancelled().await;
                    return Ok(value.into());
                }
                Act::Answer(answer) => return answer(&call).map(ToolOutput::from),
                Act::After(span, then) => {
                    tokio::time::sleep(span).await;
                    *then
                }
                Act::Past(gate, then) => {
                    gate.pass().await;
                    *then
                }
            };
        }
    }
}
