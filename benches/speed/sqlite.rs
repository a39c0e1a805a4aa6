//! Runs on SQLite beside raw inserts into the same kind of file.

use std::time::Instant;

use planwright::sqlite::{Durability, SqliteStore};
use planwright::{Executor, RunStatus, inputs};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::measure::{Table, middle_rate};
use super::memory::{noops, plan, runtime};
use super::walker::Form;

const STEPS: usize = 1_000;
const RUNS: usize = 5;

pub(crate) fn rows(table: &mut Table) {
    let runtime = runtime();
    let wanted = |table: &Table| {
        table.wants("run chain of 1000 on SQLite") || table.wants("run fan of 1000 on SQLite")
    };
    if !wanted(table) {
        return;
    }
    let chain = |durability| move |runtime: &Runtime| rate(runtime, Form::Chain, durability);
    let (ours, raw) = beside(&runtime, chain(Durability::PowerLoss), "FULL");
    table.rate(
        "run chain of 1000 on SQLite, power_loss",
        ours,
        ("raw inserts", raw),
        "at least 0.7x",
    );
    let (ours, raw) = beside(
        &runtime,
        |runtime| rate(runtime, Form::Fan, Durability::PowerLoss),
        "FULL",
    );
    table.rate(
        "run fan of 1000 on SQLite, power_loss",
        ours,
        ("raw inserts", raw),
        "at least 8x",
    );
    let (ours, raw) = beside(&runtime, chain(Durability::ProcessCrash), "NORMAL");
    table.rate(
        "run chain of 1000 on SQLite, process_crash",
        ours,
        ("raw inserts", raw),
        "at least 5000/s",
    );
}

/// The median rates of runs and of raw inserts, in turns.
fn beside(runtime: &Runtime, ours: impl Fn(&Runtime) -> f64, synchronous: &str) -> (f64, f64) {
    let (runs, inserts) = (0..RUNS)
        .map(|_| (ours(runtime), raw_rate(synchronous)))
        .unzip();
    (middle_rate(runs), middle_rate(inserts))
}

/// Steps a second of a run on a fresh file.
fn rate(runtime: &Runtime, form: Form, durability: Durability) -> f64 {
    let plan = plan(form, STEPS);
    let folder = TempDir::new().unwrap();
    runtime.block_on(async {
        let path = folder.path().join("runs.db");
        let store = SqliteStore::options()
            .durability(durability)
            .open(path)
            .await
            .unwrap();
        let executor = Executor::new(noops(), store);
        let begin = Instant::now();
        let run = executor
            .start(plan, inputs! {})
            .await
            .unwrap()
            .wait()
            .await
            .unwrap();
        assert_eq!(run.status(), RunStatus::Succeeded);
        STEPS as f64 / begin.elapsed().as_secs_f64()
    })
}

/// Commits a second of single inserts of a record's size.
fn raw_rate(synchronous: &str) -> f64 {
    let folder = TempDir::new().unwrap();
    let connection = Connection::open(folder.path().join("raw.db")).unwrap();
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .unwrap();
    connection
        .pragma_update(None, "synchronous", synchronous)
        .unwrap();
    connection
        .execute_batch("CREATE TABLE records (seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
        .unwrap();
    let mut insert = connection
        .prepare("INSERT INTO records (bytes) VALUES (?1)")
        .unwrap();
    let record = [b'x'; 160];
    let begin = Instant::now();
    for _ in 0..STEPS {
        insert.execute([&record[..]]).unwrap();
    }
    STEPS as f64 / begin.elapsed().as_secs_f64()
}
