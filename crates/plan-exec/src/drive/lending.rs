//! The secrets that steps need, lent for one call each.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use plan_model::{CodeSource, Root, SecretName, StepConfig, StepId, Template, ToolName};
use plan_run::{Effect, Failure, FailureClass, RetryAdvice, StepPath};
use plan_validate::ValidatedPlan;
use tokio::task::JoinSet;

use crate::drive::redact::Redactor;
use crate::{Secret, SecretSource, ToolRegistry};

/// Which step needs which secrets, and what was lent so far.
#[derive(Debug, Default)]
pub(crate) struct Lending {
    needs: BTreeMap<StepId, Vec<SecretName>>,
    redactor: Arc<Redactor>,
    tasks: JoinSet<Fetched>,
    out: BTreeSet<(StepPath, u32)>,
}

/// What the host said to one attempt's need.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) step: StepPath,
    pub(crate) attempt: u32,
    pub(crate) lent: Result<Lent, Failure>,
}

/// How long a source of secrets may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Secrets that were lent for one call.
pub(crate) type Lent = BTreeMap<SecretName, Secret>;

impl Lending {
    /// Finds what each step of the plan needs: for its own values, and for the tools that it calls.
    pub(crate) fn new(plan: &ValidatedPlan, tools: &ToolRegistry) -> Self {
        let mut needs = BTreeMap::new();
        let lenders = tools.in_need();
        for step in &plan.plan().steps {
            let mut names = Vec::new();
            for template in templates(&step.config) {
                template.each_reference(&mut |_, reference| {
                    names.extend(reference.paths().filter_map(|path| match &path.root {
                        Root::Secret(name) => Some(name.clone()),
                        _ => None,
                    }));
                });
            }
            if !lenders.is_empty() {
                for tool in called(&step.config) {
                    names.extend_from_slice(lenders.get(tool).copied().unwrap_or_default());
                }
            }
            if !names.is_empty() {
                names.sort();
                names.dedup();
                needs.insert(step.id.clone(), names);
            }
        }
        Self {
            needs,
            redactor: Arc::default(),
            tasks: JoinSet::new(),
            out: BTreeSet::new(),
        }
    }

    /// Asks the host for what an attempt needs.
    pub(crate) fn fetch(
        &mut self,
        source: Option<Arc<dyn SecretSource>>,
        step: StepPath,
        attempt: u32,
    ) {
        let names = self.needs(step.step()).to_vec();
        self.out.insert((step.clone(), attempt));
        self.tasks.spawn(async move {
            // unwind safety: nothing of the source is looked at after a panic
            let asked = AssertUnwindSafe(lend(source, names)).catch_unwind();
            let lent = match tokio::time::timeout(PATIENCE, asked).await {
                Ok(Ok(lent)) => lent,
                Ok(Err(_)) => Err(unlent("the source of secrets panicked", RetryAdvice::Never)),
                Err(_) => Err(unlent(
                    "the source of secrets did not answer",
                    RetryAdvice::Later,
                )),
            };
            Fetched {
                step,
                attempt,
                lent,
            }
        });
    }

    /// Whether the host is being asked for this attempt.
    pub(crate) fn is_fetching(&self, step: &StepPath, attempt: u32) -> bool {
        !self.out.is_empty() && self.out.contains(&(step.clone(), attempt))
    }

    /// Waits for the host; `None` when it is not being asked.
    pub(crate) async fn next(&mut self) -> Option<Fetched> {
        loop {
            // one that was stopped has its attempt settled elsewhere
            let Ok(fetched) = self.tasks.join_next().await? else {
                continue;
            };
            if !self.out.remove(&(fetched.step.clone(), fetched.attempt)) {
                continue;
            }
            if let Ok(lent) = &fetched.lent {
                self.remember(lent);
            }
            return Some(fetched);
        }
    }

    /// Stops asking, and says for which attempts.
    pub(crate) fn stop(&mut self) -> BTreeSet<(StepPath, u32)> {
        self.tasks.abort_all();
        std::mem::take(&mut self.out)
    }

    /// As [`Lending::stop`], for the attempts in the items of a fan-out.
    pub(crate) fn stop_within(&mut self, owner: &StepPath) -> BTreeSet<(StepPath, u32)> {
        let (stopped, out) = std::mem::take(&mut self.out)
            .into_iter()
            .partition(|(step, _)| step.is_inside(owner));
        self.out = out;
        stopped
    }

