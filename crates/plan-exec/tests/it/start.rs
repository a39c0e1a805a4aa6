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
        &[call(
            "read",
            "fetch",
            json!({"url": "https://a.example/${input.topic}"}),
        )],
        json!({
            "inputs": [{"name": "topic", "value_type": "string"}],
            "outputs": [{"name": "page", "source": "${step.read.result}"}],
        }),
    );
    let record = run_plan(&text.to_string(), tools, inputs! { "topic": "rust" }).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(
        record.outputs()["page"],
        "the page at https://a.example/rust"
    );
}

#[tokio::test]
async fn a_start_names_every_input_that_is_wrong_and_leaves_no_run() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work")]);
    let text = plan_with(
        &[call(
            "a",
            "work",
            json!({"x": "${input.x}", "y": "${input.y}"}),
        )],
        json!({"inputs": [{"name": "x", "value_type": "integer"}, {"name": "y", "value_type": "string"}]}),
    );
    let run = RunId::new("one").unwrap();
    let request = RunRequest::new(inputs! { "x": "three", "z": 1 }).run_id(run.clone());
    let executor = lab.executor(&tools);
    let refused = executor
        .start(lab.check(&text, &tools), request)
        .await
        .unwrap_err();
    let StartError::InputsRejected { findings } = refused else {
        panic!("{refused}");
    };
    let mut codes: Vec<String> = findings
        .iter()
        .map(|finding| finding.code.to_string())
        .collect();
    codes.sort();
    assert_eq!(codes, ["P903", "P904", "P905"]);
    let opened = executor.open(&run).await.unwrap_err();
    assert!(
        opened.to_string().contains("holds no run `one`"),
        "{opened}"
    );
}

#[tokio::test]
async fn a_run_id_is_used_once() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work")]);
    let plan = lab.check(&plan(&[call("a", "work", json!({}))]), &tools);
    let executor = lab.executor(&tools);
    let request = || RunRequest::default().run_id(RunId::new("one").unwrap());
    let first = executor.start(plan.clone(), request()).await.unwrap();
    first.wait().await.unwrap();
    for other in [executor, lab.executor(&tools)] {
        let refused = other.start(plan.clone(), request()).await.unwrap_err();
        assert!(
            matches!(refused, StartError::AlreadyExists { .. }),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn kinds_that_cannot_run_are_named_before_the_run_exists() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work")]);
    let list = json!({"id": "p", "name": "p", "config": {
        "type": "FAN_IN", "from_steps": ["a"], "collect_field": "all"}});
    let text = plan(&[call("a", "work", json!({})), list]);
    let refused = lab
        .executor(&tools)
        .start(lab.check(&text, &tools), Inputs::none())
        .await
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "this executor does not run FAN_IN (step `p`)"
    );
}

#[tokio::test]
async fn an_executor_with_other_tools_than_the_check_is_refused() {
    let lab = Lab::new();
    let checked_with = registry([&Scripted::tool("work")]);
    let plan = lab.check(&plan(&[call("a", "work", json!({}))]), &checked_with);
    let other = registry([&Scripted::tool("work").read_only()]);
    let refused = lab
        .executor(&other)
        .start(plan.clone(), Inputs::none())
        .await
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the tool `work` is not the one that the plan was checked with"
    );
    let described = ToolRegistry::from_catalog(checked_with.catalog().clone());
    let refused = lab
        .executor(&described)
        .start(plan, Inputs::none())
        .await
        .unwrap_err();
    assert_eq!(refused.to_string(), "nothing implements the tool `work`");
}

#[tokio::test]
async fn case_47_the_same_version_with_other_content_is_refused() {
    let lab = Lab::new();
    let tools = registry([&Scripted::tool("work")]);
    let first = plan(&[call("a", "work", json!({"x": 1}))]);
    let edited = plan(&[call("a", "work", json!({"x": 2}))]);
    lab.run(&first, &tools).await;
    let executor = lab.executor(&tools);
    let refused = executor
        .start(lab.check(&edited, &tools), Inputs::none())
        .await
        .unwrap_err();
    assert!(
        matches!(
            refused,
            StartError::Store(StoreError::Conflict { version: 1, .. })
        ),
        "{refused}"
    );
    lab.run(&first, &tools).await;
}

#[tokio::test]
async fn every_sample_plan_runs_or_waits() {
    for (name, text) in plans::ALL {
        let tools = registry([
            &Scripted::tool("work").read_only(),
            &Scripted::tool("write")
                .read_only()
                .returns(json!({"text": "a draft"})),
            &Scripted::tool("publish")
                .read_only()
                .returns(json!({"url": "https://a.example"})),
        ]);
        let inputs = match name {
            "diamond" => inputs! { "topic": "rust" },
            "branches" => inputs! { "n": 11 },
            _ => Inputs::none(),
        };
        let record = run_plan(text, tools, inputs).await;
        let expected = if name == "approval" {
            RunStatus::Waiting
        } else {
            RunStatus::Succeeded
        };
        assert_eq!(record.status(), expected, "{name}");
        let outputs = Value::Object(record.outputs().clone());
        match name {
            "diamond" => assert_eq!(outputs, json!({"both": ["left", "right"]})),
            "branches" => assert_eq!(outputs, json!({"x": "big"})),
            _ => assert_eq!(record.waiting()[0].prompt, "Publish this? a draft"),
        }
    }
}

#[tokio::test]
async fn a_registry_says_why_it_refuses_a_tool() {
    let tools = ToolRegistry::new().with(Scripted::tool("work")).unwrap();
    let twice = tools.clone().with(Scripted::tool("work")).unwrap_err();
    assert_eq!(twice.to_string(), "the tool `work` is there already");
    let bad = tool_fn("a\u{7}b", "?", |(): ()| async { Ok::<_, ToolError>(1) });
    let refused = ToolRegistry::new().with(bad).unwrap_err();
    assert!(
        refused
            .to_string()
            .starts_with("the tool name `a\u{7}b` holds"),
        "{refused}"
    );
    let foreign = std::sync::Arc::new(Scripted::tool("other"));
    let refused = tools.implement(foreign).unwrap_err();
    assert_eq!(refused.to_string(), "the catalog has no tool `other`");
}
