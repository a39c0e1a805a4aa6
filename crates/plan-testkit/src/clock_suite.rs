//! One conformance suite for every [`Clock`].
//!
//! ```ignore
//! struct Ntp;
//!
//! impl Fresh for Ntp {
//!     fn fresh(&self) -> Fixture {
//!         Fixture::new(NtpClock::connect())
//!     }
//! }
//!
//! plan_testkit::clock_suite!(Ntp);
//! ```

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use plan_exec::Clock;

/// A clock, and what moves it.
pub struct Fixture {
    clock: Arc<dyn Clock>,
    pass: Pass,
}

type Pass = Box<dyn Fn(Duration) + Send + Sync>;

impl fmt::Debug for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixture")
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}

/// Makes a clock.
pub trait Fresh {
    /// A clock.
    fn fresh(&self) -> Fixture;
}

impl Fixture {
    /// A clock that moves by itself.
    pub fn new(clock: impl Clock + 'static) -> Self {
        Self {
            clock: Arc::new(clock),
            pass: Box::new(std::thread::sleep),
        }
    }

    /// A clock that this moves by a span.
    #[must_use]
    pub fn moved_by(mut self, pass: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        self.pass = Box::new(pass);
        self
    }
}

/// Hands the list of all cases to a macro: `__clock_cases!([path::of::macro] [its own arguments])`.
#[doc(hidden)]
#[macro_export]
macro_rules! __clock_cases {
    ([$($then:tt)+] [$($arguments:tt)*]) => {
        $($then)+! {
            [$($arguments)*]
            it_moves_by_what_has_passed,
            it_counts_milliseconds_from_1970,
            all_threads_are_told_the_same_time,
        }
    };
}

__clock_cases!([suite_dispatch][]);

/// Makes one test of every case: `clock_suite!(value)`, where the value is [`Fresh`](crate::clock_suite::Fresh).
///
/// The crate needs `tokio` with its macros and its runtime of several threads.
#[macro_export]
macro_rules! clock_suite {
    ($fresh:expr) => {
        $crate::__clock_cases!([$crate::__suite_tests][clock_suite $fresh]);
    };
}

/// What a clock that moves by itself may be late by on a busy machine.
const SLACK: Duration = Duration::from_secs(20);

async fn it_moves_by_what_has_passed(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let before = fixture.clock.now();
    (fixture.pass)(Duration::from_millis(30));
    let moved = fixture.clock.now().since(before);
    assert!(moved >= Duration::from_millis(29), "it moved by {moved:?}");
    assert!(moved <= SLACK, "it moved by {moved:?}");
}

async fn it_counts_milliseconds_from_1970(fresh: &impl Fresh) {
    const YEAR_2020: i64 = 1_577_836_800_000;
    const YEAR_2200: i64 = 7_258_118_400_000;
    let now = fresh.fresh().clock.now().as_millis();
    assert!((YEAR_2020..YEAR_2200).contains(&now), "{now}");
}

async fn all_threads_are_told_the_same_time(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let before = fixture.clock.now();
    let told = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| fixture.clock.now()))
            .collect();
        asking
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .collect::<Vec<_>>()
    });
    let after = fixture.clock.now();
    assert_eq!(told.len(), 4);
    for time in told {
        assert!(
            before <= time && time <= after,
            "{before:?} {time:?} {after:?}"
        );
    }
}
