//! Taking up a run of 100,000 events.

use std::path::Path;

use planwright::sqlite::{Durability, SqliteStore};
use planwright::store::{Page, RunFilter, RunStore};
use planwright::{Executor, Policy, RunHandle, RunId, RunStatus, ValidatedPlan, inputs};
use tempfile::TempDir;

use super::growth::wide;
use super::measure::{Table, median_of_few};
use super::memory::{noops, runtime};
use super::peak;
use super::plans;

/// Calls for each item; each is two events.
const CALLS: usize = 5;
const EVENTS: usize = 100_000;

pub(crate) fn rows(table: &mut Table) {
    let name = format!("reopen a run of {EVENTS} events on SQLite");
    let memory = format!("{name}, memory a finished step");
    if !table.wants(&name) {
        return;
    }
    let runtime = runtime();
    let folder = TempDir::new().unwrap();
    let file = |events: usize| {
        let path = folder.path().join(format!("{events}.db"));
        let plan = wide(&plans::items_and_a_question(events / CALLS / 2, CALLS));
        runtime.block_on(on_sqlite(&path, plan));
        path
    };
    let (long, short) = (file(EVENTS), file(EVENTS / 10));
    let ours = median_of_few(|| runtime.block_on(async { drop(reopened(&long).await) }));
    table.figure(&name, format!("{ours:.2?}"), "1 s");
    if cfg!(target_os = "linux") {
        let each = |path: &Path, events: usize| {
            let grown = peak::of(peak::REOPEN, path) << 10;
            grown / u64::try_from(events / 2).unwrap()
        };
        let (many, few) = (each(&long, EVENTS), each(&short, EVENTS / 10));
        table.bytes(&memory, many, ("one of 10,000 events", few), "2 KiB");
    }
}

/// Runs a plan on a file until it has ended or waits, and leaves the file as a process does that ends.
pub(crate) async fn on_sqlite(path: &Path, plan: ValidatedPlan) {
    let executor = executor(path, plan.policy().clone()).await;
    let run = executor.start(plan, inputs! {}).await.unwrap();
    let status = run.wait().await.unwrap().status();
    assert!(matches!(status, RunStatus::Succeeded | RunStatus::Waiting));
}

/// Says how much memory it takes to take up the run of a file.
pub(crate) fn measured(path: &Path, grown: impl FnOnce(&mut dyn FnMut()) -> u64) -> u64 {
    let runtime = runtime();
    // what the first file needs is no part of what a step does
    let folder = TempDir::new().unwrap();
    let small = folder.path().join("small.db");
    runtime.block_on(async {
        let plan = wide(&plans::items_and_a_question(10, CALLS));
        on_sqlite(&small, plan).await;
        drop(reopened(&small).await);
    });
    grown(&mut || runtime.block_on(async { drop(reopened(path).await) }))
}

/// The run of a file, taken up: its plan checked, its journal replayed.
async fn reopened(path: &Path) -> (Executor, RunHandle) {
    let policy = wide(&plans::items(1)).policy().clone();
    let executor = executor(path, policy).await;
    let run = only_run(&executor).await;
    let handle = executor.resume(&run).await.unwrap();
    handle.stop().await;
    (executor, handle)
}

async fn only_run(executor: &Executor) -> RunId {
    let (filter, page) = (RunFilter::default(), Page::default());
    let runs = executor.store().list(&filter, &page).await.unwrap();
    runs.heads[0].run.clone()
}

async fn executor(path: &Path, policy: Policy) -> Executor {
    let store = SqliteStore::options()
        .durability(Durability::ProcessCrash)
        .open(path)
        .await
        .unwrap();
    Executor::new(noops(), store).policy(policy)
}
