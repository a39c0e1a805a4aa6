//! What a start refuses, and the ten lines of the README.

use plan_exec::{Inputs, RunRequest, StartError, ToolError, ToolRegistry, inputs, tool_fn};
use plan_run::{RunId, RunStatus};
use plan_store::StoreError;
use plan_testkit::{Scripted, plans, run_plan};
use serde_json::{Value, json};

use crate::lab::{Lab, call, plan, plan_with, registry};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Fetch {
    url: String,
}

#[tokio::test]
async fn a_closure_is_a_tool_and_its_result_is_published() {
    let tools = ToolRegistry::new()
        .with(
            tool_fn("fetch", "Fetch a page", |a: Fetch| async move {
                Ok::<_, ToolError>(format!("the page at {}", a.url))
            })
            .read_only(),
        )
        .unwrap();
    let text = plan_with(
        &[call("read", "fetch", json!({"url": "https://a.example/${input.topic}"}))],
        json!({
            "inputs": [{"name": "topic", "value_type": "string"}],
            "outputs": [{"name": "page", "source": "${step.read.result}"}],
        }),
    );
    let record = run_plan(&text.to_string(), tools, inputs! { "topic": "rust" }).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(record.outputs()["page"], "the page at https://a.example/rust");
}
