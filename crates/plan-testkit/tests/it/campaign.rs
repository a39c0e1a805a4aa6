//! How many cases a law is tried on.
//!
//! By default a tenth, so that the suite stays short; with `PLANWRIGHT_CASES=1` all of them, best under the
//! optimised profile `ci-heavy`, and with a larger number as many times more.

/// So many cases, as far as the environment asks for them.
pub(crate) fn cases(all: u32) -> u32 {
    let times = std::env::var("PLANWRIGHT_CASES")
        .ok()
        .and_then(|times| times.parse::<u32>().ok());
    match times {
        Some(times) => all.saturating_mul(times),
        None => all.div_ceil(10),
    }
}
