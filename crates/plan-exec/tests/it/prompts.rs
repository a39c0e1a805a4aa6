//! Questions to models: what is sent, what the answer becomes, what it costs.

use std::sync::Arc;
use std::time::Duration;

use plan_exec::{Executor, Inputs, ModelRegistry, StartError, ToolRegistry, Unequipped};
use plan_llm::{
    AnswerFormat, AnswerKind, Capabilities, FinishReason, ModelError, ModelErrorKind,
    ModelResponse, Reached, Recorded, Usage,
};
use plan_model::ModelName;
use plan_run::event::EventKind;
use plan_run::{Effect, FailureClass, ModelUsage, RunRecord, RunStatus};
use plan_testkit::{Gate, Scripted, ScriptedModel};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::lab::{Lab, call, names, plan, plan_with, registry, statuses, with};

/// A question whose answer is the output `text`.
fn prompt(id: &str, user: &str, more: Value) -> Value {
    let mut config =
        json!({"type": "PROMPT_CALL", "model": "m", "user_prompt": user, "output_field": "text"});
    for (name, value) in crate::lab::object(more) {
        config[name] = value;
    }
    json!({"id": id, "name": id, "config": config})
}

fn name() -> ModelName {
    ModelName::new("m").unwrap()
}

/// An executor of these tools and of one model, `m`.
fn executor(lab: &Lab, tools: &ToolRegistry, model: &ScriptedModel) -> Executor {
    lab.executor(tools).model(name(), model.clone())
}

async fn run(lab: &Lab, text: &Value, model: &ScriptedModel, inputs: Value) -> RunRecord {
    let tools = ToolRegistry::new();
    let plan = lab.check(text, &tools);
    let inputs = Inputs::from(crate::lab::object(inputs));
    let handle = executor(lab, &tools, model).start(plan, inputs).await;
    handle.unwrap().wait().await.unwrap()
}

