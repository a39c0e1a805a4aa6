//! One conformance suite for every [`LanguageModel`].
//!
//! What stands behind a model in a test is scripted: [`Fresh::fresh`] is told what the provider is to say to one request
//! after the other, and gives the model with a way to see what reached the provider. For an adapter that is a server of the
//! test's own; for a wrapper it is a [`ScriptedModel`](crate::ScriptedModel).
//!
//! ```ignore
//! struct Wrapped;
//!
//! impl Fresh for Wrapped {
//!     fn fresh(&self, script: Vec<Reply>) -> Fixture {
//!         let scripted = script_of(script);
//!         Fixture::new(Wrapper::new(scripted.clone()), scripted)
//!     }
//! }
//!
//! plan_testkit::model_suite!(Wrapped);
//! ```
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a case that cannot go on has failed"
)]

mod provider;

use std::sync::Arc;
use std::time::Duration;

use plan_llm::{
    Answer, AnswerFormat, AnswerKind, FinishReason, LanguageModel, Message, ModelError,
    ModelErrorKind, ModelRequest, ModelResponse, Reached, ToolOffer, ToolUse, Usage,
};
use serde_json::json;

use crate::suite::skipped;

pub use provider::{Provider, Reply, script_of};

/// A model, and what stands behind it.
#[derive(Debug)]
pub struct Fixture {
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// What it asks.
    pub provider: Arc<dyn Provider>,
}

impl Fixture {
    /// A model and its provider.
    pub fn new(model: impl LanguageModel + 'static, provider: impl Provider + 'static) -> Self {
        Self {
            model: Arc::new(model),
            provider: Arc::new(provider),
        }
    }
}

/// Makes a model whose provider says what a script says: the first reply to the first request, and so on.
pub trait Fresh {
    /// A model that was never asked.
    fn fresh(&self, script: Vec<Reply>) -> Fixture;
}

/// Hands the list of all cases to a macro: `__model_cases!([path::of::macro] [its own arguments])`.
#[doc(hidden)]
#[macro_export]
macro_rules! __model_cases {
    ([$($then:tt)+] [$($arguments:tt)*]) => {
        $($then)+! {
            [$($arguments)*]
            a_request_reaches_the_provider_unaltered,
            a_format_reaches_the_provider_or_is_refused,
            tools_reach_the_provider_or_are_refused,
            an_answer_comes_back_as_it_was,
            what_a_model_asks_for_comes_back_in_its_order,
            every_kind_of_failure_keeps_its_kind,
            a_failure_tells_what_it_cost,
            one_call_asks_once,
            usage_is_told_once,
            a_dropped_call_ends_the_request,
            calls_at_one_time_do_not_wait_for_each_other,
            capabilities_are_always_the_same,
        }
    };
}

__model_cases!([suite_dispatch][]);

/// Makes one test of every case: `model_suite!(value)`, where the value is [`Fresh`](crate::model_suite::Fresh).
///
/// The crate needs `tokio` with its macros and its runtime of several threads.
#[macro_export]
macro_rules! model_suite {
    ($fresh:expr) => {
        $crate::__model_cases!([$crate::__suite_tests][model_suite $fresh]);
    };
}

/// How long something may take that should happen at once.
const PATIENCE: Duration = Duration::from_secs(20);

fn asking(text: &str) -> ModelRequest {
    ModelRequest::new("m").with_user(text).with_max_tokens(64)
}

fn answering(text: &str) -> Reply {
    Reply::Answers(ModelResponse::text(text).with_usage(Usage::new(3, 2)))
}

async fn a_request_reaches_the_provider_unaltered(fresh: &impl Fresh) {
    let fixture = fresh.fresh(vec![answering("yes")]);
    let request = ModelRequest::new("family/model-1.5")
        .with_system("You are \"terse\".\n\tNo markup: <b> & ${step.a.b} {{x}}")
        .with_user("grüße 你好 👋🏽 \\ \u{202e}")
        .with(Message::Assistant {
            text: "what?".to_owned(),
            calls: Vec::new(),
        })
        .with_user("  spaces and the end\n")
        .with_temperature(0.25)
        .with_max_tokens(1234);
    fixture.model.ask(&request).await.unwrap();
    assert_eq!(fixture.provider.asked(), [request]);
}

