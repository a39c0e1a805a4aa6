//! Contexts of calls outside any run.

use plan_exec::ToolContext;
use plan_model::StepId;
use plan_run::{IdempotencyKey, RunId};

/// A context whose idempotency key is `key-1`.
pub(crate) fn context() -> ToolContext {
    ToolContext::detached(
        RunId::new("run-1").unwrap(),
        StepId::new("one").unwrap(),
        IdempotencyKey::new("key-1").unwrap(),
    )
}
