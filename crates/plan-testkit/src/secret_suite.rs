//! One conformance suite for every [`SecretSource`].
//!
//! ```ignore
//! struct Vault;
//!
//! impl Fresh for Vault {
//!     fn fresh(&self, secrets: &[(&str, &str)]) -> Fixture {
//!         Fixture::new(vault_with(secrets)).unreachable(vault_that_is_down())
//!     }
//! }
//!
//! plan_testkit::secret_suite!(Vault);
//! ```
#![expect(clippy::unwrap_used, reason = "a case that cannot go on has failed")]

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use futures::future::join_all;
use plan_exec::{Secret, SecretSource};
use plan_model::SecretName;

use crate::suite::skipped;

/// A source of secrets.
pub struct Fixture {
    source: Arc<dyn SecretSource>,
    unreachable: Option<Arc<dyn SecretSource>>,
    change: Option<Change>,
    keep: Option<Box<dyn Any + Send + Sync>>,
}

type Change = Box<dyn Fn(&str, &str) + Send + Sync>;

impl fmt::Debug for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixture")
            .field("source", &self.source)
            .field("keeps", &self.keep.is_some())
            .finish_non_exhaustive()
    }
}

/// Makes a source that holds some secrets.
pub trait Fresh {
    /// A source that holds these, by name, and no others.
    fn fresh(&self, secrets: &[(&str, &str)]) -> Fixture;
}

impl Fixture {
    /// A source.
    pub fn new(source: impl SecretSource + 'static) -> Self {
        Self {
            source: Arc::new(source),
            unreachable: None,
            change: None,
            keep: None,
        }
    }

    /// With a source of the same kind, with the same secrets, that cannot be asked.
    #[must_use]
    pub fn unreachable(mut self, source: impl SecretSource + 'static) -> Self {
        self.unreachable = Some(Arc::new(source));
        self
    }

    /// With a way to change a secret while the source is used, by name and value.
    #[must_use]
    pub fn changing(mut self, change: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        self.change = Some(Box::new(change));
        self
    }

    /// Keeps something for as long as the source is used.
    #[must_use]
    pub fn keeping(mut self, keep: impl Any + Send + Sync) -> Self {
        self.keep = Some(Box::new(keep));
        self
    }

    async fn ask(&self, name: &str) -> Option<String> {
        let name = SecretName::new(name).unwrap();
        let secret = self.source.secret(&name).await;
        let secret = secret.unwrap_or_else(|error| panic!("`{name}`: {error}"));
        secret.as_ref().map(Secret::expose).map(str::to_owned)
    }
}

/// Hands the list of all cases to a macro: `__secret_cases!([path::of::macro] [its own arguments])`.
#[doc(hidden)]
#[macro_export]
macro_rules! __secret_cases {
    ([$($then:tt)+] [$($arguments:tt)*]) => {
        $($then)+! {
            [$($arguments)*]
            a_secret_comes_as_it_is,
            a_secret_that_is_not_there_is_none_and_no_failure,
            names_are_compared_byte_for_byte,
            a_secret_that_was_changed_is_seen,
            a_source_that_cannot_be_asked_fails_and_tells_nothing,
            no_view_of_a_source_shows_a_value,
            many_may_ask_at_one_time,
        }
    };
}

__secret_cases!([suite_dispatch][]);

/// Makes one test of every case: `secret_suite!(value)`, where the value is [`Fresh`](crate::secret_suite::Fresh).
///
/// The crate needs `tokio` with its macros and its runtime of several threads.
#[macro_export]
macro_rules! secret_suite {
    ($fresh:expr) => {
        $crate::__secret_cases!([$crate::__suite_tests][secret_suite $fresh]);
    };
}

const CANARY: &str = "canary-5f2e9a77c1d04b3e";

async fn a_secret_comes_as_it_is(fresh: &impl Fresh) {
    for value in [
        CANARY,
        "a b\tc",
        " spaces about ",
        "\"quoted\" \\ {{x}} ${secret.B}",
        "grüße 🔑",
        "0123456789",
        "true",
        "-----BEGIN KEY-----\nMIIB\n-----END KEY-----",
    ] {
        let fixture = fresh.fresh(&[("A", value)]);
        assert_eq!(fixture.ask("A").await.as_deref(), Some(value));
    }
}

async fn a_secret_that_is_not_there_is_none_and_no_failure(fresh: &impl Fresh) {
    let fixture = fresh.fresh(&[("A", CANARY)]);
    for name in ["B", "AA", "Z_9"] {
        assert_eq!(fixture.ask(name).await, None, "{name}");
    }
    assert_eq!(fresh.fresh(&[]).ask("A").await, None);
}

async fn names_are_compared_byte_for_byte(fresh: &impl Fresh) {
    let fixture = fresh.fresh(&[("Api_Key", CANARY)]);
    assert_eq!(fixture.ask("Api_Key").await.as_deref(), Some(CANARY));
    for name in ["API_KEY", "api_key", "Api-Key"] {
        assert_eq!(fixture.ask(name).await, None, "{name}");
    }
}

async fn a_secret_that_was_changed_is_seen(fresh: &impl Fresh) {
    let fixture = fresh.fresh(&[("A", "before-5f2e9a77")]);
    assert_eq!(fixture.ask("A").await.as_deref(), Some("before-5f2e9a77"));
    let Some(change) = &fixture.change else {
        skipped(
            "a_secret_that_was_changed_is_seen",
            "its secrets do not change",
        );
        return;
    };
    change("A", CANARY);
    assert_eq!(fixture.ask("A").await.as_deref(), Some(CANARY));
}

async fn a_source_that_cannot_be_asked_fails_and_tells_nothing(fresh: &impl Fresh) {
    let fixture = fresh.fresh(&[("A", CANARY)]);
    let Some(source) = &fixture.unreachable else {
        skipped(
            "a_source_that_cannot_be_asked_fails_and_tells_nothing",
            "it can always be asked",
        );
        return;
    };
    let error = source.secret(&SecretName::new("A").unwrap()).await;
    let error = error.unwrap_err();
    assert!(!error.message.is_empty());
    assert!(!format!("{error} {error:?} {source:?}").contains(CANARY));
}

async fn no_view_of_a_source_shows_a_value(fresh: &impl Fresh) {
    let fixture = fresh.fresh(&[("A", CANARY)]);
    assert_eq!(fixture.ask("A").await.as_deref(), Some(CANARY));
    let source = &fixture.source;
    assert!(!format!("{source:?} {source:#?}").contains(CANARY));
}

async fn many_may_ask_at_one_time(fresh: &impl Fresh) {
    let fixture = fresh.fresh(&[("A", CANARY), ("B", "other-0d4b6a1f")]);
    let asked = join_all((0..64).map(|at| fixture.ask(if at % 2 == 0 { "A" } else { "B" }))).await;
    for (at, answer) in asked.iter().enumerate() {
        let expected = if at % 2 == 0 {
            CANARY
        } else {
            "other-0d4b6a1f"
        };
        assert_eq!(answer.as_deref(), Some(expected));
    }
}
