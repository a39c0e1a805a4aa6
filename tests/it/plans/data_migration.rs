//! A migration: whole, in part, or not at all, and writes are let through again each time.

use plan_testkit::{Call, CallLog};
use planwright::llm::{ModelError, ModelRequest, ModelResponse};
use planwright::run::Request;
use planwright::{Answer, RunStatus, ToolError};
use serde_json::{Value, json};

use super::stage::{CANARY, Stage, Work, World};
use super::view;

pub(crate) fn world() -> World {
    World {
        tool,
        model,
        agent,
        person,
    }
}

fn tool(call: &Call) -> Result<Value, ToolError> {
    let shard = call
        .arguments
        .get("shard")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let batch = &call.arguments.get("batch");
    let bound = |name: &str| {
        batch
            .and_then(|batch| batch[name].as_i64())
            .unwrap_or_default()
    };
    Ok(match call.tool.as_str() {
        "count_rows" | "rehearse_copy" | "copy_rows" if call.arguments["source"] != CANARY => {
            return Err(ToolError::permanent("who are you"));
        }
        "count_rows" => json!({"rows": if shard == "eu" { 25_000 } else { 12_000 }}),
        "read_schema" if shard == "eu" => json!({"columns": ["id", "name"]}),
        "read_schema" => json!({"columns": ["id", "full_name"]}),
        "sample_rows" => json!({"rows": [{"id": 1, "full_name": "x"}]}),
        "rehearse_copy" => {
            let rows = call.arguments["rows"].as_i64().unwrap_or_default();
            json!({"rows_per_sec": if rows < 10_000 { 120.5 } else { 640.0 }})
        }
        "copy_rows" if bound("from") == 10_000 && call.attempt < 3 => {
            return Err(ToolError::transient("the connection was reset"));
        }
        "copy_rows" => json!({"copied": bound("to") - bound("from")}),
        "compare_rows" => json!({"equal": true}),
        "set_writable" => json!({"shards": call.arguments["shards"]}),
        "switch_reads" => json!({"switched": true}),
        _ => json!({}),
    })
}

#[expect(clippy::unnecessary_wraps, reason = "the shape of a model")]
fn model(_: &ModelRequest) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text("Copy the last batch again."))
}

fn agent(_objective: &str) -> Work {
    (
        Some(("sample_rows", json!({"shard": "us", "rows": 3}))),
        "The names moved.\n{\"mapping\": {\"full_name\": \"name\"}}",
    )
}

fn person(request: &Request) -> Answer {
    match request.step.step().as_str() {
        "window" => Answer::Text("Sunday, Bo".to_owned()),
        _ => Answer::Approve,
    }
}

/// The calls that stopped writes and let them through, in their order.
fn writes(log: &CallLog) -> Vec<bool> {
    let calls = log.calls().into_iter();
    let writes = calls.filter(|call| call.tool.as_str() == "set_writable");
    writes
        .map(|call| call.arguments["writable"] == true)
        .collect()
}

