//! One conformance suite for every [`Tool`].
//!
//! ```ignore
//! struct Fetch;
//!
//! impl Fresh for Fetch {
//!     fn fresh(&self) -> Fixture {
//!         Fixture::new(fetch_tool(), json!({"url": "http://localhost/ok"}))
//!             .endless(json!({"url": "http://localhost/never"}))
//!     }
//! }
//!
//! plan_testkit::tool_suite!(Fetch);
//! ```
#![expect(clippy::unwrap_used, reason = "a case that cannot go on has failed")]

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use plan_exec::{Dispatched, Tool, ToolContext, ToolError, ToolOutput};
use plan_model::{Limits, StepId, ToolSpec};
use plan_run::{IdempotencyKey, RunId};
use plan_validate::CompiledSchema;
use serde_json::{Map, Value};

use crate::suite::skipped;

/// A tool, and arguments to try it with.
pub struct Fixture {
    tool: Arc<dyn Tool>,
    succeeds: Map<String, Value>,
    fails: Option<Map<String, Value>>,
    endless: Option<Map<String, Value>>,
    running: Option<Counted>,
    effects: Option<Counted>,
    scratch: std::path::PathBuf,
    keep: Option<Box<dyn Any + Send + Sync>>,
}

type Counted = Box<dyn Fn() -> usize + Send + Sync>;

impl fmt::Debug for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixture")
            .field("tool", &self.tool)
            .field("keeps", &self.keep.is_some())
            .finish_non_exhaustive()
    }
}

/// Makes a tool whose calls are tried.
pub trait Fresh {
    /// A tool that was never called.
    fn fresh(&self) -> Fixture;
}

impl Fixture {
    /// A tool, and the arguments of a call that succeeds.
    pub fn new(tool: impl Tool + 'static, succeeds: Value) -> Self {
        Self {
            tool: Arc::new(tool),
            succeeds: members(succeeds),
            fails: None,
            endless: None,
            running: None,
            effects: None,
            scratch: std::env::temp_dir(),
            keep: None,
        }
    }

    /// With the arguments of a call that fails.
    #[must_use]
    pub fn fails(mut self, arguments: Value) -> Self {
        self.fails = Some(members(arguments));
        self
    }

    /// With the arguments of a call that never ends by itself.
    #[must_use]
    pub fn endless(mut self, arguments: Value) -> Self {
        self.endless = Some(members(arguments));
        self
    }

    /// With a count of the calls that are at work, wherever that work is done.
    #[must_use]
    pub fn running(mut self, count: impl Fn() -> usize + Send + Sync + 'static) -> Self {
        self.running = Some(Box::new(count));
        self
    }

    /// With a count of what calls have changed outside.
    #[must_use]
    pub fn effects(mut self, count: impl Fn() -> usize + Send + Sync + 'static) -> Self {
        self.effects = Some(Box::new(count));
        self
    }

    /// With a scratch folder for its calls.
    #[must_use]
    pub fn scratch(mut self, folder: impl Into<std::path::PathBuf>) -> Self {
        self.scratch = folder.into();
        self
    }

    /// Keeps something for as long as the tool is used, such as its folder.
    #[must_use]
    pub fn keeping(mut self, keep: impl Any + Send + Sync) -> Self {
        self.keep = Some(Box::new(keep));
        self
    }

    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    /// The context of a call under a key.
    fn context(&self, key: &str) -> ToolContext {
        let (run, step) = (RunId::new("run-1").unwrap(), StepId::new("one").unwrap());
        ToolContext::detached(run, step, IdempotencyKey::new(key).unwrap())
            .with_scratch(&self.scratch)
    }

    async fn call(&self, arguments: &Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let cx = self.context("key-1");
        self.tool.call(arguments.clone(), &cx).await
    }
}

/// # Panics
/// When it is no object.
fn members(arguments: Value) -> Map<String, Value> {
    match arguments {
        Value::Object(members) => members,
        other => panic!("the arguments of a call are an object, not {other}"),
    }
}

/// Hands the list of all cases to a macro: `__tool_cases!([path::of::macro] [its own arguments])`.
#[doc(hidden)]
#[macro_export]
macro_rules! __tool_cases {
    ([$($then:tt)+] [$($arguments:tt)*]) => {
        $($then)+! {
            [$($arguments)*]
            the_specification_is_always_the_same,
            its_schemas_can_be_used_and_take_what_it_is_called_with,
            a_call_returns_what_its_schema_describes,
            a_failed_call_says_whether_anything_was_sent,
            a_repeat_of_what_may_be_repeated_changes_nothing_more,
            a_dropped_call_ends,
            a_call_that_is_asked_to_end_does_so,
            calls_at_one_time_are_apart,
        }
    };
}

__tool_cases!([suite_dispatch][]);

/// Makes one test of every case: `tool_suite!(value)`, where the value is [`Fresh`](crate::tool_suite::Fresh).
///
/// The crate needs `tokio` with its macros and its runtime of several threads.
#[macro_export]
macro_rules! tool_suite {
    ($fresh:expr) => {
        $crate::__tool_cases!([$crate::__suite_tests][tool_suite $fresh]);
    };
}

/// How long something may take that should happen at once.
const PATIENCE: Duration = Duration::from_secs(20);