async fn a_format_reaches_the_provider_or_is_refused(fresh: &impl Fresh) {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    let formats = [
        AnswerFormat::JsonObject,
        AnswerFormat::JsonSchema {
            name: "shape".to_owned(),
            schema,
        },
    ];
    for format in formats {
        let given = ModelResponse::json(json!({"a": 1})).with_usage(Usage::new(1, 1));
        let fixture = fresh.fresh(vec![Reply::Answers(given)]);
        let request = asking("a number").with_format(format.clone());
        let can = fixture.model.capabilities("m").answers >= format.kind();
        let asked = fixture.model.ask(&request).await;
        if can {
            assert_eq!(asked.unwrap().answer, Answer::Json(json!({"a": 1})));
            assert_eq!(fixture.provider.asked(), [request]);
        } else {
            let refused = asked.unwrap_err();
            assert_eq!(refused.kind, ModelErrorKind::SchemaUnsupported);
            assert_eq!(refused.reached, Reached::No);
            assert_eq!(fixture.provider.asked(), []);
        }
    }
}

async fn tools_reach_the_provider_or_are_refused(fresh: &impl Fresh) {
    let fixture = fresh.fresh(vec![answering("done")]);
    let schema = json!({"type": "object", "properties": {"at": {"type": "string"}}});
    let call = ToolUse::new("call-7", "look", json!({"at": "a \"b\""}));
    let request = asking("look")
        .with_tool(ToolOffer::new("look", "Looks.", schema))
        .with(Message::Assistant {
            text: String::new(),
            calls: vec![call],
        })
        .with(Message::ToolResult {
            id: "call-7".to_owned(),
            tool: "look".to_owned(),
            text: "nothing there".to_owned(),
            is_error: true,
        });
    let asked = fixture.model.ask(&request).await;
    if fixture.model.capabilities("m").tools {
        asked.unwrap();
        assert_eq!(fixture.provider.asked(), [request]);
    } else {
        assert_eq!(asked.unwrap_err().kind, ModelErrorKind::SchemaUnsupported);
        assert_eq!(fixture.provider.asked(), []);
    }
}

async fn an_answer_comes_back_as_it_was(fresh: &impl Fresh) {
    let text = " a \"b\"\n\u{1f600} ${secret.x}\r\n{\"c\": 1} ";
    let given = ModelResponse::text(text).with_usage(Usage::new(17, 5));
    let fixture = fresh.fresh(vec![Reply::Answers(given.clone())]);
    let answer = fixture.model.ask(&asking("say it")).await.unwrap();
    assert_eq!(answer.answer, Answer::Text(text.to_owned()));
    assert_eq!((answer.finish, answer.usage), (given.finish, given.usage));
    let mut cut = ModelResponse::text("half an");
    cut.finish = FinishReason::Length;
    let fixture = fresh.fresh(vec![Reply::Answers(cut)]);
    // an answer that was cut says so, as an answer or as a failure
    match fixture.model.ask(&asking("say more")).await {
        Ok(answer) => assert_eq!(answer.finish, FinishReason::Length),
        Err(error) => assert_eq!(error.kind, ModelErrorKind::Truncated),
    }
}

async fn what_a_model_asks_for_comes_back_in_its_order(fresh: &impl Fresh) {
    let calls = vec![
        ToolUse::new("2", "look", json!({"at": [1, null, "x"]})),
        ToolUse::new("1", "look", json!({})),
    ];
    let given = ModelResponse::asks_for(calls.clone()).with_usage(Usage::new(2, 2));
    let fixture = fresh.fresh(vec![Reply::Answers(given)]);
    if !fixture.model.capabilities("m").tools {
        skipped(
            "what_a_model_asks_for_comes_back_in_its_order",
            "the model takes no tools",
        );
        return;
    }
    let offer = ToolOffer::new("look", "Looks.", json!({"type": "object"}));
    let answer = fixture.model.ask(&asking("go").with_tool(offer)).await;
    assert_eq!(answer.unwrap().calls, calls);
}

