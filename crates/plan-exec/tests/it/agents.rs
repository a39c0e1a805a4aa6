//! Agents: what they are given, what they may call, what is kept of what they did.

mod own;

use plan_exec::{Executor, Inputs, ToolError, ToolRegistry};
use plan_llm::{Capabilities, FinishReason, Message, ModelError, ModelResponse, Usage};
use plan_model::{AgentName, ModelName};
use plan_run::{Effect, FailureClass, ModelUsage, RunRecord, RunStatus};
use plan_testkit::{Scripted, ScriptedModel};
use plan_validate::policy::Roots;
use plan_validate::{AgentKind, AgentSpec, ArgRule, Policy};
use serde_json::{Value, json};

use crate::lab::{Lab, names, object, plan, plan_with, registry, with};

fn agent_name() -> AgentName {
    AgentName::new("coder").unwrap()
}

fn model_name() -> ModelName {
    ModelName::new("m").unwrap()
}

/// A step of the agent `coder`.
fn agent(id: &str, more: Value) -> Value {
    let mut config = json!({
        "type": "AGENT_CALL", "objective": "mend it", "working_dir": ".", "agent": "coder",
        "timeout_secs": 600,
    });
    for (name, value) in object(more) {
        config[name] = value;
    }
    json!({"id": id, "name": id, "config": config})
}

/// A lab whose policy grants a folder to work in.
fn lab() -> Lab {
    Lab::with_policy(policy())
}

fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.roots = Roots::Unrestricted;
    policy
}

/// These tools, and `coder` as a loop that asks `m`.
fn looping<'a>(tools: impl IntoIterator<Item = &'a Scripted>) -> ToolRegistry {
    let mut spec = AgentSpec::new(agent_name(), AgentKind::Loop);
    spec.model = Some(model_name());
    let tools = registry(tools);
    let catalog = tools.catalog().clone().with_agent(spec);
    let implementations: Vec<_> = tools
        .catalog()
        .tools()
        .filter_map(|tool| tools.tool(tool.name()).cloned())
        .collect();
    implementations
        .into_iter()
        .fold(ToolRegistry::from_catalog(catalog), |tools, tool| {
            tools.implement(tool).unwrap()
        })
}

fn executor(lab: &Lab, tools: &ToolRegistry, model: &ScriptedModel) -> Executor {
    lab.executor(tools).model(model_name(), model.clone())
}

async fn run(lab: &Lab, text: &Value, tools: &ToolRegistry, model: &ScriptedModel) -> RunRecord {
    let plan = lab.check(text, tools);
    let handle = executor(lab, tools, model)
        .start(plan, Inputs::none())
        .await;
    handle.unwrap().wait().await.unwrap()
}

fn outputs() -> Value {
    json!([{"name": "files", "value_type": "integer"}, {"name": "note", "value_type": "string"}])
}

