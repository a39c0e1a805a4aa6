//! Starting a run.

use std::path::PathBuf;
use std::sync::Arc;

use plan_model::{AgentName, InputKind, StepConfig, StepId};
use plan_run::event::RunCreated;
use plan_run::{CreateRefused, Event, EventKind, Machine, NewRun, RunId, RunStatus, encode};
use plan_store::{Claim, Record, RunHead, StoreError, StoredPlan};
use plan_validate::{AgentKind, Context, GrantedRoot, ValidatedPlan, check_plan};
use tokio::time::Instant;

use crate::context::{FileAccess, GrantedFile, RunFacts};
use crate::drive::{Departure, Origin, launch};
use crate::executor::{Executor, Shared, StartError, Unequipped, paths};
use crate::{RunHandle, RunRequest, new_run_id};

impl Executor {
    /// Starts a run of a plan, and drives it in the background.
    ///
    /// When this returns, the run and the version of its plan are in the store.
    /// Refused input leaves no run behind. A second start under one run id is
    /// refused, so a caller who chose the id may repeat a start that it is unsure of.
    ///
    /// # Errors
    /// Refused inputs, all of them at once; a taken run id; steps or tools that this
    /// executor does not have; a policy that would grant something else; another content of the same plan version; a failed store.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub async fn start(
        &self,
        plan: ValidatedPlan,
        request: impl Into<RunRequest> + Send,
    ) -> Result<RunHandle, StartError> {
        let shared = &self.shared;
        let now = shared.clock.now();
        let request = request.into();
        let run = request.run_id.unwrap_or_else(|| new_run_id(now));
        let mut new = NewRun::new(run.clone(), request.inputs.into_map());
        new.principal = request.principal;
        new.tags = request.tags;
        new.trigger = request.trigger;
        new.deadline = request.deadline.map(|deadline| now.plus(deadline));
        new.sources = request.sources;
        let created = created(&plan, new).await?;
        shared.equipped(&plan)?;
        shared.grants(&plan)?;
        let created = Event {
            at: now,
            kind: created,
        };
        let taken = || StartError::AlreadyExists { run: run.clone() };
        let enlisted = shared.enlist(&run).ok_or_else(taken)?;
        let machine = Machine::new(plan.clone(), &created).map_err(|refused| {
            // the machine made the event itself
            StartError::Refused {
                run: run.clone(),
                refused: Box::new(refused),
            }
        })?;
        shared.store.put(stored(&plan), None).await?;
        let head = head(&plan, machine.created(), &created);
        let end = shared
            .store
            .create(&head, vec![Record::new(encode(&created))])
            .await?;
        let claimed = Instant::now();
        let fence = shared
            .store
            .claim(&run, &shared.owner, Claim::Acquire)
            .await
            .map_err(|error| StartError::Undriven {
                run: run.clone(),
                error,
            })?;
        Ok(launch(Departure {
            shared: Arc::clone(shared),
            enlisted,
            facts: shared.facts(&machine),
            plan,
            machine,
            fence,
            claimed,
            end,
            news: vec![created],
            origin: Origin::Started,
        }))
    }
}

impl From<CreateRefused> for StartError {
    fn from(refused: CreateRefused) -> Self {
        match refused {
            CreateRefused::Inputs(findings) => Self::InputsRejected { findings },
            refused => Self::NotCreated(refused),
        }
    }
}

impl From<StoreError> for StartError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::AlreadyExists { run } => Self::AlreadyExists { run },
            error => Self::Store(error),
        }
    }
}

