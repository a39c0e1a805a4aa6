//! What a machine stands on: a plan that was checked, or a plan as a store has it.

use std::fmt::Debug;
use std::sync::Arc;

use plan_model::{Digest, Graph, Plan};
use plan_validate::ValidatedPlan;

/// What a [`Machine`](crate::Machine) stands on. This crate alone implements it.
///
/// On a [`ValidatedPlan`] a machine proposes and performs. On a [`RecordedPlan`]
/// it only follows its journal: an old run can be looked at under no catalog at
/// all, and cannot be driven under none.
pub trait Basis: Clone + Debug + sealed::Sealed {
    /// The plan.
    fn plan(&self) -> &Plan;

    /// What must end before what.
    fn graph(&self) -> &Graph;

    /// The digest of the plan.
    fn digest(&self) -> Digest;
}

/// A plan as a store has it, of which nobody says that it passes a check. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RecordedPlan(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    plan: Plan,
    graph: Graph,
    digest: Digest,
}

impl From<Plan> for RecordedPlan {
    fn from(plan: Plan) -> Self {
        Self(Arc::new(Parts {
            graph: Graph::new(&plan),
            digest: plan.digest(),
            plan,
        }))
    }
}

impl Basis for RecordedPlan {
    fn plan(&self) -> &Plan {
        &self.0.plan
    }

    fn graph(&self) -> &Graph {
        &self.0.graph
    }

    fn digest(&self) -> Digest {
        self.0.digest
    }
}

impl Basis for ValidatedPlan {
    fn plan(&self) -> &Plan {
        self.plan()
    }

    fn graph(&self) -> &Graph {
        self.graph()
    }

    fn digest(&self) -> Digest {
        self.digest()
    }
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::RecordedPlan {}
    impl Sealed for super::ValidatedPlan {}
}
