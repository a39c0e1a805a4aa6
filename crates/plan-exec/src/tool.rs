//! The contract of a tool.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use plan_model::{SecretName, ToolSpec};
use serde_json::{Map, Value};

use crate::{ToolContext, ToolError};

/// One thing that a plan can call by name.
///
/// The executor calls it only for a plan whose grant names it, with arguments
/// that passed its input schema and the grant, and records the attempt before.
///
/// What an implementation owes:
/// - [`Tool::spec`] always returns the same specification.
/// - A tool declared read-only or idempotent really is: after a crash its calls
///   are repeated without a question. [`ToolContext::idempotency_key`] is the
///   same over such repeats.
/// - [`Tool::call`] may be dropped at any `.await`; dropping it ends the work
///   (a child process is killed). Blocking work goes through
///   [`tokio::task::spawn_blocking`], and looks at the cancellation.
///
/// A panic fails the attempt, and nothing else.
#[async_trait]
pub trait Tool: Debug + Send + Sync {
    /// The name, the shapes and the effects.
    fn spec(&self) -> &ToolSpec;

    /// The secrets that every call needs for itself, whatever the plan says: a key of the service behind it.
    ///
    /// They are the host's business, so no plan and no policy names them. The host's [`SecretSource`](crate::SecretSource)
    /// is asked for them before each call, [`ToolContext::secret`] has them, and they are struck out of
    /// whatever the call returns. Default: none.
    fn secrets(&self) -> &[SecretName] {
        &[]
    }

    /// Makes one call.
    ///
    /// # Errors
    /// A failed call, with its class and whether anything was sent to the outside.
    async fn call(
        &self,
        arguments: Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError>;
}

/// What a successful call returned.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    /// The result: members of an object are the step's outputs, anything else is its `result`.
    pub value: Value,
    /// What the tool printed; kept beside the attempt, capped from the front.
    pub stdout: Option<String>,
    /// What the tool complained about; kept beside the attempt, capped from the front.
    pub stderr: Option<String>,
}

impl From<Value> for ToolOutput {
    fn from(value: Value) -> Self {
        Self {
            value,
            stdout: None,
            stderr: None,
        }
    }
}

#[async_trait]
impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn spec(&self) -> &ToolSpec {
        (**self).spec()
    }

    fn secrets(&self) -> &[SecretName] {
        (**self).secrets()
    }

    async fn call(
        &self,
        arguments: Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        (**self).call(arguments, cx).await
    }
}

fn _is_object_safe(_: &dyn Tool) {}
