//! Random numbers for the delays of retries.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Draws numbers from zero up to, not including, one.
///
/// `SplitMix64` (Steele, Lea, Flood 2014), seeded by the operating system: enough
/// to keep callers apart, and nothing more is asked of it.
#[derive(Debug)]
pub(crate) struct Jitter(u64);

impl Jitter {
    /// A sequence that no other has.
    pub(crate) fn new() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }

    /// The next number.
    pub(crate) fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        // 32 bits are exact in a double
        let high = u32::try_from(mixed >> 32).unwrap_or(u32::MAX);
        f64::from(high) / 4_294_967_296.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_lie_between_zero_and_one_and_differ() {
        let mut jitter = Jitter::new();
        let drawn: Vec<f64> = (0..1000).map(|_| jitter.draw()).collect();
        assert!(drawn.iter().all(|x| (0.0..1.0).contains(x)));
        let mean = drawn.iter().sum::<f64>() / 1000.0;
        assert!((0.4..0.6).contains(&mean), "{mean}");
        assert_ne!(drawn.first(), drawn.last());
    }
}
