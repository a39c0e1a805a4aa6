//! One conformance suite for every store.
//!
//! An adapter says how a fresh store is made, and gets every case as a test of its own:
//!
//! ```ignore
//! async fn fresh() -> Fixture {
//!     let clock = ManualClock::default();
//!     Fixture::new(MemoryStore::with_clock(clock.clone()), clock)
//! }
//!
//! plan_testkit::store_suite!(fresh);
//! ```
//!
//! The suite is complete by construction. The cases are listed once, in
//! `__store_cases!`; a case that is written and not listed does not compile
//! without a warning, and an adapter cannot leave one out. What an adapter cannot
//! do it declares by [`Fixture::without`], and the case says by name that it was skipped.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a case that cannot go on has failed"
)]

mod claims;
mod contention;
mod journal;
mod listing;
mod plans;
mod sample;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use plan_store::{ManualClock, Store};

/// A fresh store, and the clock that it lives by.
pub struct Fixture {
    store: Arc<dyn Store>,
    clock: ManualClock,
    lacks: Vec<Capability>,
    /// Whatever must live as long as the store, such as its folder.
    keep: Option<Box<dyn Any + Send + Sync>>,
}

/// What a store may do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// `RunStore::changed` returns when somebody else appended through the same store.
    Wakeups,
}

impl Fixture {
    /// A store that is empty and takes the time from `clock`.
    pub fn new(store: impl Store + 'static, clock: ManualClock) -> Self {
        Self {
            store: Arc::new(store),
            clock,
            lacks: Vec::new(),
            keep: None,
        }
    }

    /// Keeps something for as long as the store is used.
    #[must_use]
    pub fn keeping(mut self, keep: impl Any + Send + Sync) -> Self {
        self.keep = Some(Box::new(keep));
        self
    }

    /// Declares what the store cannot do; the cases that need it are skipped by name.
    #[must_use]
    pub fn without(mut self, capability: Capability) -> Self {
        self.lacks.push(capability);
        self
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The clock of the store.
    pub fn clock(&self) -> &ManualClock {
        &self.clock
    }

    #[expect(clippy::print_stderr, reason = "a skip must be seen")]
    fn can(&self, capability: Capability, case: &str) -> bool {
        let can = !self.lacks.contains(&capability);
        if !can {
            eprintln!("skipped `{case}`: the store lacks {capability:?}");
        }
        can
    }
}

impl fmt::Debug for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixture")
            .field("store", &self.store)
            .field("clock", &self.clock)
            .field("lacks", &self.lacks)
            .finish_non_exhaustive()
    }
}

/// Hands the list of all cases to a macro: `__store_cases!([path::of::macro] [its own arguments])`.
#[doc(hidden)]
#[macro_export]
macro_rules! __store_cases {
    ([$($then:tt)+] [$($arguments:tt)*]) => {
        $($then)+! {
            [$($arguments)*]
            journal::a_new_run_holds_its_first_records,
            journal::a_run_may_begin_without_records,
            journal::creating_a_run_twice_is_refused_and_changes_nothing,
            journal::an_unknown_run_is_not_found_by_any_call,
            journal::records_keep_their_order_and_every_byte,
            journal::names_and_tags_keep_every_character,
            journal::a_wrong_sequence_conflicts_and_writes_nothing,
            journal::an_append_changes_the_head_with_its_records,
            journal::an_append_of_no_records_changes_the_head_alone,
            journal::reading_goes_on_from_any_place,
            journal::a_record_of_one_mebibyte_comes_back,
            journal::ten_thousand_records_are_read_page_by_page,
            journal::external_records_interleave_with_those_of_the_owner,
            claims::a_claim_gives_the_fence_that_appends_need,
            claims::a_live_owner_keeps_its_run,
            claims::the_owner_gets_its_own_fence_again,
            claims::a_renewed_claim_outlives_its_first_end,
            claims::an_expired_claim_is_taken_with_a_higher_fence,
            claims::an_expired_claim_that_nobody_took_still_counts,
            claims::a_released_run_is_free_at_once,
            claims::only_the_owner_renews_and_releases,
            claims::a_fence_is_looked_at_before_the_sequence,
            claims::an_external_append_leaves_the_claim_alone,
            claims::every_new_owner_has_a_higher_fence,
            claims::claims_of_different_runs_are_independent,
            listing::runs_are_listed_newest_first_and_then_by_id,
            listing::filters_admit_what_matches_all_of_them,
            listing::pages_hold_every_run_once,
            listing::pages_stay_where_they_are_while_runs_come_and_change,
            listing::a_page_holds_at_least_one_run,
            plans::a_version_comes_back_byte_for_byte,
            plans::the_same_content_again_changes_nothing,
            plans::case_47_a_version_never_takes_other_content,
            plans::the_highest_version_is_current,
            plans::an_expected_version_that_is_not_current_is_stale,
            plans::an_unknown_plan_is_not_found_by_any_call,
            plans::history_is_told_from_the_oldest_on,
            plans::plans_are_listed_in_their_current_version,
            contention::one_of_many_appends_wins_each_sequence,
            contention::one_of_many_owners_gets_a_run,
            contention::one_of_many_creations_wins,
            contention::appends_to_different_runs_all_succeed,
            contention::an_owner_hears_of_an_external_append,
            contention::an_append_before_the_wait_is_not_missed,
        }
    };
}

macro_rules! dispatch {
    ([] $($module:ident::$case:ident,)*) => {
        /// The names of all cases.
        pub const CASES: &[&str] = &[$(stringify!($case)),*];

        /// Runs one case on a fresh store.
        ///
        /// # Panics
        /// When the store breaks its contract, and when there is no such case.
        pub async fn run(case: &str, fixture: Fixture) {
            match case {
                $(stringify!($case) => Box::pin($module::$case(&fixture)).await,)*
                _ => panic!("the suite has no case `{case}`"),
            }
        }
    };
}

__store_cases!([dispatch][]);

/// Makes one test of every case: `store_suite!(fresh)`, with `async fn fresh() -> Fixture`.
///
/// The crate needs `tokio` with its macros and its runtime of several threads.
#[macro_export]
macro_rules! store_suite {
    ($fresh:path) => {
        $crate::__store_cases!([$crate::__store_tests][$fresh]);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __store_tests {
    ([$fresh:path] $($module:ident::$case:ident,)*) => {
        $(
            #[::tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                $crate::store_suite::run(stringify!($case), $fresh().await).await;
            }
        )*
    };
}
