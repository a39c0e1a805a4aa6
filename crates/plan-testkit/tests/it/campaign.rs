//! How many cases a law is tried on: the default, or `PLANWRIGHT_CASES` times as many.

/// So many cases, times what the environment asks for.
pub(crate) fn cases(default: u32) -> u32 {
    let times = std::env::var("PLANWRIGHT_CASES")
        .ok()
        .and_then(|times| times.parse().ok());
    default.saturating_mul(times.unwrap_or(1))
}
