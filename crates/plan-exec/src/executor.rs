//! Starting runs, taking them up again, and what they share in one process.

mod error;
pub(crate) mod external;
mod fork;
pub(crate) mod load;
mod paths;
mod recover;
mod resume;
mod start;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plan_llm::LanguageModel;
use plan_model::{ModelName, ToolName};
use plan_run::RunId;
use plan_store::{Clock, OwnerId, Store, SystemClock};
use plan_validate::Policy;

use crate::drive::{Lent, Turns, part_of};
use crate::handle::Link;
use crate::observer::Watch;
use crate::{HumanChannel, ModelRegistry, Observer, SecretSource, ToolRegistry};

pub use error::{
    ControlError, ExecError, ForkError, LoadError, ResumeError, StartError, Unequipped,
};
pub use load::read_run;
pub use recover::Recovery;
pub use resume::Resume;

/// Drives runs of validated plans: journals, performs, resumes.
///
/// Takes only a [`ValidatedPlan`](plan_validate::ValidatedPlan), and lets its run
/// do no more than its grant says. Every event is in the store before what it
/// says is performed, and before anybody sees it. Of several executors on one
/// run, in one process or many, one drives it and the others are told so.
///
/// An executor is cheap to clone, and drives any number of runs side by side.
/// It belongs in a Tokio runtime with its timers enabled; runs are background
/// tasks of that runtime, and go on when their handle or the executor is dropped.
#[derive(Debug, Clone)]
pub struct Executor {
    shared: Arc<Shared>,
}

/// What an executor does with a run in which everything waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum WhenWaiting {
    /// Ends the drive and gives up the claim. A resume goes on, here or elsewhere.
    #[default]
    Leave,
    /// Keeps the run, and goes on as soon as an answer is in its journal.
    Stay,
}

/// What all runs of an executor have in common.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    pub(crate) tools: ToolRegistry,
    pub(crate) models: ModelRegistry,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) policy: Policy,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) human: Option<Arc<dyn HumanChannel>>,
    pub(crate) secrets: Option<Arc<dyn SecretSource>>,
    pub(crate) observers: Arc<[Arc<Watch>]>,
    pub(crate) owner: OwnerId,
    pub(crate) grace: Duration,
    pub(crate) scratch: PathBuf,
    pub(crate) when_waiting: WhenWaiting,
    /// Held over all runs.
    pub(crate) turns: Arc<Turns>,
    runs: Arc<Mutex<Runs>>,
}

impl Executor {
    /// An executor of these tools over this store, under the default policy.
    ///
    /// Give it the policy that the plans were checked under: a resume checks
    /// them again, and refuses a plan that would be granted something else.
    pub fn new(tools: ToolRegistry, store: impl Store + 'static) -> Self {
        Self {
            shared: Arc::new(Shared {
                turns: Arc::new(Turns::of(tools.catalog())),
                tools,
                models: ModelRegistry::new(),
                store: Arc::new(store),
                policy: Policy::default(),
                clock: Arc::new(SystemClock),
                human: None,
                secrets: None,
                observers: Arc::default(),
                owner: OwnerId::random(),
                grace: Duration::from_secs(5),
                scratch: std::env::temp_dir().join("planwright"),
                when_waiting: WhenWaiting::default(),
                runs: Arc::default(),
            }),
        }
    }

    fn set(mut self, set: impl FnOnce(&mut Shared)) -> Self {
        set(Arc::make_mut(&mut self.shared));
        self
    }

