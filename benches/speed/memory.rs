//! Runs in memory beside the reference walker.

use std::hint::black_box;

use planwright::model::Limits;
use planwright::{
    Context, Executor, MemoryStore, Policy, RunStatus, ToolError, ToolRegistry, ValidatedPlan,
    check, inputs, tool_fn,
};
use serde_json::{Map, Value};
use tokio::runtime::Runtime;

use super::measure::{Effort, Table, beside};
use super::plans;
use super::walker::{Form, walk};

pub(crate) fn rows(table: &mut Table) {
    let runtime = runtime();
    for (steps, effort) in [(1_000, Effort::Usual), (100_000, Effort::Long)] {
        for (form, name) in [(Form::Chain, "chain"), (Form::Fan, "fan")] {
            let name = format!("run {name} of {steps} in memory");
            if !table.wants(&name) {
                continue;
            }
            let plan = plan(form, steps);
            let (ours, walker) = beside(effort, &mut || run(&runtime, plan.clone()), &mut || {
                black_box(runtime.block_on(walk(form, steps)));
            });
            table.time(&name, ours, ("reference walker", walker), "5x");
            let step = ours / u32::try_from(steps).unwrap();
            table.figure(&format!("{name}, a step"), format!("{step:.2?}"), "10 µs");
        }
    }
    items(table, &runtime);
}

/// A fan-out of many items, beside a fan of as many steps in the walker.
fn items(table: &mut Table, runtime: &Runtime) {
    const ITEMS: usize = 10_000;
    let name = format!("run fan-out of {ITEMS} items in memory");
    if !table.wants(&name) {
        return;
    }
    let (tools, policy) = (noops(), Policy::default());
    let plan = check(
        &plans::items(ITEMS),
        &Context::new(tools.catalog(), &policy),
    )
    .unwrap();
    let (ours, walker) = beside(
        Effort::Usual,
        &mut || run(runtime, plan.clone()),
        &mut || {
            black_box(runtime.block_on(walk(Form::Fan, ITEMS)));
        },
    );
    table.time(&name, ours, ("reference walker", walker), "5x");
    let step = ours / u32::try_from(ITEMS).unwrap();
    table.figure(&format!("{name}, an item"), format!("{step:.2?}"), "10 µs");
}

fn run(runtime: &Runtime, plan: ValidatedPlan) {
    runtime.block_on(async {
        let policy = plan.policy().clone();
        let executor = Executor::new(noops(), MemoryStore::new()).policy(policy);
        let run = executor
            .start(plan, inputs! {})
            .await
            .unwrap()
            .wait()
            .await
            .unwrap();
        assert_eq!(run.status(), RunStatus::Succeeded);
    });
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

pub(crate) fn noops() -> ToolRegistry {
    let noop = tool_fn("noop", "Does nothing", |_: Map<String, Value>| async {
        Ok::<_, ToolError>(Map::<String, Value>::new())
    });
    ToolRegistry::new().with(noop.read_only()).unwrap()
}

pub(crate) fn plan(form: Form, steps: usize) -> ValidatedPlan {
    let text = match form {
        Form::Chain => plans::chain(steps),
        Form::Fan => plans::fan(steps),
    };
    let mut limits = Limits::default();
    limits.steps = limits.steps.max(steps);
    let (tools, policy) = (noops(), Policy::default().limits(limits));
    check(&text, &Context::new(tools.catalog(), &policy)).unwrap()
}
