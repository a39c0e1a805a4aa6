//! What a run writes, in a store that is a file.

use std::sync::Arc;

use plan_testkit::Scripted;
use planwright::exec::Inputs;
use planwright::sqlite::Durability;
use planwright::{Executor, RunStatus, SqliteStore, ToolRegistry};
use serde_json::{Value, json};

use super::host::{Host, plan, step, with};

/// Bytes of the file of a run of a chain of so many steps.
async fn written(steps: usize) -> u64 {
    let mut host = Host::new(&json!({"planwright": 1, "tools": []}));
    let tool = Arc::new(Scripted::tool("t").read_only().returns(json!({"n": 1})));
    host.tools = ToolRegistry::new().with(Scripted::clone(&tool)).unwrap();
    let chain: Vec<Value> = (0..steps)
        .map(|at| {
            let call = step(
                &format!("s{at:05}"),
                "TOOL_CALL",
                json!({"tool": "t", "arguments": {}}),
            );
            let before = at.checked_sub(1).map(|before| format!("s{before:05}"));
            with(
                call,
                json!({"depends_on": before.into_iter().collect::<Vec<_>>()}),
            )
        })
        .collect();
    let checked = host.check(&plan(&chain, json!({})));
    let path = host.folder.path().join("runs.db");
    let options = SqliteStore::options().durability(Durability::ProcessCrash);
    let store = options.open(&path).await.unwrap();
    let executor = Executor::new(host.tools.clone(), store).policy(host.policy.clone());
    let run = executor.start(checked, Inputs::none()).await.unwrap();
    assert_eq!(run.wait().await.unwrap().status(), RunStatus::Succeeded);
    assert_eq!(tool.calls().len(), steps);
    drop((run, executor));
    let file = rusqlite::Connection::open(&path).unwrap();
    let whole = "PRAGMA wal_checkpoint(TRUNCATE)";
    file.query_row(whole, [], |row| row.get::<_, i64>(0))
        .unwrap();
    std::fs::metadata(&path).unwrap().len()
}

#[tokio::test]
async fn case_44_each_step_writes_as_many_bytes_as_the_one_before() {
    let (some, more, most) = (written(150).await, written(300).await, written(600).await);
    let (first, second) = ((more - some) / 150, (most - more) / 300);
    // the plan itself is in the file too, and pages are whole
    assert!(
        second.abs_diff(first) * 10 <= first,
        "{first} then {second} bytes a step"
    );
}