async fn the_specification_is_always_the_same(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let before = fixture.spec().clone();
    fixture.call(&fixture.succeeds).await.unwrap();
    assert_eq!(fixture.spec(), &before);
    assert_eq!(fresh.fresh().spec(), &before);
}

async fn its_schemas_can_be_used_and_take_what_it_is_called_with(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let spec = fixture.spec();
    let compiled = |schema: &Option<plan_model::Schema>| {
        schema.as_ref().map(|schema| {
            CompiledSchema::compile(&schema.0, &Limits::default())
                .unwrap_or_else(|error| panic!("a schema of `{}`: {error}", spec.name))
        })
    };
    let input = compiled(&spec.input_schema);
    compiled(&spec.output_schema);
    if let Some(input) = input {
        for arguments in [Some(&fixture.succeeds), fixture.endless.as_ref()] {
            let Some(arguments) = arguments else { continue };
            assert!(
                input.accepts(&Value::Object(arguments.clone())),
                "its input schema does not take {arguments:?}"
            );
        }
    }
    let named = |arguments: &[String]| {
        let properties = spec
            .input_schema
            .as_ref()
            .and_then(|schema| schema.0.get("properties"));
        for name in arguments {
            let known = properties.is_none_or(|known| known.get(name).is_some());
            assert!(known, "`{name}` is no argument of its schema");
        }
    };
    named(&spec.sensitive_arguments);
    named(&spec.code_arguments);
    named(&spec.secret_arguments);
}

async fn a_call_returns_what_its_schema_describes(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let output = fixture.call(&fixture.succeeds).await.unwrap();
    if let Some(schema) = &fixture.spec().output_schema {
        let schema = CompiledSchema::compile(&schema.0, &Limits::default()).unwrap();
        assert!(
            schema.accepts(&output.value),
            "its output schema does not describe {}",
            output.value
        );
    }
}

async fn a_failed_call_says_whether_anything_was_sent(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let Some(arguments) = &fixture.fails else {
        skipped(
            "a_failed_call_says_whether_anything_was_sent",
            "no call fails",
        );
        return;
    };
    let before = fixture.effects.as_ref().map(|count| count());
    let error = fixture.call(arguments).await.unwrap_err();
    assert!(!error.message.is_empty());
    let after = fixture.effects.as_ref().map(|count| count());
    if error.dispatched == Dispatched::No {
        assert_eq!(before, after, "it says that nothing was sent");
    }
}

async fn a_repeat_of_what_may_be_repeated_changes_nothing_more(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let effects = fixture.spec().effects;
    let repeats = effects.read_only.holds || effects.idempotent.holds;
    let Some(count) = fixture.effects.as_ref().filter(|_| repeats) else {
        skipped(
            "a_repeat_of_what_may_be_repeated_changes_nothing_more",
            "nothing is counted, or the tool says of itself that it may not be repeated",
        );
        return;
    };
    let before = count();
    fixture.call(&fixture.succeeds).await.unwrap();
    let once = count();
    fixture.call(&fixture.succeeds).await.unwrap();
    assert_eq!(count(), once, "the repeat changed something");
    if effects.read_only.holds {
        assert_eq!(once, before, "it reads only");
    }
}

async fn a_dropped_call_ends(fresh: &impl Fresh) {
    let fixture = Arc::new(fresh.fresh());
    let Some(arguments) = fixture.endless.clone() else {
        skipped("a_dropped_call_ends", "every call ends by itself");
        return;
    };
    let calling = Arc::clone(&fixture);
    let call = tokio::spawn(async move { calling.call(&arguments).await });
    fixture
        .until("the call is at work", |running| running > 0)
        .await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    fixture
        .until("the call has ended", |running| running == 0)
        .await;
}

async fn a_call_that_is_asked_to_end_does_so(fresh: &impl Fresh) {
    let fixture = Arc::new(fresh.fresh());
    let Some(arguments) = fixture.endless.clone() else {
        skipped(
            "a_call_that_is_asked_to_end_does_so",
            "every call ends by itself",
        );
        return;
    };
    let cx = fixture.context("key-1");
    let (calling, given) = (Arc::clone(&fixture), cx.clone());
    let call = tokio::spawn(async move { calling.tool.call(arguments, &given).await });
    fixture
        .until("the call is at work", |running| running > 0)
        .await;
    cx.cancellation().cancel();
    // one that looks at the signal ends by it; any other is dropped
    let mut call = call;
    if tokio::time::timeout(Duration::from_secs(2), &mut call)
        .await
        .is_err()
    {
        call.abort();
    }
    fixture
        .until("the call has ended", |running| running == 0)
        .await;
}

async fn calls_at_one_time_are_apart(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let call = || fixture.call(&fixture.succeeds);
    let (one, two, three) = tokio::join!(call(), call(), call());
    for output in [one, two, three] {
        output.unwrap();
    }
}

impl Fixture {
    /// Waits until the count of calls at work is like this; without a count there is nothing to wait for.
    async fn until(&self, what: &str, holds: impl Fn(usize) -> bool) {
        let Some(running) = &self.running else {
            return;
        };
        let waiting = async {
            while !holds(running()) {
                tokio::task::yield_now().await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(waited.is_ok(), "{what}: not within {PATIENCE:?}");
    }
}
