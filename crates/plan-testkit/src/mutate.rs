//! Plants exactly one known fault in a valid plan: a tool is renamed, an argument dropped, a cycle closed.
//!
//! Every rule has at least one [`Mutator`]. What it plants is what its rule has to find, at that place,
//! and nothing else may be said to refuse the plan.
//!
//! ```
//! use plan_testkit::mutate;
//!
//! let mutator = mutate::of("P204").next().unwrap();
//! let mutated = mutator.apply(&mutator.base(3), 3).unwrap();
//! let errors = mutated.case.errors();
//! assert_eq!(errors.len(), 1);
//! assert_eq!(errors[0].code, "P204");
//! assert_eq!(Some(errors[0].pointer.as_str()), mutated.pointer.as_deref());
//! ```
//!
//! To add one: a function in the file of its family, and a row in that file's table.

mod arguments;
mod bindings;
mod bounds;
mod control_flow;
mod data_flow;
mod declarations;
mod document;
mod effects;
mod host;
mod plant;
mod structure;

use crate::case::Case;
use crate::generate::{self, Random};

/// What a fault is planted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// A native plan.
    Plan,
    /// A planner's list.
    PlannerList,
}

/// Plants one kind of fault.
#[derive(Debug, Clone, Copy)]
pub struct Mutator {
    /// What it does, such as `rename-tool`.
    pub name: &'static str,
    /// The rule that has to find the fault, such as `P301`.
    pub code: &'static str,
    /// What it does it to.
    pub ground: Ground,
    plant: Plant,
}

/// A plan with one fault in it.
#[derive(Debug, Clone)]
pub struct Mutated {
    /// The plan, and what it is checked under.
    pub case: Case,
    /// Where the fault has to be found, where there is one such place.
    pub pointer: Option<String>,
}

/// Changes a case; `None` where the case has no place for this fault.
type Plant = fn(&mut Case, &mut Random) -> Option<Place>;

/// Where a planted fault has to be found.
enum Place {
    At(String),
    /// Anywhere: there is no one place.
    Somewhere,
}

impl Mutator {
    const fn new(code: &'static str, name: &'static str, plant: Plant) -> Self {
        Self {
            name,
            code,
            ground: Ground::Plan,
            plant,
        }
    }

    const fn of_planner_lists(code: &'static str, name: &'static str, plant: Plant) -> Self {
        Self {
            name,
            code,
            ground: Ground::PlannerList,
            plant,
        }
    }

    /// A valid plan of the kind that this mutator changes.
    pub fn base(&self, seed: u64) -> Case {
        match self.ground {
            Ground::Plan => generate::plan(seed),
            Ground::PlannerList => generate::planner_list(seed),
        }
    }

    /// The same plan with the fault in it; `None` where the plan has no place for it.
    pub fn apply(&self, case: &Case, seed: u64) -> Option<Mutated> {
        let mut case = case.clone();
        let mut random = Random::new(seed ^ 0x6d75_7461_7465);
        match (self.plant)(&mut case, &mut random)? {
            Place::At(pointer) => Some(Mutated {
                case,
                pointer: Some(pointer),
            }),
            Place::Somewhere => Some(Mutated {
                case,
                pointer: None,
            }),
        }
    }
}

/// Every mutator, in the order of the codes of their rules.
pub fn mutators() -> impl Iterator<Item = &'static Mutator> {
    let mut all: Vec<&Mutator> = [
        document::MUTATORS,
        structure::MUTATORS,
        arguments::MUTATORS,
        bindings::MUTATORS,
        data_flow::MUTATORS,
        declarations::MUTATORS,
        control_flow::MUTATORS,
        effects::MUTATORS,
        bounds::MUTATORS,
        host::MUTATORS,
    ]
    .into_iter()
    .flatten()
    .collect();
    all.sort_by_key(|mutator| (mutator.code, mutator.name));
    all.into_iter()
}

/// The mutators of one rule.
pub fn of(code: &str) -> impl Iterator<Item = &'static Mutator> {
    mutators().filter(move |mutator| mutator.code == code)
}
