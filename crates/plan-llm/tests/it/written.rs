//! The JSON forms of requests, answers and failures.

use plan_llm::{
    Answer, Message, ModelError, ModelErrorKind, ModelRequest, ModelResponse, ModelRetry, ToolUse,
};
use serde_json::json;

#[test]
fn a_request_comes_back_as_it_was_written() {
    let request = ModelRequest::new("m")
        .with_user("look")
        .with(Message::Assistant {
            text: String::new(),
            calls: vec![ToolUse::new("1", "search", json!({"q": "x"}))],
        })
        .with(Message::ToolResult {
            id: "1".into(),
            tool: "search".into(),
            text: "nothing".into(),
            is_error: false,
        });
    let text = serde_json::to_string(&request).unwrap();
    assert_eq!(
        serde_json::from_str::<ModelRequest>(&text).unwrap(),
        request
    );
    let asks = ModelResponse::asks_for(vec![ToolUse::new("1", "search", json!({}))]);
    let text = serde_json::to_string(&asks).unwrap();
    assert_eq!(serde_json::from_str::<ModelResponse>(&text).unwrap(), asks);
    assert_eq!(asks.answer, Answer::Text(String::new()));
}

#[test]
fn every_kind_of_failure_says_when_to_ask_again() {
    use ModelErrorKind as Kind;
    let later = [
        Kind::Transient,
        Kind::Refused,
        Kind::Truncated,
        Kind::Malformed,
        Kind::Other,
    ];
    for kind in later {
        assert_eq!(
            ModelError::new(kind.clone(), "").retry(),
            ModelRetry::Later,
            "{kind:?}"
        );
    }
    let never = [
        Kind::ContextOverflow,
        Kind::SchemaUnsupported,
        Kind::Auth,
        Kind::Invalid,
        Kind::BudgetCrossed,
        Kind::NotOnTape,
    ];
    for kind in never {
        assert_eq!(
            ModelError::new(kind.clone(), "").retry(),
            ModelRetry::Never,
            "{kind:?}"
        );
    }
    let pause = std::time::Duration::from_secs(7);
    let limited = ModelError::rate_limited(Some(pause), "slow down");
    assert_eq!(limited.retry(), ModelRetry::After(pause));
}

#[test]
fn the_bytes_of_a_request_are_no_fewer_than_those_of_its_texts() {
    let request = ModelRequest::new("m")
        .with_system("be brief")
        .with_user("Grüße");
    assert_eq!(request.bytes(), 8 + 7);
}
