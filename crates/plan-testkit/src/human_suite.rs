//! One conformance suite for every [`HumanChannel`].
//!
//! ```ignore
//! struct Chat;
//!
//! impl Fresh for Chat {
//!     fn fresh(&self, person: Person) -> Fixture {
//!         Fixture::new(chat_with(person))
//!     }
//! }
//!
//! plan_testkit::human_suite!(Chat);
//! ```
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a case that cannot go on has failed"
)]

use std::sync::Arc;
use std::time::Duration;

use plan_exec::{HumanAnswer, HumanChannel};
use plan_run::{Answer, PrincipalName, Request, RunId};
use serde_json::json;

/// A way to a person.
#[derive(Debug)]
pub struct Fixture {
    channel: Arc<dyn HumanChannel>,
}

/// What the person at the end of a channel does, whenever asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Person {
    /// Answers this.
    Answers(HumanAnswer),
    /// Turns the question down.
    Declines,
    /// Never looks.
    IsAway,
}

/// Makes a channel to a person who does what a case says.
pub trait Fresh {
    /// A channel that was never used.
    fn fresh(&self, person: Person) -> Fixture;
}

impl Fixture {
    /// A channel.
    pub fn new(channel: impl HumanChannel + 'static) -> Self {
        Self {
            channel: Arc::new(channel),
        }
    }

    async fn ask(&self, request: &Request) -> Option<HumanAnswer> {
        let run = RunId::new("run-1").unwrap();
        let asking = self.channel.ask(&run, request);
        let asked = tokio::time::timeout(PATIENCE, asking).await;
        asked.expect("the channel brings no answer")
    }
}

/// Hands the list of all cases to a macro: `__human_cases!([path::of::macro] [its own arguments])`.
#[doc(hidden)]
#[macro_export]
macro_rules! __human_cases {
    ([$($then:tt)+] [$($arguments:tt)*]) => {
        $($then)+! {
            [$($arguments)*]
            an_answer_comes_back_with_who_gave_it,
            a_question_that_is_turned_down_stays_open,
            a_question_may_be_asked_again,
            a_question_that_nobody_waits_for_harms_none,
            questions_at_one_time_are_apart,
        }
    };
}

__human_cases!([suite_dispatch][]);

/// Makes one test of every case: `human_suite!(value)`, where the value is [`Fresh`](crate::human_suite::Fresh).
///
/// The crate needs `tokio` with its macros and its runtime of several threads.
#[macro_export]
macro_rules! human_suite {
    ($fresh:expr) => {
        $crate::__human_cases!([$crate::__suite_tests][human_suite $fresh]);
    };
}

/// How long something may take that should happen at once.
const PATIENCE: Duration = Duration::from_secs(20);

fn request(step: &str) -> Request {
    serde_json::from_value(json!({
        "id": format!("request-{step}"),
        "kind": "approval",
        "step": step,
        "prompt": "Publish \"it\" to https://example.com?\n\u{1f600}",
        "schema": {"enum": ["approve", "reject", "cancel"]},
        "binding": plan_model::Digest::of_json(&json!(step)),
    }))
    .unwrap()
}

fn says(answer: Answer) -> HumanAnswer {
    HumanAnswer {
        answer,
        by: PrincipalName::new("grace").unwrap(),
    }
}

async fn an_answer_comes_back_with_who_gave_it(fresh: &impl Fresh) {
    for answer in [
        Answer::Approve,
        Answer::Reject,
        Answer::Cancel,
        Answer::Text("no, absolutely not".to_owned()),
    ] {
        let given = says(answer);
        let fixture = fresh.fresh(Person::Answers(given.clone()));
        assert_eq!(fixture.ask(&request("a")).await, Some(given));
    }
}

async fn a_question_that_is_turned_down_stays_open(fresh: &impl Fresh) {
    let fixture = fresh.fresh(Person::Declines);
    assert_eq!(fixture.ask(&request("a")).await, None);
}

async fn a_question_may_be_asked_again(fresh: &impl Fresh) {
    let given = says(Answer::Approve);
    let fixture = fresh.fresh(Person::Answers(given.clone()));
    for _ in 0..2 {
        assert_eq!(fixture.ask(&request("a")).await, Some(given.clone()));
    }
}

async fn a_question_that_nobody_waits_for_harms_none(fresh: &impl Fresh) {
    let fixture = fresh.fresh(Person::IsAway);
    let run = RunId::new("run-1").unwrap();
    let question = request("a");
    let asking = fixture.channel.ask(&run, &question);
    let asked = tokio::time::timeout(Duration::from_millis(20), asking).await;
    assert!(
        asked.is_err(),
        "somebody answered for the person: {asked:?}"
    );
    // the channel is as good as before
    let asking = fixture.channel.ask(&run, &question);
    let asked = tokio::time::timeout(Duration::from_millis(20), asking).await;
    assert!(
        asked.is_err(),
        "somebody answered for the person: {asked:?}"
    );
}

async fn questions_at_one_time_are_apart(fresh: &impl Fresh) {
    let given = says(Answer::Approve);
    let fixture = fresh.fresh(Person::Answers(given.clone()));
    let (one, two) = (request("a"), request("b"));
    let (one, two) = tokio::join!(fixture.ask(&one), fixture.ask(&two));
    assert_eq!((one, two), (Some(given.clone()), Some(given)));
}
