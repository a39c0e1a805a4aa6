//! What was recorded is played back, in its order, and nothing else is.

use std::sync::Arc;
use std::time::Duration;

use plan_llm::{
    AnswerKind, Cassette, LanguageModel, ModelError, ModelErrorKind, ModelRequest, ModelResponse,
    Reached, Recorded, Usage,
};

use crate::stub::Stub;

fn question(text: &str) -> ModelRequest {
    ModelRequest::new("m").with_user(text)
}

async fn recorded() -> Cassette {
    let limited = ModelError::rate_limited(Some(Duration::from_millis(1500)), "slow down");
    let outcomes = [
        Err(limited),
        Ok(ModelResponse::text("first").with_usage(Usage::new(3, 1))),
        Ok(ModelResponse::json(serde_json::json!({"n": 1.5}))),
    ];
    let model = Recorded::record(Arc::new(Stub::new(outcomes)));
    model.ask(&question("a")).await.unwrap_err();
    model.ask(&question("a")).await.unwrap();
    model.ask(&question("b")).await.unwrap();
    model.cassette()
}

#[tokio::test]
async fn equal_requests_get_their_answers_in_their_order() {
    let tape = serde_json::to_string(&recorded().await).unwrap();
    let model = Recorded::replay(serde_json::from_str(&tape).unwrap());
    assert_eq!(model.capabilities("m").answers, AnswerKind::JsonObject);
    let b = model.ask(&question("b")).await.unwrap();
    assert_eq!(b, ModelResponse::json(serde_json::json!({"n": 1.5})));
    let limited = model.ask(&question("a")).await.unwrap_err();
    assert_eq!(
        limited.kind,
        ModelErrorKind::RateLimited {
            retry_after: Some(Duration::from_millis(1500))
        }
    );
    let first = model.ask(&question("a")).await.unwrap();
    assert_eq!(
        first,
        ModelResponse::text("first").with_usage(Usage::new(3, 1))
    );
    let over = model.ask(&question("a")).await.unwrap_err();
    assert_eq!(
        (over.kind, over.reached),
        (ModelErrorKind::NotOnTape, Reached::No)
    );
    assert!(
        over.message
            .ends_with(" 2 times, and it was made once more"),
        "{}",
        over.message
    );
}

#[tokio::test]
async fn a_request_that_is_not_on_the_tape_is_refused() {
    let model = Recorded::replay(recorded().await);
    for other in [question("c"), question("a").with_temperature(0.0)] {
        let error = model.ask(&other).await.unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::NotOnTape);
    }
}

#[tokio::test]
async fn a_tape_that_is_played_stays_what_it_is() {
    let tape = recorded().await;
    let model = Recorded::replay(tape.clone());
    model.ask(&question("b")).await.unwrap();
    assert_eq!(model.cassette(), tape);
}

#[tokio::test]
async fn a_request_that_was_dropped_is_not_on_the_tape() {
    let stub = Stub::new([]).held();
    let model = Recorded::record(Arc::new(stub.clone()));
    let call = tokio::spawn({
        let model = model.clone();
        async move { model.ask(&question("a")).await }
    });
    while stub.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    call.abort();
    call.await.unwrap_err();
    stub.gate.add_permits(1);
    model.ask(&question("b")).await.unwrap();
    let takes = model.cassette().takes;
    assert_eq!(takes.len(), 1);
    assert_eq!(takes[0].request, question("b"));
}
