//! A run in a made-up world: the same machine, a virtual clock, a seeded order of everything that happens.
//!
//! A second driver beside that of `plan-exec`, without tasks and without a store. In its world calls fail,
//! time out, panic and come back late or twice; processes die at every boundary of the journal, sleep past
//! their claim and wake up; people answer, late, twice and to the wrong request. Everything follows from one
//! number, so a run that went wrong goes wrong again. What a call returns depends on its step, on how often the
//! step was tried and on the seed alone: another interleaving has the same results.
//!
//! ```
//! use plan_testkit::simulate;
//! use plan_validate::{Context, Policy, ToolCatalog, check};
//!
//! let catalog = ToolCatalog::from_names(["search"])?;
//! let policy = Policy::default();
//! let text = r#"{"steps": [{"name": "find", "tool": "search", "args": {"query": "rust"}}]}"#;
//! let plan = check(text, &Context::new(&catalog, &policy))?;
//! for seed in 0..20 {
//!     simulate::simulate(&plan, seed).assert_sound();
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod act;
mod agents;
mod batch;
mod chances;
mod claims;
mod coverage;
mod driver;
mod effects;
mod folded;
mod invariants;
mod journal;
mod mutant;
mod people;
mod perform;
mod simulated;
mod subject;
mod trace;
mod turn;
mod values;
mod world;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use plan_model::Timestamp;
use plan_run::Failure;
use plan_validate::ValidatedPlan;
use serde_json::{Map, Value};

pub use chances::Chances;
pub use coverage::Coverage;
pub use effects::{Performed, SimulatedCall};
pub use invariants::{Broken, Invariant, invariants};
pub use journal::{Entry, Writer};
pub use mutant::Mutant;
pub use simulated::Simulated;
pub use subject::{Subject, subject};

/// What stands for a tool, a script, a model or an agent: the same call has to come to the same.
pub(crate) type Script =
    Arc<dyn Fn(&SimulatedCall) -> Result<Value, Box<Failure>> + Send + Sync + 'static>;

/// Runs a plan twice, in two interleavings of the same results, and looks for what no run may do.
///
/// Inputs that the plan requires are made up.
///
/// # Panics
/// When the plan cannot be run with such inputs.
pub fn simulate(plan: &ValidatedPlan, seed: u64) -> Simulated {
    Simulation::of(plan).seed(seed).run_twice()
}

/// A plan, and the world that it is to be run in.
#[derive(Clone)]
pub struct Simulation {
    pub(crate) plan: ValidatedPlan,
    pub(crate) inputs: Option<Map<String, Value>>,
    pub(crate) seed: u64,
    pub(crate) order: u64,
    pub(crate) chances: Chances,
    pub(crate) deadline: Option<Timestamp>,
    pub(crate) tools: BTreeMap<String, Script>,
    pub(crate) steps: BTreeMap<String, Script>,
    pub(crate) mutant: Option<Mutant>,
    pub(crate) is_traced: bool,
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("plan", &self.plan.digest())
            .field("seed", &self.seed)
            .field("order", &self.order)
            .field("chances", &self.chances)
            .field("tools", &self.tools.keys())
            .field("steps", &self.steps.keys())
            .finish_non_exhaustive()
    }
}

impl Simulation {
    /// A run of this plan, seed 0, in a world where everything goes wrong now and then.
    pub fn of(plan: &ValidatedPlan) -> Self {
        Self {
            plan: plan.clone(),
            inputs: None,
            seed: 0,
            order: 0,
            chances: Chances::default(),
            deadline: None,
            tools: BTreeMap::new(),
            steps: BTreeMap::new(),
            mutant: None,
            is_traced: true,
        }
    }

    /// With these inputs; otherwise they are made up.
    #[must_use]
    pub fn inputs(mut self, inputs: Map<String, Value>) -> Self {
        self.inputs = Some(inputs);
        self
    }

    /// With this seed, from which everything follows.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// In another order of what happens: what calls return and people say stays.
    #[must_use]
    pub fn order(mut self, order: u64) -> Self {
        self.order = order;
        self
    }

    /// With these chances of what may go wrong.
    #[must_use]
    pub fn chances(mut self, chances: Chances) -> Self {
        self.chances = chances;
        self
    }

    /// With this deadline; a run begins at time zero.
    #[must_use]
    pub fn deadline(mut self, deadline: Timestamp) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// With this tool in place of made-up results. Faults of the world come on top, as [`Chances`] say.
    ///
    /// It has to give the same for the same call: [`SimulatedCall::random`] gives numbers that do.
    #[must_use]
    pub fn tool(
        mut self,
        name: impl Into<String>,
        call: impl Fn(&SimulatedCall) -> Result<Value, Box<Failure>> + Send + Sync + 'static,
    ) -> Self {
        self.tools.insert(name.into(), Arc::new(call));
        self
    }

    /// With this in place of what the script of a step prints, its model answers or its agent reports, in every
    /// item. The arguments of the call are empty. Faults of the world come on top.
    ///
    /// It has to give the same for the same call, as [`Simulation::tool`] has.
    #[must_use]
    pub fn step(
        mut self,
        id: impl Into<String>,
        says: impl Fn(&SimulatedCall) -> Result<Value, Box<Failure>> + Send + Sync + 'static,
    ) -> Self {
        self.steps.insert(id.into(), Arc::new(says));
        self
    }

    /// Without a trace: faster, where thousands run.
    #[must_use]
    pub fn untraced(mut self) -> Self {
        self.is_traced = false;
        self
    }

    /// With a fault planted in the driver: what finds it is the invariants' own test.
    #[must_use]
    pub fn mutant(mut self, mutant: Mutant) -> Self {
        self.mutant = Some(mutant);
        self
    }

    /// Runs it until nothing more happens, and looks for what no run may do.
    ///
    /// # Panics
    /// When no run of the plan can be created with these inputs.
    pub fn run(&self) -> Simulated {
        let run = world::World::new(self).run();
        let broken = invariants::check(self, &run);
        run.with(self, broken)
    }

    /// Runs it twice, in two orders, and also compares what became of the steps.
    ///
    /// # Panics
    /// As [`Simulation::run`].
    pub fn run_twice(&self) -> Simulated {
        let mut first = self.run();
        let second = self.clone().order(self.order.wrapping_add(1)).run();
        let differences = invariants::compare(&self.plan, &first, &second);
        first.broken.extend(differences);
        if !(first.broken.is_empty() && second.broken.is_empty()) {
            first.trace.push("in the second order:".to_owned());
            first.trace.extend(second.trace);
        }
        let orders = second.broken.into_iter();
        first.broken.extend(orders.map(Broken::in_other_order));
        first
    }
}
