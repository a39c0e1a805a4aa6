//! What a run is started with.

use std::collections::BTreeMap;
use std::time::Duration;

use plan_run::event::Trigger;
use plan_run::{PrincipalName, RunId};
use serde_json::{Map, Value};

/// Values for the inputs of a plan, by name. Written with [`inputs!`](crate::inputs).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inputs(Map<String, Value>);

impl Inputs {
    /// No inputs.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds one; the last of a name stays.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// The values by name.
    pub fn into_map(self) -> Map<String, Value> {
        self.0
    }
}

impl From<Map<String, Value>> for Inputs {
    fn from(inputs: Map<String, Value>) -> Self {
        Self(inputs)
    }
}

/// Writes the inputs of a run as a JSON object: `inputs! { "topic": "rust", "depth": 2 }`.
///
/// ```
/// let inputs = plan_exec::inputs! { "topic": "rust", "tags": ["a", "b"] };
/// assert_eq!(inputs.into_map()["tags"][1], "b");
/// ```
#[macro_export]
macro_rules! inputs {
    ($($member:tt)*) => {
        $crate::__private::inputs($crate::__private::json!({ $($member)* }))
    };
}

/// A start with everything that can be said about it.
///
/// [`Inputs`] and plain maps become one, so `start(plan, inputs! { … })` needs no more.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct RunRequest {
    /// The run's id; absent: a new one.
    pub run_id: Option<RunId>,
    /// The inputs.
    pub inputs: Inputs,
    /// On whose behalf the run is started.
    pub principal: Option<PrincipalName>,
    /// Labels to list runs by.
    pub tags: BTreeMap<String, String>,
    /// What started the run.
    pub trigger: Trigger,
    /// How long the run may take from now on, waiting included.
    pub deadline: Option<Duration>,
    /// Where the host's catalog and policy came from, by a name of the host's choice. Kept with the run.
    pub sources: BTreeMap<String, String>,
}

impl RunRequest {
    /// A start with these inputs.
    pub fn new(inputs: impl Into<Inputs>) -> Self {
        Self {
            inputs: inputs.into(),
            ..Self::default()
        }
    }

    /// Chooses the run's id: a second start under it is refused.
    #[must_use]
    pub fn run_id(mut self, run: RunId) -> Self {
        self.run_id = Some(run);
        self
    }

    /// Says on whose behalf.
    #[must_use]
    pub fn principal(mut self, principal: PrincipalName) -> Self {
        self.principal = Some(principal);
        self
    }

    /// Adds a label.
    #[must_use]
    pub fn tag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.tags.insert(name.into(), value.into());
        self
    }

    /// Says what started the run.
    #[must_use]
    pub fn trigger(mut self, trigger: Trigger) -> Self {
        self.trigger = trigger;
        self
    }

    /// Says where the host's catalog or policy came from, for whoever resumes the run.
    #[must_use]
    pub fn source(mut self, name: impl Into<String>, location: impl Into<String>) -> Self {
        self.sources.insert(name.into(), location.into());
        self
    }

    /// Bounds the whole run, waiting included.
    #[must_use]
    pub fn deadline(mut self, from_now: Duration) -> Self {
        self.deadline = Some(from_now);
        self
    }
}

impl From<Inputs> for RunRequest {
    fn from(inputs: Inputs) -> Self {
        Self::new(inputs)
    }
}

impl From<Map<String, Value>> for RunRequest {
    fn from(inputs: Map<String, Value>) -> Self {
        Self::new(inputs)
    }
}