    /// Asks for what these steps were lent in an earlier drive, so that it is struck from what they left behind.
    ///
    /// What cannot be had any more cannot be told apart from other text, and is passed over.
    pub(crate) async fn recall(
        &mut self,
        source: Option<Arc<dyn SecretSource>>,
        steps: impl Iterator<Item = StepId>,
    ) {
        let steps: BTreeSet<StepId> = steps.collect();
        let names: BTreeSet<SecretName> = steps
            .iter()
            .flat_map(|step| self.needs(step).iter().cloned())
            .collect();
        // all at once: a source that does not answer is waited for one time
        let asked = names.into_iter().map(|name| {
            let source = source.clone();
            async move {
                let asked = AssertUnwindSafe(lend(source, vec![name.clone()])).catch_unwind();
                let lent = tokio::time::timeout(PATIENCE, asked).await;
                (name, lent)
            }
        });
        for (name, lent) in join_all(asked).await {
            if let Ok(Ok(Ok(lent))) = lent {
                self.remember(&lent);
            } else {
                tracing::warn!(secret = %name, "a secret that was lent before cannot be had");
            }
        }
    }

    /// Whether no step needs any.
    pub(crate) fn is_idle(&self) -> bool {
        self.needs.is_empty()
    }

    /// What a step needs; empty for almost every step.
    pub(crate) fn needs(&self, step: &StepId) -> &[SecretName] {
        self.needs.get(step).map_or(&[], Vec::as_slice)
    }

    /// Remembers secrets that are about to be lent, so that they are struck from whatever comes back.
    fn remember(&mut self, lent: &Lent) {
        let redactor = Arc::make_mut(&mut self.redactor);
        for secret in lent.values() {
            redactor.add(secret.expose());
        }
    }

    /// What strikes the secrets lent so far.
    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        Arc::clone(&self.redactor)
    }
}

/// Asks the host for secrets.
///
/// # Errors
/// A failure without effect, when one of them is not there.
async fn lend(
    source: Option<Arc<dyn SecretSource>>,
    names: Vec<SecretName>,
) -> Result<Lent, Failure> {
    let mut lent = Lent::new();
    for name in names {
        let Some(source) = &source else {
            let message =
                format!("the secret `{name}` cannot be had: the host has no source of secrets");
            return Err(unlent(message, RetryAdvice::Never));
        };
        match source.secret(&name).await {
            Ok(Some(secret)) => {
                lent.insert(name, secret);
            }
            Ok(None) => {
                let message = format!("the host has no secret `{name}`");
                return Err(unlent(message, RetryAdvice::Never));
            }
            Err(error) => return Err(unlent(error.to_string(), RetryAdvice::Later)),
        }
    }
    Ok(lent)
}

/// A failure for want of a secret: nothing was called.
fn unlent(message: impl Into<String>, retry: RetryAdvice) -> Failure {
    Failure::new(FailureClass::Auth, message)
        .with_retry(retry)
        .with_effect(Effect::None)
}

/// The part of what was lent that has these names.
pub(crate) fn part_of(lent: &Lent, names: &[SecretName]) -> Lent {
    names
        .iter()
        .filter_map(|name| lent.get_key_value(name))
        .map(|(name, secret)| (name.clone(), secret.clone()))
        .collect()
}

/// The tools that the step calls, or that its agent may.
fn called(config: &StepConfig) -> &[ToolName] {
    match config {
        StepConfig::ToolCall(call) => std::slice::from_ref(&call.tool),
        StepConfig::AgentCall(call) => call.tools.as_deref().unwrap_or_default(),
        _ => &[],
    }
}

/// Every template that a call of the step is made of.
fn templates(config: &StepConfig) -> Vec<&Template> {
    match config {
        StepConfig::ToolCall(call) => call.arguments.values().collect(),
        StepConfig::CodeCall(call) => {
            let file = match &call.source {
                CodeSource::File(file) => Some(file),
                CodeSource::Inline(_) => None,
            };
            call.args
                .iter()
                .chain(file)
                .chain(&call.stdin)
                .chain(call.env.values())
                .chain(&call.working_dir)
                .collect()
        }
        // secrets are no part of a prompt, a question or an expression: `check` refuses them there
        StepConfig::PromptCall(_)
        | StepConfig::AgentCall(_)
        | StepConfig::HumanInteraction(_)
        | StepConfig::Condition(_)
        | StepConfig::FanOut(_)
        | StepConfig::FanIn(_) => Vec::new(),
    }
}
