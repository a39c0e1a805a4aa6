//! Runs in memory beside the reference walker.

use std::hint::black_box;

use planwright::{
    Context, Executor, MemoryStore, Policy, RunStatus, ToolError, ToolRegistry, ValidatedPlan,
    check, inputs, tool_fn,
};
use serde_json::{Map, Value};
use tokio::runtime::Runtime;

use super::measure::{Table, median};
use super::plans;
use super::walker::{Form, walk};

pub(crate) fn rows(table: &mut Table) {
    let runtime = runtime();
    for (form, name) in [(Form::Chain, "chain"), (Form::Fan, "fan")] {
        let steps = 1_000;
        let name = format!("run {name} of {steps} in memory");
        if !table.wants(&name) {
            continue;
        }
        let plan = plan(form, steps);
        let ours = median(|| {
            runtime.block_on(async {
                let run = Executor::new(noops(), MemoryStore::new())
                    .start(plan.clone(), inputs! {})
                    .await
                    .unwrap()
                    .wait()
                    .await
                    .unwrap();
                assert_eq!(run.status(), RunStatus::Succeeded);
            });
        });
        let walker = median(|| {
            black_box(runtime.block_on(walk(form, steps)));
        });
        table.time(&name, ours, ("reference walker", walker), "5x");
        let step = ours / u32::try_from(steps).unwrap();
        table.figure(&format!("{name}, a step"), format!("{step:.2?}"), "10 µs");
    }
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
    let (tools, policy) = (noops(), Policy::default());
    check(&text, &Context::new(tools.catalog(), &policy)).unwrap()
}
