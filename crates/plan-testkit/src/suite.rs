//! What the conformance suites of contracts have in common: how cases are listed, run and skipped.
//!
//! Each suite lists its cases once, in a macro `__…_cases!`. A case that is written and not listed does not compile
//! without a warning, and nobody who runs a suite can leave one out.

/// Makes the list of a suite's cases and the function that runs one.
macro_rules! suite_dispatch {
    ([] $($case:ident,)*) => {
        /// The names of all cases.
        pub const CASES: &[&str] = &[$(stringify!($case)),*];

        /// Runs one case.
        ///
        /// # Panics
        /// When the contract is broken, and when there is no such case.
        pub async fn run<F: Fresh>(case: &str, fresh: &F) {
            match case {
                $(stringify!($case) => Box::pin($case(fresh)).await,)*
                _ => panic!("the suite has no case `{case}`"),
            }
        }
    };
}

/// Says by name that a case cannot be tried.
#[expect(clippy::print_stderr, reason = "a skip must be seen")]
pub(crate) fn skipped(case: &str, why: &str) {
    eprintln!("skipped `{case}`: {why}");
}

#[doc(hidden)]
#[macro_export]
macro_rules! __suite_tests {
    ([$suite:ident $fresh:expr] $($case:ident,)*) => {
        $(
            #[::tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                $crate::$suite::run(stringify!($case), &$fresh).await;
            }
        )*
    };
}
