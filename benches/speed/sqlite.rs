//! Runs on SQLite beside raw inserts into the same kind of file.

use std::time::Instant;

use planwright::sqlite::{Durability, SqliteStore};
use planwright::{Executor, RunStatus, inputs};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::measure::Table;
use super::memory::{noops, plan, runtime};
use super::walker::Form;

const STEPS: usize = 1_000;

pub(crate) fn rows(table: &mut Table) {
    let runtime = runtime();
    let wanted = |table: &Table| {
        table.wants("run chain of 1000 on SQLite") || table.wants("run fan of 1000 on SQLite")
    };
    if !wanted(table) {
        return;
    }
    let raw = raw_rate("FULL");
    let chain = rate(&runtime, Form::Chain, Durability::PowerLoss);
    table.rate(
        "run chain of 1000 on SQLite, power_loss",
        chain,
        ("raw inserts", raw),
        "at least 0.7x",
    );
    let fan = rate(&runtime, Form::Fan, Durability::PowerLoss);
    table.rate(
        "run fan of 1000 on SQLite, power_loss",
        fan,
        ("raw inserts", raw),
        "at least 8x",
    );
    let relaxed = raw_rate("NORMAL");
    let chain = rate(&runtime, Form::Chain, Durability::ProcessCrash);
    table.rate(
        "run chain of 1000 on SQLite, process_crash",
        chain,
        ("raw inserts", relaxed),
        "at least 5000/s",
    );
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
