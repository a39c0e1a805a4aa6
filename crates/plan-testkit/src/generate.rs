//! Plans that are valid by construction, from a seed: every kind of step, joins, branches, nested
//! fan-outs, references through paths, a typed catalog and a policy.
//!
//! A plan grows step by step. Each step reads only values that exist where it stands and that have
//! the type of the argument, so that nothing has to be checked afterwards.
//!
//! ```
//! let case = plan_testkit::generate::plan(7);
//! assert!(case.errors().is_empty());
//! assert_eq!(case.text(), plan_testkit::generate::plan(7).text());
//! ```

mod agents;
mod calls;
mod flow;
mod host;
mod maker;
mod planner;
mod random;
mod values;

use proptest::prelude::*;

use crate::case::Case;

pub use random::Random;

/// A native plan of up to three blocks of steps, with a catalog, a policy and inputs of a run.
pub fn plan(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let size = 1 + random.below(3);
    maker::make(&mut random, size)
}

/// A native plan of so many blocks of steps; a branch or a fan-out is one block.
pub fn plan_of(seed: u64, size: usize) -> Case {
    maker::make(&mut Random::new(seed), size)
}

/// A planner's list of up to eight steps.
pub fn planner_list(seed: u64) -> Case {
    planner::make(&mut Random::new(seed))
}

/// Valid native plans that shrink to few blocks.
pub fn plans() -> impl Strategy<Value = Case> {
    (1..=2_usize, any::<u64>()).prop_map(|(size, seed)| plan_of(seed, size))
}