#[tokio::test]
async fn a_whole_migration_switches_reads_once_that_is_approved_at_the_call() {
    let stage = Stage::new("data-migration", world());
    let ended = stage.run().await;
    let told = view::record(&ended.record);
    assert!(!told.contains(CANARY));
    insta::assert_snapshot!(told, @r#"
    Data migration: succeeded
    inspect: succeeded, results [{"columns":["id","name"],"name":"eu","rows":25000},{"column… and 48 more
    inspect[0]/count_rows: succeeded, rows 25000
    inspect[0]/read_schema: succeeded, columns ["id","name"]
    inspect[0]/describe: succeeded, shard {"columns":["id","name"],"name":"eu","rows":25000}
    inspect[1]/count_rows: succeeded, rows 12000
    inspect[1]/read_schema: succeeded, columns ["id","full_name"]
    inspect[1]/describe: succeeded, shard {"columns":["id","full_name"],"name":"us","rows":12000}
    drift: succeeded, drifted ["us"]
    has_drift: succeeded, result true
    write_mapping: succeeded with 1 calls, mapping {"full_name":"name"}
    same_columns: skipped, not_taken
    mapping: succeeded, mapping {"full_name":"name"}, renamed "full_name"
    layout: succeeded, batches [{"from":0,"shard":"eu","to":10000},{"from":10000,"shard":"e… and 128 more, rows 37000, shown "eu 25000, us 12000 in batches of 10000"
    window: succeeded by ada, answer "Sunday, Bo"
    pace: succeeded, results [120.5,640.0]
    pace[0]/rehearse: succeeded, rows_per_sec 120.5
    pace[1]/rehearse: succeeded, rows_per_sec 640.0
    go: succeeded by ada, approved true
    may_go: succeeded, result true
    freeze: succeeded, shards ["eu","us"]
    migrate: succeeded, errors [], results [{"copied":10000,"from":0,"is_equal":true,"shard":"eu","to":… and 281 more
    migrate[0]/copy: succeeded, copied 10000
    migrate[0]/verify: succeeded, results [true,true]
    migrate[0]/verify[0]/compare: succeeded, equal true
    migrate[0]/verify[1]/compare: succeeded, equal true
    migrate[0]/batch_report: succeeded, batch {"copied":10000,"from":0,"is_equal":true,"shard":"eu","to":1… and 5 more
    migrate[1]/copy: succeeded in 3 attempts, copied 10000
    migrate[1]/verify: succeeded, results [true,true]
    migrate[1]/verify[0]/compare: succeeded, equal true
    migrate[1]/verify[1]/compare: succeeded, equal true
    migrate[1]/batch_report: succeeded, batch {"copied":10000,"from":10000,"is_equal":true,"shard":"eu","t… and 9 more
    migrate[2]/copy: succeeded, copied 5000
    migrate[2]/verify: succeeded, results [true,true]
    migrate[2]/verify[0]/compare: succeeded, equal true
    migrate[2]/verify[1]/compare: succeeded, equal true
    migrate[2]/batch_report: succeeded, batch {"copied":5000,"from":20000,"is_equal":true,"shard":"eu","to… and 8 more
    migrate[3]/copy: succeeded, copied 10000
    migrate[3]/verify: succeeded, results [true,true]
    migrate[3]/verify[0]/compare: succeeded, equal true
    migrate[3]/verify[1]/compare: succeeded, equal true
    migrate[3]/batch_report: succeeded, batch {"copied":10000,"from":0,"is_equal":true,"shard":"us","to":1… and 5 more
    migrate[4]/copy: succeeded in 3 attempts, copied 2000
    migrate[4]/verify: succeeded, results [true,true]
    migrate[4]/verify[0]/compare: succeeded, equal true
    migrate[4]/verify[1]/compare: succeeded, equal true
    migrate[4]/batch_report: succeeded, batch {"copied":2000,"from":10000,"is_equal":true,"shard":"us","to… and 8 more
    tally: succeeded, complete true, copied 37000, different [], failed []
    is_complete: succeeded, result true
    switch: succeeded by ada, switched true
    explain: skipped, not_taken
    thaw: succeeded, shards ["eu","us"]
    tell: succeeded
    => advice null
    => copied 37000
    => failed []
    => switched true
    "#);
    insta::assert_snapshot!(view::attempts(&ended.record), @"batch_report 5, compare 10, copy 9, count_rows 2, describe 2, drift 1, freeze 1, layout 1, mapping 1, read_schema 2, rehearse 2, switch 1, tally 1, tell 1, thaw 1, write_mapping 1");
    assert_eq!(
        ended.questions(),
        ["approval go", "effect switch", "question window"]
    );
    assert_eq!(writes(&stage.log), [false, true]);
    // the second size was fast enough, and the third was never tried
    assert_eq!(ended.record.step("pace").unwrap().items.len(), 2);
    let effect = ended
        .asked
        .iter()
        .find(|request| request.call.is_some())
        .unwrap();
    let shown = &effect.call.as_ref().unwrap().arguments;
    assert_eq!(json!(**shown), json!({"shards": ["eu", "us"], "to": "new"}));
}

#[tokio::test]
async fn a_batch_that_fails_is_collected_and_reads_stay_where_they_are() {
    fn broken(call: &Call) -> Result<Value, ToolError> {
        let shard = call.arguments.get("batch").map(|batch| &batch["shard"]);
        match call.tool.as_str() {
            "copy_rows" if shard == Some(&json!("us")) => {
                Err(ToolError::permanent("the disk is full"))
            }
            _ => tool(call),
        }
    }
    let stage = Stage::new(
        "data-migration",
        World {
            tool: broken,
            ..world()
        },
    );
    let ended = stage.run().await;
    assert_eq!(ended.record.status(), RunStatus::Succeeded);
    assert_eq!(ended.record.outputs()["copied"], 25_000);
    assert_eq!(ended.record.outputs()["switched"], Value::Null);
    insta::assert_snapshot!(ended.record.outputs()["failed"], @r#"[{"class":"internal","index":3,"message":"the disk is full"},{"class":"internal","index":4,"message":"the disk is full"}]"#);
    assert_eq!(writes(&stage.log), [false, true]);
    assert_eq!(ended.record.step("migrate").unwrap().items.len(), 5);
}

#[tokio::test]
async fn a_migration_that_is_not_approved_moves_nothing() {
    fn rejects(request: &Request) -> Answer {
        match request.step.step().as_str() {
            "go" => Answer::Reject,
            _ => person(request),
        }
    }
    let stage = Stage::new(
        "data-migration",
        World {
            person: rejects,
            ..world()
        },
    );
    let ended = stage.run().await;
    assert_eq!(ended.record.status(), RunStatus::Succeeded);
    assert_eq!(ended.record.step("go").unwrap().outputs["approved"], false);
    assert_eq!(ended.record.outputs()["copied"], Value::Null);
    // to let writes through twice does no harm
    assert_eq!(writes(&stage.log), [true]);
    let copied = stage.log.of("copy_rows");
    assert!(copied.is_empty());
}
