//! A closure as a tool.

mod schema;

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use plan_model::{Declared, IdError, Schema, Seconds, ToolName, ToolSpec, Trust};
use plan_run::{FailureClass, RetryAdvice};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Dispatched, Tool, ToolContext, ToolError, ToolOutput};

/// Makes a tool of an async closure that takes one argument struct.
///
/// The argument's type gives the input schema, in one piece and closed: a plan
/// that passes an argument which the struct does not have is refused before it
/// runs. The effects are assumed the careful way (not read-only, not
/// idempotent, destructive, open world) until the methods of [`ToolFn`] say
/// otherwise. A name that is no tool name is refused by
/// [`ToolRegistry::with`](crate::ToolRegistry::with).
///
/// ```
/// use plan_exec::{ToolError, ToolRegistry, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Shout {
///     text: String,
/// }
///
/// let tools = ToolRegistry::new().with(
///     tool_fn("shout", "Say it loud", |a: Shout| async move {
///         Ok::<_, ToolError>(a.text.to_uppercase())
///     })
///     .read_only(),
/// )?;
/// # Ok::<(), plan_exec::RegistryError>(())
/// ```
pub fn tool_fn<A, T, E, F, Fut>(
    name: impl Into<String>,
    description: impl Into<String>,
    call: F,
) -> ToolFn<T>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    T: Serialize + 'static,
    E: Into<ToolError> + 'static,
    F: Fn(A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
{
    tool_fn_with_context(name, description, move |arguments: A, _| call(arguments))
}

/// Makes a tool of an async closure that takes its arguments and the context of the attempt.
pub fn tool_fn_with_context<A, T, E, F, Fut>(
    name: impl Into<String>,
    description: impl Into<String>,
    call: F,
) -> ToolFn<T>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    T: Serialize + 'static,
    E: Into<ToolError> + 'static,
    F: Fn(A, ToolContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
{
    ToolFn::new::<A>(
        name.into(),
        description.into(),
        Arc::new(move |arguments, cx| match read_arguments::<A>(arguments) {
            Ok(arguments) => {
                let answer = call(arguments, cx);
                Box::pin(async move { written(answer.await) })
            }
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }),
    )
}

/// Makes a tool of a closure that blocks: it runs on a thread of its own.
///
/// A thread cannot be stopped from outside. When its time is up the attempt
/// ends and the thread goes on, so a long closure looks at
/// [`ToolContext::cancellation`].
pub fn blocking_tool_fn<A, T, E, F>(
    name: impl Into<String>,
    description: impl Into<String>,
    call: F,
) -> ToolFn<T>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    T: Serialize + 'static,
    E: Into<ToolError> + 'static,
    F: Fn(A, ToolContext) -> Result<T, E> + Send + Sync + 'static,
{
    let call = Arc::new(call);
    ToolFn::new::<A>(
        name.into(),
        description.into(),
        Arc::new(move |arguments, cx| {
            let call = Arc::clone(&call);
            Box::pin(async move {
                let arguments = read_arguments::<A>(arguments)?;
                let work = tokio::task::spawn_blocking(move || written(call(arguments, cx)));
                match work.await {
                    Ok(answer) => answer,
                    Err(ended) => match ended.try_into_panic() {
                        // let the attempt's own guard see it
                        Ok(panic) => std::panic::resume_unwind(panic),
                        Err(_) => Err(ToolError::new(
                            FailureClass::Cancelled,
                            "the thread of the call was given up",
                        )),
                    },
                }
            })
        }),
    )
}

type Answer = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send>>;
type Call = Arc<dyn Fn(Map<String, Value>, ToolContext) -> Answer + Send + Sync>;

/// A closure on its way to be a tool: what it may do to the world is said here.
#[must_use = "hand it to `ToolRegistry::with`"]
pub struct ToolFn<T> {
    spec: Result<ToolSpec, (String, IdError)>,
    call: Call,
    result: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for ToolFn<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolFn")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

impl<T> ToolFn<T> {
    fn new<A: JsonSchema>(name: String, description: String, call: Call) -> Self {
        let spec = match ToolName::new(&name) {
            Ok(name) => {
                let mut spec = ToolSpec::named(name);
                spec.description = Some(description);
                spec.input_schema = Some(Schema(schema::arguments::<A>()));
                Ok(spec)
            }
            Err(error) => Err((name, error)),
        };
        Self {
            spec,
            call,
            result: PhantomData,
        }
    }

    fn declare(mut self, change: impl FnOnce(&mut ToolSpec)) -> Self {
        if let Ok(spec) = &mut self.spec {
            change(spec);
        }
        self
    }

    /// The call changes nothing: it may be repeated at will.
    pub fn read_only(self) -> Self {
        self.declare(|spec| {
            spec.effects.read_only = Declared::said(true);
            spec.effects.idempotent = Declared::said(true);
            spec.effects.destructive = Declared::said(false);
        })
    }

    /// Repeating the call changes nothing more.
    pub fn idempotent(self) -> Self {
        self.declare(|spec| spec.effects.idempotent = Declared::said(true))
    }

    /// Repeating the call changes something again.
    pub fn not_idempotent(self) -> Self {
        self.declare(|spec| spec.effects.idempotent = Declared::said(false))
    }

    /// The call may destroy something.
    pub fn destructive(self) -> Self {
        self.declare(|spec| {
            spec.effects.read_only = Declared::said(false);
            spec.effects.destructive = Declared::said(true);
        })
    }

    /// The call adds and changes, but destroys nothing.
    pub fn additive(self) -> Self {
        self.declare(|spec| {
            spec.effects.read_only = Declared::said(false);
            spec.effects.destructive = Declared::said(false);
        })
    }

    /// The call reaches nobody outside a closed set of parties.
    pub fn closed_world(self) -> Self {
        self.declare(|spec| spec.effects.open_world = Declared::said(false))
    }

    /// Results may steer sensitive arguments of other tools.
    pub fn trusted(self) -> Self {
        self.declare(|spec| spec.output_trust = Trust::Trusted)
    }

    /// Arguments that untrusted values should not reach.
    pub fn sensitive(self, arguments: &[&str]) -> Self {
        self.declare(|spec| spec.sensitive_arguments = owned(arguments))
    }

    /// Arguments that are code, shell, SQL or a URL.
    pub fn code(self, arguments: &[&str]) -> Self {
        self.declare(|spec| spec.code_arguments = owned(arguments))
    }

    /// Arguments that take secrets.
    pub fn secret(self, arguments: &[&str]) -> Self {
        self.declare(|spec| spec.secret_arguments = owned(arguments))
    }

    /// The most calls at one time, over all steps of a run.
    pub fn max_concurrency(self, calls: u64) -> Self {
        self.declare(|spec| spec.max_concurrency = Some(calls))
    }

    /// The most that one call may take, to the millisecond.
    pub fn timeout(self, time: Duration) -> Self {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.declare(|spec| spec.timeout = Some(Seconds::from_millis(millis)))
    }
}

impl<T: JsonSchema> ToolFn<T> {
    /// The result's type gives the output schema, so that `check` knows what references into it will find.
    pub fn typed_result(self) -> Self {
        self.declare(|spec| spec.output_schema = Some(Schema(schema::result::<T>())))
    }
}

/// Whatever [`ToolRegistry::with`](crate::ToolRegistry::with) takes: a tool, or a closure made into one.
pub trait IntoTool {
    /// The tool.
    ///
    /// # Errors
    /// The text that was meant as its name, and what is wrong with it.
    fn into_tool(self) -> Result<Arc<dyn Tool>, (String, IdError)>;
}

impl<T: Tool + 'static> IntoTool for T {
    fn into_tool(self) -> Result<Arc<dyn Tool>, (String, IdError)> {
        Ok(Arc::new(self))
    }
}

impl<T> IntoTool for ToolFn<T> {
    fn into_tool(self) -> Result<Arc<dyn Tool>, (String, IdError)> {
        Ok(Arc::new(Closure {
            spec: self.spec?,
            call: self.call,
        }))
    }
}

struct Closure {
    spec: ToolSpec,
    call: Call,
}

impl fmt::Debug for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolFn")
            .field("name", &self.spec.name)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Tool for Closure {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(
        &self,
        arguments: Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        (self.call)(arguments, cx.clone()).await
    }
}

fn read_arguments<A: DeserializeOwned>(arguments: Map<String, Value>) -> Result<A, ToolError> {
    // `()` stands for a tool without arguments
    let arguments = if arguments.is_empty() && std::mem::size_of::<A>() == 0 {
        match A::deserialize(Value::Null) {
            Ok(unit) => return Ok(unit),
            Err(_) => Value::Object(arguments),
        }
    } else {
        Value::Object(arguments)
    };
    A::deserialize(arguments).map_err(|error| ToolError::invalid_arguments(error.to_string()))
}

fn written<T: Serialize, E: Into<ToolError>>(
    answer: Result<T, E>,
) -> Result<ToolOutput, ToolError> {
    let value = answer.map_err(Into::into)?;
    match serde_json::to_value(value) {
        Ok(value) => Ok(ToolOutput::from(value)),
        Err(error) => Err(ToolError::new(
            FailureClass::OutputContract,
            format!("the result is not JSON: {error}"),
        )
        .retry(RetryAdvice::Never)
        .dispatched(Dispatched::Yes)),
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
