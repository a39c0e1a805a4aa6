//! A second opinion on a plan: slow, simple, and written from what the rules are meant to find.
//!
//! It shares no code with the validator. It looks at the JSON of a native plan whose shape is
//! sound, with loops over loops, and says which rules have something to find, and where. Tests
//! compare the two over thousands of plans: a difference is a fault of one of them.
//!
//! It speaks of [`CODES`] only, and of errors only where a rule has findings of several severities.
//!
//! ```
//! use plan_testkit::{mutate, oracle};
//!
//! let mutator = mutate::of("P205").next().unwrap();
//! let mutated = mutator.apply(&mutator.base(1), 1).unwrap();
//! let opinion = oracle::opinion(&mutated.case);
//! assert!(opinion.sure.contains(&("P205", mutated.pointer.unwrap())));
//! ```

mod arguments;
mod cycles;
mod data_flow;
mod fan_outs;
mod flow;
mod graph;
mod missing;
mod outputs;
mod paths;
mod reads;
mod structure;
mod syntax;
mod view;

use std::collections::BTreeSet;

use crate::case::Case;
use view::View;

pub use cycles::circles;

/// The rules that it has an opinion on.
pub const CODES: &[&str] = &[
    "P201", "P202", "P203", "P204", "P205", "P206", "P210", "P301", "P302", "P303", "P304", "P305",
    "P307", "P401", "P402", "P403", "P405", "P410", "P503", "P504", "P505", "P506", "P507", "P510",
];

/// What is to be found in a plan: the code of a rule, and the place.
///
/// A circle (P203) has no one place: `sure` has the id of its first member instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opinion {
    /// What has to be found.
    pub sure: BTreeSet<(&'static str, String)>,
    /// What may be found or not: the text of the rule leaves it open.
    pub open: BTreeSet<(&'static str, String)>,
}

impl Opinion {
    fn say(&mut self, code: &'static str, place: impl Into<String>) {
        self.sure.insert((code, place.into()));
    }

    fn leave_open(&mut self, code: &'static str, place: impl Into<String>) {
        self.open.insert((code, place.into()));
    }
}

/// What is to be found in the plan of a case, under its catalog and its policy.
pub fn opinion(case: &Case) -> Opinion {
    let view = View::of(case);
    let mut opinion = Opinion::default();
    structure::look(&view, &mut opinion);
    missing::look(&view, &mut opinion);
    cycles::look(&view, &mut opinion);
    arguments::look(&view, &mut opinion);
    data_flow::look(&view, &mut opinion);
    flow::look(&view, &mut opinion);
    fan_outs::look(&view, &mut opinion);
    opinion
}