    /// The host's policy.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        self.set(|shared| shared.policy = policy)
    }

    /// The models that plans may ask. Default: none, and a plan that asks one is refused at its start.
    #[must_use]
    pub fn models(self, models: ModelRegistry) -> Self {
        self.set(|shared| shared.models = models)
    }

    /// Adds what answers for one model.
    #[must_use]
    pub fn model(self, name: ModelName, model: impl LanguageModel + 'static) -> Self {
        self.set(|shared| {
            shared.models = std::mem::take(&mut shared.models).with(name, Arc::new(model));
        })
    }

    /// The source of time. Default: the system's.
    #[must_use]
    pub fn clock(self, clock: impl Clock + 'static) -> Self {
        self.set(|shared| shared.clock = Arc::new(clock))
    }

    /// A way to a person. Default: none, and requests wait in the store.
    #[must_use]
    pub fn human(self, channel: impl HumanChannel + 'static) -> Self {
        self.set(|shared| shared.human = Some(Arc::new(channel)))
    }

    /// A source of secrets. Default: none, and steps that need one fail.
    #[must_use]
    pub fn secrets(self, source: impl SecretSource + 'static) -> Self {
        self.set(|shared| shared.secrets = Some(Arc::new(source)))
    }

    /// Adds somebody who sees what happens in every run of this executor. Default: nobody.
    #[must_use]
    pub fn observer(self, observer: impl Observer + 'static) -> Self {
        let watch = Arc::new(Watch::new(Arc::new(observer)));
        self.set(|shared| {
            let observers = shared.observers.iter().cloned().chain([watch]);
            shared.observers = observers.collect();
        })
    }

    /// The name under which this executor claims runs. Default: one that nobody else has.
    #[must_use]
    pub fn owner(self, owner: OwnerId) -> Self {
        self.set(|shared| shared.owner = owner)
    }

    /// How long work that looks at its cancellation has to end by itself. Default: 5 seconds.
    #[must_use]
    pub fn grace(self, grace: Duration) -> Self {
        self.set(|shared| shared.grace = grace)
    }

    /// The folder under which each run has a folder of its own. Default: `planwright` in the system's folder for temporary files.
    #[must_use]
    pub fn scratch(self, folder: impl Into<PathBuf>) -> Self {
        self.set(|shared| shared.scratch = folder.into())
    }

    /// What to do with a run in which everything waits. Default: leave it.
    #[must_use]
    pub fn when_waiting(self, choice: WhenWaiting) -> Self {
        self.set(|shared| shared.when_waiting = choice)
    }

    /// The tools.
    pub fn tools(&self) -> &ToolRegistry {
        &self.shared.tools
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Waits until every observer was shown what has happened up to now.
    ///
    /// For the end of a process: no run ever waits for an observer. Lasts as long as the slowest of them.
    pub async fn observed(&self) {
        for watch in &*self.shared.observers {
            watch.caught_up().await;
        }
    }

    /// Stops driving every run of this executor, and leaves each as its journal has it.
    ///
    /// What is in flight is dropped. Resumed, a run asks about dropped calls that are not safe to repeat.
    pub async fn stop(&self) {
        let links = self.shared.links();
        for link in &links {
            link.stop();
        }
        for link in links {
            link.commands.closed().await;
        }
    }
}

/// A run on the list of those that an executor drives; off it once dropped.
#[derive(Debug)]
pub(crate) struct Enlisted {
    runs: Arc<Mutex<Runs>>,
    run: RunId,
}

/// The runs that are driven here; without a link while a drive is being prepared.
type Runs = HashMap<RunId, Option<Link>>;

impl Shared {
    /// What was lent that a tool needs for itself.
    pub(crate) fn secrets_of(&self, tool: &ToolName, lent: &Lent) -> Lent {
        if lent.is_empty() {
            return Lent::new();
        }
        let tool = self.tools.tool(tool);
        tool.map_or_else(Lent::new, |tool| part_of(lent, tool.secrets()))
    }

    /// Puts a run on the list of those that are driven here; `None` when it is on it.
    pub(crate) fn enlist(&self, run: &RunId) -> Option<Enlisted> {
        match self.lock_runs().entry(run.clone()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(place) => {
                place.insert(None);
                Some(Enlisted {
                    runs: Arc::clone(&self.runs),
                    run: run.clone(),
                })
            }
        }
    }

    /// The way to a run that is driven here.
    pub(crate) fn driven(&self, run: &RunId) -> Option<Link> {
        self.lock_runs().get(run).cloned().flatten()
    }

    fn links(&self) -> Vec<Link> {
        self.lock_runs().values().flatten().cloned().collect()
    }

    fn lock_runs(&self) -> MutexGuard<'_, Runs> {
        lock(&self.runs)
    }
}

impl Enlisted {
    /// Makes the way to the run known.
    pub(crate) fn link(&self, link: Link) {
        lock(&self.runs).insert(self.run.clone(), Some(link));
    }
}

impl Drop for Enlisted {
    fn drop(&mut self) {
        lock(&self.runs).remove(&self.run);
    }
}

fn lock(runs: &Mutex<Runs>) -> MutexGuard<'_, Runs> {
    // nothing panics while it holds the lock
    runs.lock().unwrap_or_else(PoisonError::into_inner)
}
