//! Budgets of tokens, and runs from a tape.

use std::sync::Arc;
use std::time::Duration;

use plan_exec::{Inputs, ToolRegistry};
use plan_llm::{ModelError, ModelErrorKind, Reached, Recorded, Usage};
use plan_run::{FailureClass, ModelUsage, RunRecord, RunStatus};
use plan_testkit::ScriptedModel;
use serde_json::{Value, json};

use super::{name, prompt, run};
use crate::lab::{Lab, names, plan_with, statuses, with};

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