impl Shared {
    /// Whether this executor has what the plan was checked with.
    pub(crate) fn equipped(&self, plan: &ValidatedPlan) -> Result<(), Unequipped> {
        for (name, digest) in plan.grant().tools() {
            let tool = || name.clone();
            match self.tools.catalog().tool(name) {
                Some(described) if described.digest == *digest && described.spec.allowlisted => {}
                _ => return Err(Unequipped::ToolDiffers { tool: tool() }),
            }
            if self.tools.tool(name).is_none() {
                return Err(Unequipped::NotImplemented { tool: tool() });
            }
        }
        let scripts = |step: &&plan_model::Step| matches!(step.config, StepConfig::CodeCall(_));
        if let Some(step) = plan.plan().steps.iter().find(scripts)
            && self.tools.code_runner().is_none()
        {
            return Err(Unequipped::NoCodeRunner {
                step: step.id.clone(),
            });
        }
        for step in &plan.plan().steps {
            match &step.config {
                StepConfig::PromptCall(call) if self.models.get(&call.model).is_none() => {
                    return Err(Unequipped::NoModel {
                        step: step.id.clone(),
                        model: call.model.clone(),
                    });
                }
                StepConfig::AgentCall(call) if self.agent(call.agent.as_ref()).is_none() => {
                    return Err(self.no_agent(&step.id, call.agent.as_ref()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Why an agent cannot run: it asks a model that nothing answers for, or nothing runs it.
    fn no_agent(&self, step: &StepId, agent: Option<&AgentName>) -> Unequipped {
        let spec = agent.and_then(|name| self.tools.catalog().agents().get(name));
        match spec.map(|spec| (spec.kind, &spec.model)) {
            Some((AgentKind::Loop, Some(model))) => Unequipped::NoModel {
                step: step.clone(),
                model: model.clone(),
            },
            _ => Unequipped::NoAgent {
                step: step.clone(),
                agent: agent.cloned(),
            },
        }
    }

    /// Whether the policy of this executor grants the plan what it was granted when it was checked.
    fn grants(&self, plan: &ValidatedPlan) -> Result<(), StartError> {
        if *plan.policy() == self.policy {
            return Ok(());
        }
        let cx = Context::new(self.tools.catalog(), &self.policy);
        let own = check_plan(plan.plan(), &cx)
            .map_err(|rejected| StartError::PlanRejected(Box::new(rejected)))?;
        let (granted, own) = (plan.grant().digest(), own.grant().digest());
        if granted == own {
            Ok(())
        } else {
            Err(StartError::GrantDiffers { granted, own })
        }
    }

    /// What all calls of a run are told.
    pub(crate) fn facts(&self, machine: &Machine) -> RunFacts {
        let created = machine.created();
        let root = |root: &GrantedRoot| match root {
            GrantedRoot::Scratch => None,
            GrantedRoot::Input(name) => {
                let folder = created.inputs.get(name.as_str())?.as_str()?;
                Some(PathBuf::from(folder))
            }
            GrantedRoot::Folder(folder) => Some(PathBuf::from(folder)),
            GrantedRoot::Anywhere => Some(PathBuf::from("/")),
        };
        let roots = machine
            .plan()
            .grant()
            .roots()
            .iter()
            .filter_map(root)
            .collect();
        let files = machine.plan().plan().inputs.iter().filter_map(|input| {
            let access = match input.input_kind {
                InputKind::FilePath => FileAccess::Read,
                InputKind::OutputFilePath => FileAccess::Write,
                InputKind::DirectoryPath | InputKind::Value => return None,
            };
            let path = created.inputs.get(input.name.as_str())?.as_str()?;
            Some(GrantedFile {
                path: PathBuf::from(path),
                access,
            })
        });
        RunFacts {
            plan: Some(machine.plan().clone()),
            files: files.collect(),
            run: created.run.clone(),
            principal: created.principal.clone(),
            tags: created.tags.clone(),
            scratch: self.scratch_of(&created.run),
            roots,
        }
    }

    fn scratch_of(&self, run: &RunId) -> PathBuf {
        // a run id may be `..`, a folder may not
        self.scratch.join(format!("run-{run}"))
    }
}

/// The event that creates a run. Paths among the inputs are looked at where that may take its time.
pub(super) async fn created(plan: &ValidatedPlan, new: NewRun) -> Result<EventKind, CreateRefused> {
    if !paths::any(&plan.plan().inputs) {
        return Machine::create(plan, new);
    }
    let (theirs, again) = (plan.clone(), new.clone());
    let roots = paths::listed(plan.policy());
    let looking = roots.clone();
    let looked = move || {
        Machine::create_with(&theirs, new, &|kind, path| {
            paths::look(kind, path, looking.as_deref())
        })
    };
    match tokio::task::spawn_blocking(looked).await {
        Ok(created) => created,
        // the runtime is on its way out, and no other task of it is kept waiting
        Err(_) => Machine::create_with(plan, again, &|kind, path| {
            paths::look(kind, path, roots.as_deref())
        }),
    }
}

/// A plan as its store keeps it.
fn stored(plan: &ValidatedPlan) -> StoredPlan {
    let content = plan.plan();
    StoredPlan {
        id: content.metadata.id,
        version: content.metadata.version,
        digest: plan.digest(),
        name: content.name.clone(),
        status: content.metadata.status,
        document: content.to_canonical_json(),
    }
}

/// A run as lists show it.
pub(super) fn head(plan: &ValidatedPlan, created: &RunCreated, event: &Event) -> RunHead {
    RunHead {
        run: created.run.clone(),
        plan: created.plan.id,
        plan_version: created.plan.version,
        plan_name: plan.plan().name.clone(),
        status: RunStatus::Running,
        created_at: event.at,
        updated_at: event.at,
        tags: created.tags.clone(),
    }
}
