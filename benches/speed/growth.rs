//! What a step costs that ended: memory, and bytes in the journal.

use std::hint::black_box;

use planwright::model::Limits;
use planwright::store::RunStoreExt;
use planwright::{Context, Executor, MemoryStore, Policy, RunStatus, ValidatedPlan, check, inputs};
use tempfile::TempDir;

use super::measure::Table;
use super::memory::{noops, plan, runtime};
use super::peak;
use super::plans;
use super::reopen::on_sqlite;
use super::walker::Form;

const FEW: usize = 1_000;
const MANY: usize = 100_000;

pub(crate) fn rows(table: &mut Table) {
    memory(table);
    journal(table);
    file(table);
}

/// A finished step of an item, in a run that is kept with its journal: the plan itself is small.
fn memory(table: &mut Table) {
    let name = format!("memory a finished step of {MANY}");
    if !cfg!(target_os = "linux") || !table.wants(&name) {
        return;
    }
    let each = |items: usize| {
        let grown = peak::of(peak::ITEMS, items.to_string()) << 10;
        grown / u64::try_from(items).unwrap()
    };
    let (many, few) = (each(MANY), each(FEW));
    table.bytes(&name, many, ("one of 1,000", few), "2 KiB");
}

/// Runs one call for each item in memory, and keeps everything until it has ended.
pub(crate) fn run_items(items: usize) {
    let plan = wide(&plans::items(items));
    runtime().block_on(async {
        let policy = plan.policy().clone();
        let executor = Executor::new(noops(), MemoryStore::new()).policy(policy);
        let run = executor.start(plan, inputs! {}).await.unwrap();
        let record = run.wait().await.unwrap();
        assert_eq!(record.status(), RunStatus::Succeeded);
        drop(black_box((executor, run, record)));
    });
}

/// A plan under limits that let it have many items.
pub(crate) fn wide(text: &str) -> ValidatedPlan {
    let mut limits = Limits::default();
    (limits.fan_out_items, limits.run_items) = (1 << 20, 1 << 20);
    let (tools, policy) = (noops(), Policy::default().limits(limits));
    check(text, &Context::new(tools.catalog(), &policy)).unwrap()
}

/// The bytes of the records of a chain.
fn journal(table: &mut Table) {
    let name = format!("journal bytes a step of {MANY}");
    if !table.wants(&name) {
        return;
    }
    let runtime = runtime();
    let each = |steps: usize| {
        runtime.block_on(async {
            let plan = plan(Form::Chain, steps);
            let store = MemoryStore::new();
            let policy = plan.policy().clone();
            let executor = Executor::new(noops(), store.clone()).policy(policy);
            let run = executor.start(plan, inputs! {}).await.unwrap();
            run.wait().await.unwrap();
            let journal = store.journal(run.id()).await.unwrap();
            let bytes = journal.records.iter().map(|record| record.as_bytes().len());
            bytes.sum::<usize>() as u64 / u64::try_from(steps).unwrap()
        })
    };
    let (many, few) = (each(MANY), each(FEW));
    table.bytes(&name, many, ("one of 1,000", few), "1.1x");
}

/// The bytes by which a file of SQLite grows with a chain.
fn file(table: &mut Table) {
    const LONG: usize = 10_000;
    let name = format!("file bytes a step of {LONG} on SQLite");
    if !table.wants(&name) {
        return;
    }
    let runtime = runtime();
    let each = |steps: usize| {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("runs.db");
        let plan = plan(Form::Chain, steps);
        let text = plan.plan().to_canonical_json().len() as u64;
        runtime.block_on(on_sqlite(&path, plan));
        let file = std::fs::metadata(&path).unwrap().len();
        // the plan is in it too, once
        file.saturating_sub(text) / u64::try_from(steps).unwrap()
    };
    let (long, short) = (each(LONG), each(FEW));
    table.bytes(&name, long, ("one of 1,000", short), "1.1x");
}