async fn every_kind_of_failure_keeps_its_kind(fresh: &impl Fresh) {
    let pause = Duration::from_secs(7);
    let kinds = [
        ModelErrorKind::Transient,
        ModelErrorKind::RateLimited { retry_after: None },
        ModelErrorKind::RateLimited {
            retry_after: Some(pause),
        },
        ModelErrorKind::ContextOverflow,
        ModelErrorKind::Refused,
        ModelErrorKind::Auth,
        ModelErrorKind::Invalid,
    ];
    for kind in kinds {
        // the words are those of another kind
        let given = ModelError::new(kind.clone(), "rate limit, unauthorized, timed out")
            .reached(Reached::Yes);
        let fixture = fresh.fresh(vec![Reply::Fails(given.clone())]);
        let failed = fixture.model.ask(&asking("go")).await.unwrap_err();
        assert_eq!(failed.kind, kind);
        assert_eq!(failed.retry(), given.retry());
        assert_ne!(failed.reached, Reached::No, "it had got there");
    }
}

async fn a_failure_tells_what_it_cost(fresh: &impl Fresh) {
    let given = ModelError::new(ModelErrorKind::Refused, "no")
        .reached(Reached::Yes)
        .with_usage(Usage::new(9, 1));
    let fixture = fresh.fresh(vec![Reply::Fails(given)]);
    let failed = fixture.model.ask(&asking("go")).await.unwrap_err();
    assert_eq!(failed.usage, Some(Usage::new(9, 1)));
}

async fn one_call_asks_once(fresh: &impl Fresh) {
    for first in [
        ModelError::transient("overloaded"),
        ModelError::rate_limited(Some(Duration::ZERO), "slow down"),
    ] {
        let fixture = fresh.fresh(vec![Reply::Fails(first), answering("now")]);
        assert!(fixture.model.ask(&asking("go")).await.is_err());
        assert_eq!(fixture.provider.asked().len(), 1);
        let second = fixture.model.ask(&asking("go")).await.unwrap();
        assert_eq!(second.answer, Answer::Text("now".to_owned()));
        assert_eq!(fixture.provider.asked().len(), 2);
    }
}

async fn usage_is_told_once(fresh: &impl Fresh) {
    let costing = |usage| Reply::Answers(ModelResponse::text("x").with_usage(usage));
    let fixture = fresh.fresh(vec![costing(Usage::new(10, 1)), costing(Usage::new(20, 2))]);
    let first = fixture.model.ask(&asking("a")).await.unwrap();
    let second = fixture.model.ask(&asking("b")).await.unwrap();
    assert_eq!(first.usage, Usage::new(10, 1));
    assert_eq!(second.usage, Usage::new(20, 2));
}

async fn a_dropped_call_ends_the_request(fresh: &impl Fresh) {
    let fixture = fresh.fresh(vec![Reply::Never, answering("there")]);
    let model = Arc::clone(&fixture.model);
    let call = tokio::spawn(async move { model.ask(&asking("go")).await });
    fixture
        .until("the request got there", |provider| {
            !provider.asked().is_empty()
        })
        .await;
    assert_eq!(fixture.provider.under_way(), 1);
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    fixture
        .until("the request ended", |provider| provider.under_way() == 0)
        .await;
    assert!(fixture.model.ask(&asking("again")).await.is_ok());
}

async fn calls_at_one_time_do_not_wait_for_each_other(fresh: &impl Fresh) {
    let fixture = fresh.fresh(vec![Reply::Never, answering("second")]);
    let model = Arc::clone(&fixture.model);
    let stuck = tokio::spawn(async move { model.ask(&asking("first")).await });
    fixture
        .until("the first request got there", |provider| {
            !provider.asked().is_empty()
        })
        .await;
    let request = asking("second");
    let second = tokio::time::timeout(PATIENCE, fixture.model.ask(&request));
    let second = second.await.expect("it waits for another call").unwrap();
    assert_eq!(second.answer, Answer::Text("second".to_owned()));
    assert!(!stuck.is_finished());
    stuck.abort();
}

async fn capabilities_are_always_the_same(fresh: &impl Fresh) {
    let fixture = fresh.fresh(vec![answering("x")]);
    let before = fixture.model.capabilities("m");
    assert!(before.answers >= AnswerKind::Text);
    fixture.model.ask(&asking("go")).await.unwrap();
    assert_eq!(fixture.model.capabilities("m"), before);
    assert_eq!(fresh.fresh(Vec::new()).model.capabilities("m"), before);
}

impl Fixture {
    /// Waits until the provider says so.
    async fn until(&self, what: &str, holds: impl Fn(&dyn Provider) -> bool) {
        let waiting = async {
            while !holds(&*self.provider) {
                tokio::task::yield_now().await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(waited.is_ok(), "{what}: not within {PATIENCE:?}");
    }
}
