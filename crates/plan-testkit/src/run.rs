//! From text to record in one call.

use plan_exec::{Executor, Inputs, ToolRegistry};
use plan_run::RunRecord;
use plan_store::MemoryStore;
use plan_validate::{Context, Policy, ValidatedPlan, check};

/// Checks a plan against the tools of a registry, under the default policy.
///
/// # Panics
/// With every finding, when the plan is refused.
pub fn checked(text: &str, tools: &ToolRegistry) -> ValidatedPlan {
    match check(text, &Context::new(tools.catalog(), &Policy::default())) {
        Ok(plan) => plan,
        Err(rejected) => panic!("{rejected}"),
    }
}

/// Runs a plan on a store in memory, until it ends or waits.
///
/// # Panics
/// When the plan or the inputs are refused, or the drive ends early.
pub async fn run_plan(text: &str, tools: ToolRegistry, inputs: Inputs) -> RunRecord {
    let plan = checked(text, &tools);
    let executor = Executor::new(tools, MemoryStore::new());
    let handle = match executor.start(plan, inputs).await {
        Ok(handle) => handle,
        Err(error) => panic!("the run did not start: {error}"),
    };
    match handle.wait().await {
        Ok(record) => record,
        Err(error) => panic!("the drive ended early: {error}"),
    }
}
