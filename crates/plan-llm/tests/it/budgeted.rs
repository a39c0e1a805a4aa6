//! A budget holds over all calls and clones.

use std::sync::Arc;

use plan_llm::{
    Budgeted, LanguageModel, ModelBudget, ModelError, ModelErrorKind, ModelRequest, ModelResponse,
    ModelRetry, Reached, Usage,
};
use proptest::prelude::*;

use crate::stub::Stub;

fn used(tokens: u64) -> ModelResponse {
    ModelResponse::text("done").with_usage(Usage::new(0, tokens))
}

fn question() -> ModelRequest {
    ModelRequest::new("m").with_user("how many")
}

#[tokio::test]
async fn calls_are_counted_over_all_clones_and_failures() {
    let stub = Stub::new([Err(ModelError::transient("busy"))]);
    let model = Budgeted::new(Arc::new(stub.clone()), ModelBudget::unlimited().calls(2));
    assert!(model.ask(&question()).await.is_err());
    assert!(model.clone().ask(&question()).await.is_ok());
    let error = model.ask(&question()).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::BudgetCrossed);
    assert_eq!(error.message, "the model may be asked 2 times, and was");
    assert_eq!(
        (error.reached, error.retry()),
        (Reached::No, ModelRetry::Never)
    );
    assert_eq!(stub.asked().len(), 2);
}

#[tokio::test]
async fn what_a_call_did_not_use_is_given_back() {
    let stub = Stub::new((0..3).map(|_| Ok(used(20))));
    let budget = ModelBudget::unlimited().tokens(60).answer(50);
    let model = Budgeted::new(Arc::new(stub.clone()), budget);
    let mut bounds = Vec::new();
    for _ in 0..3 {
        let asked = model.ask(&question()).await;
        bounds.extend(
            asked
                .is_ok()
                .then(|| stub.asked().last().unwrap().max_tokens),
        );
    }
    // 8 bytes are sent: 52 tokens are left for the first answer, then 32, then 12
    assert_eq!(bounds, [Some(50), Some(32), Some(12)]);
    assert_eq!(model.spent().tokens, 60);
    let error = model.ask(&question()).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::BudgetCrossed);
    assert_eq!(
        error.message,
        "the model may use 60 tokens, and this call could use 8 of the 0 that are left"
    );
}

#[tokio::test]
async fn two_calls_at_one_time_share_what_is_left() {
    let stub = Stub::new([Ok(used(90)), Ok(used(90))]).held();
    let model = Budgeted::new(Arc::new(stub.clone()), ModelBudget::unlimited().tokens(100));
    let first = tokio::spawn({
        let model = model.clone();
        async move { model.ask(&question().with_max_tokens(92)).await }
    });
    while stub.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    let second = model.ask(&question().with_max_tokens(92)).await;
    assert_eq!(second.unwrap_err().kind, ModelErrorKind::BudgetCrossed);
    stub.gate.add_permits(1);
    assert!(first.await.unwrap().is_ok());
    assert_eq!((model.spent().calls, model.spent().tokens), (1, 90));
}

#[tokio::test]
async fn a_dropped_call_counts_as_its_worst_case() {
    let stub = Stub::new([]).held();
    let model = Budgeted::new(Arc::new(stub.clone()), ModelBudget::unlimited().tokens(100));
    let call = tokio::spawn({
        let model = model.clone();
        async move { model.ask(&question().with_max_tokens(30)).await }
    });
    while stub.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    assert_eq!(model.spent().tokens, 38);
}

#[tokio::test]
async fn a_failure_costs_what_it_says_and_nothing_where_it_never_left() {
    let refused = ModelError::new(ModelErrorKind::Refused, "no").reached(Reached::Yes);
    let outcomes = [
        Err(refused.with_usage(Usage::new(7, 1))),
        Err(ModelError::transient("no route").reached(Reached::No)),
        Err(ModelError::transient("reset")),
    ];
    let model = Budgeted::new(
        Arc::new(Stub::new(outcomes)),
        ModelBudget::unlimited().tokens(1000),
    );
    let mut spent = Vec::new();
    for _ in 0..3 {
        model
            .ask(&question().with_max_tokens(10))
            .await
            .unwrap_err();
        spent.push(model.spent().tokens);
    }
    assert_eq!(spent, [8, 8, 26]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However calls overlap, a model that keeps to its bounds is never paid more than the budget.
    #[test]
    fn a_budget_is_never_crossed(
        budget in 1_u64..400,
        calls in proptest::collection::vec((1_u64..60, 0_u64..100), 1..24),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()
            .unwrap();
        let outcomes = calls.iter().map(|(most, share)| {
            Ok(ModelResponse::text("").with_usage(Usage::new(8, most * share / 100)))
        });
        let stub = Stub::new(outcomes);
        let model = Budgeted::new(Arc::new(stub.clone()), ModelBudget::unlimited().tokens(budget));
        runtime.block_on(async {
            let mut tasks = Vec::new();
            for _ in &calls {
                let model = model.clone();
                // no answer of the stub is longer than 60 tokens
                tasks.push(tokio::spawn(async move {
                    model.ask(&question().with_max_tokens(60)).await.is_ok()
                }));
            }
            for task in tasks {
                task.await.unwrap();
            }
        });
        prop_assert!(model.spent().tokens <= budget, "{:?} of {budget}", model.spent());
    }
}