#[tokio::test(start_paused = true)]
async fn a_loop_calls_tools_and_reports_in_its_last_object() {
    let lab = lab();
    let search = Scripted::tool("search")
        .read_only()
        .takes(
            json!({"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}),
        )
        .returns(json!({"hits": 2}));
    let tools = looping([&search]);
    let step = with(
        agent("a", json!({"tools": ["search"], "max_turns": 5})),
        json!({"outputs": outputs()}),
    );
    let model = ScriptedModel::new()
        .asks_for("search", json!({"q": "bug"}))
        .costing(Usage::new(100, 10))
        .says("Found two.\n```json\n{\"files\": 2, \"note\": \"done\", \"more\": 1}\n```")
        .costing(Usage::new(150, 20));
    let record = run(&lab, &plan(&[step]), &tools, &model).await;
    assert_eq!(
        record.status(),
        RunStatus::Succeeded,
        "{:?}",
        record.failure()
    );
    let a = record.step("a").unwrap();
    assert_eq!(a.outputs["files"], 2);
    assert_eq!(a.outputs["note"], "done");
    assert!(
        a.outputs["report"]
            .as_str()
            .unwrap()
            .starts_with("Found two.")
    );
    assert!(!a.outputs.contains_key("more"));
    assert_eq!(a.usage, Some(ModelUsage::new(250, 30)));
    // what it said and did is kept
    let transcript = a.stdout.as_deref().unwrap();
    assert!(
        transcript.contains("call: search {\"q\":\"bug\"}"),
        "{transcript}"
    );
    assert!(transcript.contains("result: {\"hits\":2}"), "{transcript}");
    let calls = &a.attempts[0].calls;
    assert_eq!(calls.len(), 1);
    assert_eq!((calls[0].call, calls[0].tool.as_str()), (1, "search"));
    assert_eq!(calls[0].arguments["q"], "bug");
    assert!(calls[0].ended_at.is_some() && calls[0].failure.is_none());
    let journal = names(&lab.journal(record.run_id()).await);
    assert_eq!(
        journal,
        [
            "run_created",
            "attempt_started a",
            "model_answered a",
            "agent_called a",
            "agent_call_ended a",
            "model_answered a",
            "attempt_ended a",
            "run_ended",
        ]
    );
    let asked = model.asked();
    assert_eq!(asked[0].tools.len(), 1);
    assert!(asked[0].last_user_text().unwrap().starts_with("mend it"));
    assert!(asked[0].system.as_ref().unwrap().contains("\"files\""));
    assert_eq!(
        asked[1].messages.last(),
        Some(&Message::ToolResult {
            id: "call-1".to_owned(),
            tool: "search".to_owned(),
            text: "{\"hits\":2}".to_owned(),
            is_error: false,
        })
    );
}

#[tokio::test(start_paused = true)]
async fn case_23_a_call_outside_the_grant_is_told_to_the_agent_and_not_made() {
    let mut policy = policy();
    let to = ArgRule::OneOf(vec![json!("alice")]);
    policy.arguments.insert(
        plan_model::ToolName::new("send").unwrap(),
        [("to".to_owned(), to)].into(),
    );
    let lab = Lab::with_policy(policy);
    let send = Scripted::tool("send")
        .takes(json!({
            "type": "object",
            "properties": {"to": {"type": "string"}, "n": {"type": "integer"}},
            "required": ["to"],
        }))
        .returns(json!("sent"));
    let erase = Scripted::tool("erase");
    let tools = looping([&send, &erase]);
    let model = ScriptedModel::new()
        .asks_for("send", json!({"to": "mallory"}))
        .asks_for("send", json!({}))
        .asks_for("send", json!({"to": "alice", "n": "many"}))
        .asks_for("erase", json!({}))
        .asks_for("no such\u{1b}[2J tool", json!({}))
        .asks_for("send", json!([1]))
        .asks_for("send", json!({"to": "alice"}))
        .says("done");
    let text = plan(&[agent("a", json!({"tools": ["send"]}))]);
    let record = run(&lab, &text, &tools, &model).await;
    assert_eq!(
        record.status(),
        RunStatus::Succeeded,
        "{:?}",
        record.failure()
    );
    assert_eq!(send.calls().len(), 1);
    assert_eq!(send.calls()[0].arguments, object(json!({"to": "alice"})));
    assert!(erase.calls().is_empty());
    let calls = &record.step("a").unwrap().attempts[0].calls;
    let classes: Vec<_> = calls
        .iter()
        .map(|call| call.refusal.as_ref().map(|refusal| refusal.class))
        .collect();
    assert_eq!(
        classes,
        [
            Some(FailureClass::RefusedByGrant),
            Some(FailureClass::RefusedByGrant),
            Some(FailureClass::InvalidArguments),
            Some(FailureClass::RefusedByGrant),
            Some(FailureClass::ToolNotFound),
            Some(FailureClass::InvalidArguments),
            None,
        ]
    );
    let told = model.asked().into_iter().skip(1).map(|request| {
        match request.messages.into_iter().next_back() {
            Some(Message::ToolResult { text, is_error, .. }) => (text, is_error),
            other => panic!("{other:?}"),
        }
    });
    let told: Vec<_> = told.collect();
    assert!(told[..6].iter().all(|(_, is_error)| *is_error), "{told:?}");
    assert_eq!(told[6], ("sent".to_owned(), false));
    assert!(
        !told.iter().any(|(text, _)| text.contains('\u{1b}')),
        "{told:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn every_call_of_an_agent_has_a_key_of_its_own() {
    let lab = lab();
    let put = Scripted::tool("put");
    let tools = looping([&put]);
    let model = ScriptedModel::new()
        .asks_for("put", json!({}))
        .asks_for("put", json!({}))
        .says("done");
    run(
        &lab,
        &plan(&[agent("a", json!({"tools": ["put"]}))]),
        &tools,
        &model,
    )
    .await;
    let keys: Vec<_> = put.calls().into_iter().map(|call| call.key).collect();
    assert_eq!(keys.len(), 2);
    assert_ne!(keys[0], keys[1]);
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_is_told_to_the_agent_and_recorded() {
    let lab = lab();
    let flaky = Scripted::tool("flaky")
        .fails(ToolError::transient("re\u{1b}[2Jset"))
        .panics("oh")
        .returns(json!(1));
    let tools = looping([&flaky]);
    let model = ScriptedModel::new()
        .asks_for("flaky", json!({}))
        .asks_for("flaky", json!({}))
        .asks_for("flaky", json!({}))
        .says("done");
    let text = plan(&[agent("a", json!({"tools": ["flaky"]}))]);
    let record = run(&lab, &text, &tools, &model).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    let calls = &record.step("a").unwrap().attempts[0].calls;
    let classes: Vec<_> = calls
        .iter()
        .map(|call| call.failure.as_ref().map(|failure| failure.class))
        .collect();
    assert_eq!(
        classes,
        [
            Some(FailureClass::Transient),
            Some(FailureClass::Panicked),
            None
        ]
    );
    assert!(matches!(
        model.asked()[1].messages.last(),
        Some(Message::ToolResult { text, is_error: true, .. }) if text == "transient: reset"
    ));
}

#[tokio::test(start_paused = true)]
async fn turns_tokens_and_calls_are_bounded() {
    let lab = || lab();
    let search = Scripted::tool("search").read_only();
    let tools = looping([&search]);
    let endless = || {
        ScriptedModel::new()
            .asks_for("search", json!({}))
            .costing(Usage::new(0, 40))
    };
    let text = plan(&[agent("a", json!({"tools": ["search"], "max_turns": 3}))]);
    let record = run(&lab(), &text, &tools, &endless()).await;
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::LimitExceeded);
    assert_eq!(failure.message, "the agent was not done after 3 turns");
    assert!(
        failure
            .stdout_tail
            .as_ref()
            .unwrap()
            .contains("call: search")
    );

    let limits = |limits: Value| {
        plan_with(
            &[agent("a", json!({"tools": ["search"]}))],
            json!({"limits": limits}),
        )
    };
    let model = endless();
    let record = run(
        &lab(),
        &limits(json!({"max_model_tokens": 100})),
        &tools,
        &model,
    )
    .await;
    assert_eq!(record.failure().unwrap().class, FailureClass::LimitExceeded);
    let bounds: Vec<_> = model.asked().iter().map(|asked| asked.max_tokens).collect();
    assert_eq!(bounds, [Some(100), Some(60), Some(20)]);

    let model = ScriptedModel::new()
        .asks_for("search", json!({}))
        .asks_for("search", json!({}))
        .says("enough");
    let record = run(
        &lab(),
        &limits(json!({"max_tool_calls": 1})),
        &tools,
        &model,
    )
    .await;
    assert_eq!(
        record.status(),
        RunStatus::Succeeded,
        "{:?}",
        record.failure()
    );
    let calls = &record.step("a").unwrap().attempts[0].calls;
    assert!(calls[0].refusal.is_none());
    let refusal = calls[1].refusal.as_ref().unwrap();
    assert_eq!(
        refusal.message,
        "the run may make 1 tool calls, and has made them"
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_only_looked_is_tried_again_and_one_that_acted_is_not() {
    let retry = json!({"retry": {"max_attempts": 2, "delay_secs": 0}});
    for (tool, attempts) in [
        (Scripted::tool("work").read_only(), 2),
        (Scripted::tool("work"), 1),
    ] {
        let lab = lab();
        let tools = looping([&tool]);
        let model = ScriptedModel::new()
            .asks_for("work", json!({}))
            .fails(ModelError::transient("overloaded"))
            .says("done");
        let step = with(agent("a", json!({"tools": ["work"]})), retry.clone());
        let record = run(&lab, &plan(&[step]), &tools, &model).await;
        let a = record.step("a").unwrap();
        assert_eq!(a.attempts.len(), attempts, "{:?}", record.failure());
        let first = a.attempts[0].end.as_ref().unwrap().failure.clone().unwrap();
        let effect = if attempts == 2 {
            Effect::None
        } else {
            Effect::Unknown
        };
        assert_eq!(
            (first.class, first.effect),
            (FailureClass::Transient, effect)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_cut_ends_the_agent() {
    let cut = ModelResponse::text("I will").with_finish(FinishReason::Length);
    let model = ScriptedModel::new().answers(cut);
    let record = run(
        &lab(),
        &plan(&[agent("a", json!({}))]),
        &looping([]),
        &model,
    )
    .await;
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::ModelTruncated);
    assert_eq!(failure.stdout_tail.as_deref(), Some("agent: I will\n"));
}

#[tokio::test(start_paused = true)]
async fn a_model_without_tools_is_not_offered_any() {
    let search = Scripted::tool("search");
    let model = ScriptedModel::new().capable_of(Capabilities::text());
    let text = plan(&[agent("a", json!({"tools": ["search"]}))]);
    let record = run(&lab(), &text, &looping([&search]), &model).await;
    assert_eq!(
        record.failure().unwrap().class,
        FailureClass::InvalidArguments
    );
    assert!(model.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn one_declared_output_is_the_whole_report() {
    for (declared, said, expected) in [
        ("string", "All is well.", json!("All is well.")),
        ("integer", "42", json!(42)),
        ("object", "{\"a\": 1}", json!({"a": 1})),
    ] {
        let step = with(
            agent("a", json!({})),
            json!({"outputs": [{"name": "answer", "value_type": declared}]}),
        );
        let model = ScriptedModel::new().says(said);
        let record = run(&lab(), &plan(&[step]), &looping([]), &model).await;
        assert_eq!(
            record.status(),
            RunStatus::Succeeded,
            "{:?}",
            record.failure()
        );
        assert_eq!(record.step("a").unwrap().outputs["answer"], expected);
    }
}

#[tokio::test(start_paused = true)]
async fn case_57_calls_and_tokens_of_agents_count_over_resumes() {
    let lab = lab();
    let search = Scripted::tool("search").read_only();
    let tools = looping([&search]);
    let b = with(
        agent("b", json!({"tools": ["search"]})),
        json!({"depends_on": ["a"]}),
    );
    let text = plan_with(
        &[agent("a", json!({"tools": ["search"]})), b],
        json!({"limits": {"max_tool_calls": 2, "max_model_tokens": 1000}}),
    );
    let refused = ModelError::new(plan_llm::ModelErrorKind::Refused, "no");
    let first = ScriptedModel::new()
        .asks_for("search", json!({}))
        .costing(Usage::new(0, 100))
        .asks_for("search", json!({}))
        .costing(Usage::new(0, 100))
        .says("found")
        .costing(Usage::new(0, 100))
        .fails(refused);
    let checked = lab.check(&text, &tools);
    let executor_of = |model| executor(&lab, &tools, model);
    let run = executor_of(&first)
        .start(checked, Inputs::none())
        .await
        .unwrap();
    let record = run.wait().await.unwrap();
    assert_eq!(record.failure().unwrap().class, FailureClass::ModelRefused);
    assert_eq!(
        record.step("a").unwrap().usage,
        Some(ModelUsage::new(0, 300))
    );

    let second = ScriptedModel::new()
        .asks_for("search", json!({}))
        .costing(Usage::new(0, 50))
        .says("enough")
        .costing(Usage::new(0, 50));
    let resumed = executor_of(&second)
        .resume_as(run.id(), plan_exec::Resume::WorldFixedRepeating)
        .await
        .unwrap();
    let record = resumed.wait().await.unwrap();
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(search.calls().len(), 2);
    let calls = &record.step("b").unwrap().attempts[1].calls;
    let refusal = calls[0].refusal.as_ref().unwrap();
    assert_eq!(refusal.class, FailureClass::LimitExceeded);
    // what is left of the tokens is what the answers may have
    assert_eq!(second.asked()[0].max_tokens, Some(700));
    assert_eq!(record.usage(), Some(ModelUsage::new(0, 400)));
}