/// The failure of the only step of a plan.
async fn failure_of(model: ScriptedModel, more: Value) -> plan_run::Failure {
    let record = run(
        &Lab::new(),
        &plan(&[prompt("p", "hi", more)]),
        &model,
        json!({}),
    )
    .await;
    assert_eq!(record.status(), RunStatus::Failed);
    record.failure().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn a_prompt_is_rendered_asked_and_answered() {
    let lab = Lab::new();
    let text = plan_with(
        &[
            prompt(
                "p",
                "Tell me about ${input.topic} in ${conf.words} words",
                json!({"system_prompt": "Speak ${input.language}", "max_tokens": 50, "temperature": 0.5}),
            ),
            prompt("q", "Shorter: ${step.p.text}", json!({})),
        ],
        json!({
            "inputs": [{"name": "topic"}, {"name": "language", "default": "German"}],
            "config": {"words": 7},
            "outputs": [{"name": "answer", "source": "${step.q.text}"}],
        }),
    );
    let model = ScriptedModel::new()
        .says("Long ${step.p.text}")
        .costing(Usage::new(10, 20))
        .says("Short")
        .costing(Usage::new(5, 1));
    let record = run(&lab, &text, &model, json!({"topic": "rust"})).await;
    assert_eq!(
        record.status(),
        RunStatus::Succeeded,
        "{:?}",
        record.failure()
    );
    assert_eq!(record.outputs()["answer"], "Short");
    let asked = model.asked();
    assert_eq!(asked[0].system.as_deref(), Some("Speak German"));
    assert_eq!(
        asked[0].last_user_text(),
        Some("Tell me about rust in 7 words")
    );
    assert_eq!(
        (asked[0].max_tokens, asked[0].temperature),
        (Some(50), Some(0.5))
    );
    assert_eq!(asked[0].format, AnswerFormat::Text);
    // what a model said is not read again
    assert_eq!(
        asked[1].last_user_text(),
        Some("Shorter: Long ${step.p.text}")
    );
    assert_eq!(record.usage(), Some(ModelUsage::new(15, 21)));
    let step = record.step("p").unwrap();
    assert_eq!(step.usage, Some(ModelUsage::new(10, 20)));
    assert_eq!(step.attempts[0].usage, Some(ModelUsage::new(10, 20)));
    assert_eq!(
        step.attempts[0].arguments["user_prompt"],
        "Tell me about rust in 7 words"
    );
    let json = serde_json::to_value(&record).unwrap();
    assert_eq!(
        json["steps"]["p"]["usage"],
        json!({"input_tokens": 10, "output_tokens": 20})
    );
    assert_eq!(
        json["usage"],
        json!({"input_tokens": 15, "output_tokens": 21})
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_without_an_implementation_is_refused_before_the_run_exists() {
    let lab = Lab::new();
    let tools = ToolRegistry::new();
    let plan = lab.check(&plan(&[prompt("p", "hi", json!({}))]), &tools);
    let refused = lab
        .executor(&tools)
        .start(plan.clone(), Inputs::none())
        .await
        .unwrap_err();
    assert!(
        matches!(&refused, StartError::Unequipped(Unequipped::NoModel { model, .. }) if *model == name()),
        "{refused}"
    );
    assert_eq!(
        refused.to_string(),
        "step `p` asks the model `m`, and nothing answers for it"
    );
    let others = ModelRegistry::new().with_others(Arc::new(ScriptedModel::new()));
    let handle = lab
        .executor(&tools)
        .models(others)
        .start(plan, Inputs::none())
        .await
        .unwrap();
    let record = handle.wait().await.unwrap();
    assert_eq!(record.step("p").unwrap().outputs["text"], "hi");
}

#[tokio::test(start_paused = true)]
async fn a_sensitive_input_is_hidden_from_models() {
    let lab = Lab::new();
    let text = plan_with(
        &[prompt("p", "His number is ${input.number}", json!({}))],
        json!({"inputs": [{"name": "number", "sensitive": true}]}),
    );
    let model = ScriptedModel::new();
    run(&lab, &text, &model, json!({"number": "4711"})).await;
    assert_eq!(
        model.asked()[0].last_user_text(),
        Some("His number is [hidden]")
    );
}

fn schema() -> Value {
    json!({
        "type": "object", "properties": {"n": {"type": "integer"}},
        "required": ["n"], "additionalProperties": false,
    })
}

#[tokio::test(start_paused = true)]
async fn a_schema_is_asked_for_as_strictly_as_the_model_can() {
    let lab = Lab::new();
    let text = plan(&[prompt("p", "count", json!({"output_schema": schema()}))]);
    let answer = json!({"n": 3});
    let by_schema = AnswerFormat::JsonSchema {
        name: "text".to_owned(),
        schema: schema(),
    };
    let cases = [
        (AnswerKind::JsonSchema, by_schema, false),
        (AnswerKind::JsonObject, AnswerFormat::JsonObject, true),
        (AnswerKind::Text, AnswerFormat::Text, true),
    ];
    for (kind, format, is_told) in cases {
        let said = ModelResponse::text("Sure:\n```json\n{\"n\": 3}\n```");
        let model = ScriptedModel::new()
            .capable_of(Capabilities::text().with_answers(kind))
            .answers(match kind {
                AnswerKind::Text => said,
                AnswerKind::JsonObject | AnswerKind::JsonSchema => {
                    ModelResponse::json(answer.clone())
                }
            });
        let record = run(&lab, &text, &model, json!({})).await;
        assert_eq!(
            record.step("p").unwrap().outputs["text"],
            answer,
            "{kind:?}"
        );
        let asked = model.asked();
        assert_eq!(asked[0].format, format);
        let told = asked[0].system.as_ref().is_some_and(|system| {
            system
                .contains(r#"{"additionalProperties":false,"properties":{"n":{"type":"integer"}}"#)
        });
        assert_eq!(told, is_told, "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_fit_its_schema_breaks_the_contract() {
    let more = || json!({"output_schema": schema()});
    let failure = failure_of(ScriptedModel::new().gives(json!({"n": "three"})), more()).await;
    assert_eq!(failure.class, FailureClass::OutputContract);
    assert_eq!(failure.effect, Effect::None);
    assert!(failure.message.contains("/n"), "{}", failure.message);
    let failure = failure_of(ScriptedModel::new().says("no JSON at all"), more()).await;
    assert_eq!(failure.class, FailureClass::OutputContract);
    assert_eq!(failure.message, "the answer of the model holds no JSON");
    assert_eq!(failure.stdout_tail.as_deref(), Some("no JSON at all"));
}

#[tokio::test(start_paused = true)]
async fn the_contract_is_tried_again_only_where_the_plan_says_so() {
    let lab = Lab::new();
    let model = ScriptedModel::new().says("hm").gives(json!({"n": 3}));
    let retry =
        json!({"retry": {"max_attempts": 2, "delay_secs": 0, "retry_on": ["output_contract"]}});
    let step = with(
        prompt("p", "count", json!({"output_schema": schema()})),
        retry,
    );
    let record = run(&lab, &plan(&[step]), &model, json!({})).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(record.step("p").unwrap().attempts.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_a_model_says_stays_text() {
    for (declared, said, expected) in [("string", "42", json!("42")), ("any", "42", json!("42"))] {
        let lab = Lab::new();
        let step = with(
            prompt("p", "count", json!({})),
            json!({"outputs": [{"name": "text", "value_type": declared}]}),
        );
        let model = ScriptedModel::new().says(said);
        let record = run(&lab, &plan(&[step]), &model, json!({})).await;
        assert_eq!(
            record.step("p").unwrap().outputs["text"],
            expected,
            "{declared}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn every_class_of_model_error_has_its_class_of_failure() {
    use FailureClass as Class;
    use ModelErrorKind as Kind;
    let cases = [
        (Kind::Transient, Class::Transient),
        (Kind::RateLimited { retry_after: None }, Class::RateLimited),
        (Kind::ContextOverflow, Class::LimitExceeded),
        (Kind::Refused, Class::ModelRefused),
        (Kind::Truncated, Class::ModelTruncated),
        (Kind::SchemaUnsupported, Class::InvalidArguments),
        (Kind::Invalid, Class::InvalidArguments),
        (Kind::Auth, Class::Auth),
        (Kind::Malformed, Class::Transient),
        (Kind::BudgetCrossed, Class::LimitExceeded),
        (Kind::NotOnTape, Class::NotFound),
        (Kind::Other, Class::Internal),
    ];
    for (kind, class) in cases {
        let error = ModelError::new(kind.clone(), "it says").reached(Reached::Yes);
        let failure = failure_of(ScriptedModel::new().fails(error), json!({})).await;
        assert_eq!(failure.class, class, "{kind:?}");
        assert_eq!(failure.effect, Effect::None, "{kind:?}");
        assert_eq!(failure.message, "it says");
    }
    let cut = ModelResponse::text("It is a").with_finish(FinishReason::Length);
    let failure = failure_of(ScriptedModel::new().answers(cut), json!({})).await;
    assert_eq!(failure.class, Class::ModelTruncated);
    assert_eq!(failure.stdout_tail.as_deref(), Some("It is a"));
    let held = ModelResponse::text("").with_finish(FinishReason::ContentFilter);
    let failure = failure_of(ScriptedModel::new().answers(held), json!({})).await;
    assert_eq!(failure.class, Class::ModelRefused);
    let asking = ScriptedModel::new().asks_for("shell", json!({}));
    let failure = failure_of(asking, json!({})).await;
    assert_eq!(failure.class, Class::OutputContract);
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_a_provider_asks_for_is_kept() {
    let lab = Lab::new();
    let pause = Duration::from_secs(90);
    let model = ScriptedModel::new()
        .fails(ModelError::rate_limited(Some(pause), "slow down"))
        .says("now");
    let step = with(
        prompt("p", "hi", json!({})),
        json!({"retry": {"max_attempts": 3, "delay_secs": 1, "jitter": false}}),
    );
    let began = Instant::now();
    let record = run(&lab, &plan(&[step]), &model, json!({})).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert!(began.elapsed() >= pause, "{:?}", began.elapsed());
    let scheduled = lab
        .journal(record.run_id())
        .await
        .into_iter()
        .find_map(|event| match event.kind {
            EventKind::RetryScheduled { delay, .. } => Some(delay),
            _ => None,
        });
    assert_eq!(scheduled, Some(pause));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_does_not_answer_in_time_is_asked_again() {
    let lab = Lab::new();
    let model = ScriptedModel::new().hangs().says("now");
    let step = with(
        prompt("p", "hi", json!({})),
        json!({"timeout_secs": 5, "retry": {"max_attempts": 2, "delay_secs": 0}}),
    );
    let record = run(&lab, &plan(&[step]), &model, json!({})).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    let first = record.step("p").unwrap().attempts[0].end.clone().unwrap();
    let failure = first.failure.unwrap();
    assert_eq!(
        (failure.class, failure.effect),
        (FailureClass::Timeout, Effect::None)
    );
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_a_model_fails_its_step_alone() {
    let failure = failure_of(ScriptedModel::new().panics("oh"), json!({})).await;
    assert_eq!(failure.class, FailureClass::Panicked);
    assert_eq!(failure.message, "the call panicked: oh");
}

#[tokio::test(start_paused = true)]
async fn case_43_what_a_provider_says_is_stripped_and_capped() {
    let noise = format!(
        "\u{1b}[2Jno\u{1b}]0;title\u{7} model{}",
        "x".repeat(100_000)
    );
    let failure = failure_of(
        ScriptedModel::new().fails(ModelError::transient(noise)),
        json!({}),
    )
    .await;
    assert!(
        failure.message.starts_with("no modelxxx"),
        "{:.20}",
        failure.message
    );
    assert!(failure.message.len() < 5_000, "{}", failure.message.len());
}

#[tokio::test(start_paused = true)]
async fn case_42_a_secret_that_a_call_gave_away_reaches_no_model() {
    #[derive(Debug)]
    struct Vault;
    #[async_trait::async_trait]
    impl plan_exec::SecretSource for Vault {
        async fn secret(
            &self,
            _: &plan_model::SecretName,
        ) -> Result<Option<plan_exec::Secret>, plan_exec::SecretError> {
            Ok(Some(plan_exec::Secret::new("canary-42")))
        }
    }
    let mut lab = Lab::new();
    lab.policy.secrets = Some([plan_model::SecretName::new("key").unwrap()].into());
    // it remembers its key in another spelling and says it in a later call
    let leaky = Scripted::tool("leaky")
        .declared(|spec| spec.secret_arguments = vec!["key".into()])
        .returns(json!({"said": "canary-42"}));
    let tools = registry([&leaky]);
    let text = plan_with(
        &[
            call("a", "leaky", json!({"key": "${secret.key}"})),
            with(
                prompt("p", "Look: ${input.note} ${step.a.said}", json!({})),
                json!({"depends_on": ["a"]}),
            ),
        ],
        json!({"inputs": [{"name": "note"}]}),
    );
    let model = ScriptedModel::new().says("I see canary-42");
    let plan = lab.check(&text, &tools);
    let handle = executor(&lab, &tools, &model)
        .secrets(Vault)
        .start(
            plan,
            Inputs::from(crate::lab::object(json!({"note": "canary-42"}))),
        )
        .await
        .unwrap();
    let record = handle.wait().await.unwrap();
    assert_eq!(model.asked()[0].last_user_text(), Some("Look: *** ***"));
    assert_eq!(record.step("p").unwrap().outputs["text"], "I see ***");
}

#[test]
fn a_question_in_flight_at_a_crash_is_asked_again() {
    let lab = Lab::manual();
    let tools = ToolRegistry::new();
    let gate = Gate::new();
    let model = ScriptedModel::new()
        .says("never heard")
        .past(&gate)
        .says("again");
    let checked = lab.check(&plan(&[prompt("p", "hi", json!({}))]), &tools);
    let new_runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
    };
    let dying = new_runtime();
    let run = dying.block_on(async {
        let executor = executor(&lab, &tools, &model);
        let run = executor.start(checked, Inputs::none()).await.unwrap();
        gate.arrived(1).await;
        run.id().clone()
    });
    dying.shutdown_background();
    lab.after_the_claim();
    let record = new_runtime().block_on(async {
        let executor = executor(&lab, &tools, &model);
        executor.resume(&run).await.unwrap().wait().await.unwrap()
    });
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(record.step("p").unwrap().outputs["text"], "again");
    assert_eq!(record.step("p").unwrap().attempts.len(), 2);
}

/// Three questions one after another, under a budget of tokens.
fn three(tokens: u64) -> Value {
    plan_with(
        &[
            prompt("a", "hi", json!({})),
            with(prompt("b", "hi", json!({})), json!({"depends_on": ["a"]})),
            with(prompt("c", "hi", json!({})), json!({"depends_on": ["b"]})),
        ],
        json!({"limits": {"max_model_tokens": tokens}}),
    )
}

#[tokio::test(start_paused = true)]
async fn no_answer_may_be_longer_than_the_tokens_that_are_left() {
    let lab = Lab::new();
    let model = ScriptedModel::new().says("x").costing(Usage::new(10, 30));
    let record = run(&lab, &three(100), &model, json!({})).await;
    let bounds: Vec<_> = model.asked().iter().map(|asked| asked.max_tokens).collect();
    assert_eq!(bounds, [Some(100), Some(60), Some(20)]);
    // the last one took more than it was given
    assert_eq!(record.status(), RunStatus::Failed);
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::LimitExceeded);
    assert_eq!(
        failure.message,
        "the run may use 100 tokens of models and would use more"
    );
    assert_eq!(statuses(&record), "a succeeded, b succeeded, c succeeded");
    let journal = names(&lab.journal(record.run_id()).await);
    assert!(
        journal.contains(&"budget_crossed".to_owned()),
        "{journal:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_once_the_tokens_are_used_up() {
    let lab = Lab::new();
    let model = ScriptedModel::new().says("x").costing(Usage::new(20, 30));
    let record = run(&lab, &three(100), &model, json!({})).await;
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(record.failure().unwrap().class, FailureClass::LimitExceeded);
    assert_eq!(model.asked().len(), 2);
    assert_eq!(
        statuses(&record),
        "a succeeded, b succeeded, c skipped (run_failed)"
    );
}

#[tokio::test(start_paused = true)]
async fn questions_at_one_time_share_the_tokens() {
    let lab = Lab::new();
    let step = |id: &str| prompt(id, "hi", json!({}));
    let text = plan_with(
        &[step("a"), step("b"), step("c")],
        json!({"limits": {"max_model_tokens": 20_000}}),
    );
    let model = ScriptedModel::new()
        .says("x")
        .costing(Usage::new(0, 20))
        .after(Duration::from_secs(1));
    let record = run(&lab, &text, &model, json!({})).await;
    assert_eq!(
        record.status(),
        RunStatus::Succeeded,
        "{:?}",
        record.failure()
    );
    // the third waits for what the others give back
    assert_eq!(model.peak(), 2);
    let asked = model.asked();
    let bounds: Vec<_> = asked.iter().filter_map(|asked| asked.max_tokens).collect();
    assert_eq!(bounds[..2], [16_384, 3_616]);
    assert!(bounds[2] > 16_000, "{bounds:?}");
}

#[tokio::test(start_paused = true)]
async fn case_57_tokens_of_failures_and_earlier_attempts_count() {
    let lab = Lab::new();
    let refused = ModelError::new(ModelErrorKind::Refused, "no").reached(Reached::Yes);
    let model = ScriptedModel::new()
        .fails(refused)
        .costing(Usage::new(30, 20))
        .says("x")
        .costing(Usage::new(30, 20));
    let text = plan_with(
        &[
            with(
                prompt("a", "hi", json!({"max_tokens": 20})),
                json!({"retry": {"max_attempts": 2, "delay_secs": 0, "retry_on": ["model_refused"]}}),
            ),
            with(prompt("b", "hi", json!({})), json!({"depends_on": ["a"]})),
        ],
        json!({"limits": {"max_model_tokens": 100}}),
    );
    let record = run(&lab, &text, &model, json!({})).await;
    assert_eq!(record.usage(), Some(ModelUsage::new(60, 40)));
    assert_eq!(record.failure().unwrap().class, FailureClass::LimitExceeded);
    assert_eq!(statuses(&record), "a succeeded, b skipped (run_failed)");
    // another process sees the same
    let again = lab.journal(record.run_id()).await;
    let replayed =
        RunRecord::replay(lab.check(&text, &ToolRegistry::new()).plan().clone(), again).unwrap();
    assert_eq!(replayed.usage(), record.usage());
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_played_from_a_tape() {
    let lab = Lab::new();
    let tools = ToolRegistry::new();
    let text = three(1000);
    let tape = Recorded::record(Arc::new(ScriptedModel::new().costing(Usage::new(1, 1))));
    let drive = |model: Recorded| {
        let executor = lab.executor(&tools).model(name(), model);
        let plan = lab.check(&text, &tools);
        async move {
            let handle = executor.start(plan, Inputs::none()).await.unwrap();
            handle.wait().await.unwrap()
        }
    };
    let first = drive(tape.clone()).await;
    assert_eq!(first.status(), RunStatus::Succeeded);
    let second = drive(Recorded::replay(tape.cassette())).await;
    assert_eq!(statuses(&first), statuses(&second));
    let over = drive(Recorded::replay(plan_llm::Cassette::default())).await;
    assert_eq!(over.failure().unwrap().class, FailureClass::NotFound);
}
