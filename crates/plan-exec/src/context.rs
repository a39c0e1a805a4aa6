//! What a call is told about itself: nothing ambient, all of it named here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use plan_model::{SecretName, StepId, Timestamp, ToolName};
use plan_run::{
    Confinement, FailureClass, IdempotencyKey, PrincipalName, RetryAdvice, RunId, StepPath,
};
use plan_validate::ValidatedPlan;

use crate::drive::Lent;
use crate::publisher::Progress;
use crate::{Cancellation, Dispatched, Folder, Secret, ToolError};

/// The circumstances of one attempt. Clones are cheap and share its cancellation.
#[derive(Debug, Clone)]
pub struct ToolContext {
    run: Arc<RunFacts>,
    call: Arc<CallFacts>,
}

/// What all attempts of a run have in common.
#[derive(Debug, Clone)]
pub(crate) struct RunFacts {
    pub(crate) run: RunId,
    pub(crate) principal: Option<PrincipalName>,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) scratch: PathBuf,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) files: Vec<GrantedFile>,
    /// What the run may do; `None` outside any run.
    pub(crate) plan: Option<ValidatedPlan>,
}

/// A file that the caller of a run named in an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedFile {
    /// Where it is, as the caller wrote it.
    pub path: PathBuf,
    /// What it was named for.
    pub access: FileAccess,
}

/// What a file was named for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAccess {
    /// To be read: an input of kind `file_path`.
    Read,
    /// To be written: an input of kind `output_file_path`. It may not exist yet.
    Write,
}

/// What one attempt has for itself.
#[derive(Debug)]
pub(crate) struct CallFacts {
    pub(crate) step: StepPath,
    pub(crate) attempt: u32,
    pub(crate) key: IdempotencyKey,
    pub(crate) deadline: Option<Timestamp>,
    pub(crate) cancellation: Cancellation,
    pub(crate) progress: Progress,
    pub(crate) confinement: OnceLock<Confinement>,
    /// What the tool needs for itself.
    pub(crate) secrets: Lent,
}

impl ToolContext {
    pub(crate) fn new(run: Arc<RunFacts>, call: CallFacts) -> Self {
        Self {
            run,
            call: Arc::new(call),
        }
    }

    /// A context outside any run, to try an implementation on its own.
    ///
    /// Its step is `step`, its attempt the first, its scratch folder the
    /// current one; it has no deadline and its progress goes nowhere.
    pub fn detached(run: RunId, step: StepId, key: IdempotencyKey) -> Self {
        let facts = RunFacts {
            run,
            principal: None,
            tags: BTreeMap::new(),
            scratch: PathBuf::from("."),
            roots: Vec::new(),
            files: Vec::new(),
            plan: None,
        };
        Self::new(
            Arc::new(facts),
            CallFacts {
                step: StepPath::from(step),
                attempt: 1,
                key,
                deadline: None,
                cancellation: Cancellation::new(),
                progress: Progress::nowhere(),
                confinement: OnceLock::new(),
                secrets: Lent::new(),
            },
        )
    }

    /// The context of a call that the agent of this one makes.
    pub(crate) fn for_call(
        &self,
        key: IdempotencyKey,
        cancellation: Cancellation,
        secrets: Lent,
    ) -> Self {
        Self {
            run: Arc::clone(&self.run),
            call: Arc::new(CallFacts {
                step: self.call.step.clone(),
                attempt: self.call.attempt,
                key,
                deadline: self.call.deadline,
                cancellation,
                progress: self.call.progress.clone(),
                confinement: OnceLock::new(),
                secrets,
            }),
        }
    }

    /// The context with another scratch folder.
    #[must_use]
    pub fn with_scratch(self, folder: impl Into<PathBuf>) -> Self {
        let scratch = folder.into();
        self.with_facts(|facts| facts.scratch = scratch)
    }

    /// The context with these granted folders.
    #[must_use]
    pub fn with_roots(self, roots: Vec<PathBuf>) -> Self {
        self.with_facts(|facts| facts.roots = roots)
    }

    /// The context with these files of the caller.
    #[must_use]
    pub fn with_files(self, files: Vec<GrantedFile>) -> Self {
        self.with_facts(|facts| facts.files = files)
    }

    /// The context with a secret that [`Tool::secrets`](crate::Tool::secrets) names.
    ///
    /// For a call outside any run, before the context is handed on; a context that was cloned keeps what it has.
    #[must_use]
    pub fn with_secret(mut self, name: SecretName, secret: Secret) -> Self {
        if let Some(call) = Arc::get_mut(&mut self.call) {
            call.secrets.insert(name, secret);
        }
        self
    }

    fn with_facts(mut self, change: impl FnOnce(&mut RunFacts)) -> Self {
        change(Arc::make_mut(&mut self.run));
        self
    }

    /// What all calls of the run have in common.
    pub(crate) fn facts(&self) -> &RunFacts {
        &self.run
    }

    /// The run.
    pub fn run(&self) -> &RunId {
        &self.run.run
    }

    /// The step, with the item of its fan-out where there is one.
    pub fn step_path(&self) -> &StepPath {
        &self.call.step
    }

    /// The attempt, counted from 1.
    pub fn attempt(&self) -> u32 {
        self.call.attempt
    }

    /// The same over retries and repeats after a crash: hand it to whoever can tell repeats by it.
    pub fn idempotency_key(&self) -> &IdempotencyKey {
        &self.call.key
    }

    /// A secret that the tool needs for itself; `None` for a name that [`Tool::secrets`](crate::Tool::secrets) does not list.
    pub fn secret(&self, name: &SecretName) -> Option<&Secret> {
        self.call.secrets.get(name)
    }

    /// Whether the grant lets this call go on to a URL that the other side named, such as the target of a redirect,
    /// where the tool was given its URL as `argument`.
    ///
    /// The rules that the policy set for the argument hold for `url` too: schemes, hosts, allowed values. Call it for every
    /// URL that is about to be opened. Outside any run nothing is refused.
    ///
    /// # Errors
    /// A refusal by the grant, without effect.
    pub fn permits_url(&self, tool: &ToolName, argument: &str, url: &str) -> Result<(), ToolError> {
        let Some(plan) = &self.run.plan else {
            return Ok(());
        };
        plan.grant()
            .permits_url(self.call.step.step(), tool, argument, url)
            .map_err(|refusal| {
                ToolError::new(FailureClass::RefusedByGrant, refusal.to_string())
                    .retry(RetryAdvice::Never)
                    .dispatched(Dispatched::No)
            })
    }

    /// When the attempt is ended by the executor.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.call.deadline
    }

    /// Raised when the work should end. A call that has looked at it is given a grace before it is dropped.
    pub fn cancellation(&self) -> &Cancellation {
        self.call.cancellation.observe()
    }

    /// Says how far the work is, to whoever watches the run. Not journaled, never waits, may be dropped.
    pub fn progress(&self, message: impl Into<String>) {
        self.call
            .progress
            .report(&self.call.step, self.call.attempt, message.into());
    }

    /// Says what the work of this attempt is held to, before it begins. Journaled with the attempt; the first word counts.
    pub fn confine(&self, confinement: Confinement) {
        let _ = self.call.confinement.set(confinement);
    }

    /// What the work of this attempt is held to, where a runner has said so.
    pub fn confinement(&self) -> Option<&Confinement> {
        self.call.confinement.get()
    }

    /// On whose behalf the run was started.
    pub fn principal(&self) -> Option<&PrincipalName> {
        self.run.principal.as_ref()
    }

    /// The tags of the run.
    pub fn tags(&self) -> &BTreeMap<String, String> {
        &self.run.tags
    }

    /// The run's own folder. It may not exist yet: whoever writes first creates it.
    pub fn scratch(&self) -> &Path {
        &self.run.scratch
    }

    /// The folders beside [`ToolContext::scratch`] that the run was granted.
    pub fn roots(&self) -> &[PathBuf] {
        &self.run.roots
    }

    /// The files that the caller named in the run's inputs.
    pub fn files(&self) -> &[GrantedFile] {
        &self.run.files
    }

    /// The folder that a path leads into, of those that the run was granted, held open.
    ///
    /// The scratch folder is made where it does not exist yet. Looks at the file system: not for
    /// an async context.
    ///
    /// # Errors
    /// When the path leads into none of them.
    pub fn folder_of(&self, path: impl AsRef<Path>) -> std::io::Result<Folder> {
        std::fs::create_dir_all(self.scratch())?;
        [&self.run.scratch]
            .into_iter()
            .chain(&self.run.roots)
            .filter_map(|root| Folder::open(root).ok())
            .find(|folder| folder.contains(path.as_ref()))
            .ok_or_else(|| {
                std::io::Error::new(
                    std::io::ErrorKind::PermissionDenied,
                    "the path leads out of what the run was granted",
                )
            })
    }
}
