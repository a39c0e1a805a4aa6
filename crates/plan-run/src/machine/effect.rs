//! What a started attempt is to perform, with every value in place.

use std::collections::BTreeMap;
use std::time::Duration;

use plan_model::{LanguageName, Reference, SecretName, StepConfig, Template, ToolName};
use serde_json::{Map, Value};

use super::Machine;
use super::agent_call::AgentEffect;
use super::layout::Work;
use super::phase::Phase;
use super::prompt_call::PromptEffect;
use super::resolve::{code_values, invalid};
use super::scope::RunScope;
use super::slot::Slot;
use crate::{Effect, Failure, FailureClass, IdempotencyKey, RetryAdvice, StepPath};

/// An effect for the driver to perform.
///
/// Its values are those that the journal recorded at the start of the attempt,
/// with secrets and sensitive inputs in place. They are not for logs.
#[derive(Debug, Clone, PartialEq)]
pub enum EffectCall {
    /// Call a tool.
    Tool(ToolEffect),
    /// Run a script.
    Code(CodeEffect),
    /// Ask a model.
    Prompt(PromptEffect),
    /// Let an agent work.
    Agent(AgentEffect),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolEffect {
    /// The tool.
    pub tool: ToolName,
    /// Its arguments; they fit the tool's schema and the grant.
    pub arguments: Map<String, Value>,
    /// The key under which the other side recognises a repeated call.
    pub key: IdempotencyKey,
    /// The most that this attempt may take.
    pub timeout: Option<Duration>,
}

/// A run of a script.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CodeEffect {
    /// The language.
    pub language: LanguageName,
    /// The script.
    pub source: CodeText,
    /// Arguments on its command line.
    pub args: Vec<String>,
    /// Text on standard input.
    pub stdin: Option<String>,
    /// Variables of its otherwise cleared environment.
    pub env: BTreeMap<String, String>,
    /// Where it runs; absent: the run's own folder.
    pub working_dir: Option<String>,
    /// The key under which the other side recognises a repeated call.
    pub key: IdempotencyKey,
    /// The most that this attempt may take.
    pub timeout: Option<Duration>,
}

/// Where the text of a script is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeText {
    /// Here.
    Inline(String),
    /// In this file.
    File(String),
}

impl EffectCall {
    /// The most that the attempt may take.
    pub fn timeout(&self) -> Option<Duration> {
        match self {
            Self::Tool(call) => call.timeout,
            Self::Code(call) => call.timeout,
            Self::Prompt(call) => call.timeout,
            Self::Agent(call) => call.timeout,
        }
    }

    /// The key under which the other side recognises a repeated call.
    pub fn key(&self) -> &IdempotencyKey {
        match self {
            Self::Tool(call) => &call.key,
            Self::Code(call) => &call.key,
            Self::Prompt(call) => &call.key,
            Self::Agent(call) => &call.key,
        }
    }
}

impl Machine {
    /// What a started attempt is to perform.
    ///
    /// Checks the resolved arguments against the tool's schema and against the
    /// grant, once more than validation did: now every value is there.
    ///
    /// # Errors
    /// A failure with no effect, to be settled as the attempt's result: the attempt
    /// is not in flight, a secret is missing, the arguments do not fit, or the grant
    /// does not allow them.
    pub fn effect(
        &self,
        step: &StepPath,
        attempt: u32,
        secrets: &dyn Fn(&SecretName) -> Option<String>,
    ) -> Result<EffectCall, Failure> {
        let slot = self
            .slot(step)
            .map_err(|refused| internal(refused.to_string()))?;
        let state = self.state.steps.at(slot);
        if state.phase != Phase::InFlight || state.last_attempt() != attempt {
            return Err(internal(format!(
                "attempt {attempt} of `{step}` is not in flight"
            )));
        }
        let grant = self.plan.grant();
        grant
            .permits_attempt(step.step(), u64::from(state.failures).saturating_add(1))
            .map_err(|refusal| refused(&refusal.to_string()))?;
        let secrets = self.secrets_of(slot, secrets)?;
        for name in secrets.keys() {
            grant
                .permits_secret(name)
                .map_err(|refusal| refused(&refusal.to_string()))?;
        }
        let scope = RunScope::revealed(self, slot, &secrets);
        let key = IdempotencyKey::of(self.run_id(), step, self.state.generation);
        let declared = self.step_of(slot);
        match Work::of(&declared.config) {
            Work::Tool(call) => {
                let arguments = self.tool_arguments(slot, call, &scope)?;
                self.plan
                    .check_arguments(&declared.id, &arguments)
                    .map_err(|problems| invalid(&problems))?;
                let resolve = |reference: &Reference| {
                    reference
                        .resolve(&scope)
                        .ok()
                        .map(std::borrow::Cow::into_owned)
                };
                grant
                    .permits_call(&declared.id, &call.tool, &arguments, &resolve)
                    .map_err(|refusal| refused(&refusal.to_string()))?;
                let tool = self.plan.tool(&declared.id).and_then(|spec| spec.timeout);
                Ok(EffectCall::Tool(ToolEffect {
                    tool: call.tool.clone(),
                    arguments,
                    key,
                    timeout: shortest([declared.timeout_secs, tool]),
                }))
            }
            Work::Code(call) => {
                let values = code_values(call, &scope, self.limits())?;
                grant
                    .permits_language(&declared.id, &call.language)
                    .map_err(|refusal| refused(&refusal.to_string()))?;
                let source = match (&call.source, values.file) {
                    (_, Some(file)) => CodeText::File(file),
                    (plan_model::CodeSource::Inline(text), None) => CodeText::Inline(text.clone()),
                    (plan_model::CodeSource::File(_), None) => {
                        return Err(internal("the script has no file".to_owned()));
                    }
                };
                Ok(EffectCall::Code(CodeEffect {
                    language: call.language.clone(),
                    source,
                    args: values.args,
                    stdin: values.stdin,
                    env: values.env,
                    working_dir: values.working_dir,
                    key,
                    timeout: shortest([declared.timeout_secs, call.timeout_secs]),
                }))
            }
            Work::Prompt(call) => {
                grant
                    .permits_model(&declared.id, &call.model)
                    .map_err(|refusal| refused(&refusal.to_string()))?;
                self.prompt_effect(slot, call, key).map(EffectCall::Prompt)
            }
            Work::Agent(call) => {
                grant
                    .permits_agent(&declared.id, call.agent.as_ref())
                    .map_err(|refusal| refused(&refusal.to_string()))?;
                let timeout = shortest([declared.timeout_secs, call.timeout_secs]);
                self.agent_effect(slot, call, key, timeout)
                    .map(EffectCall::Agent)
            }
            Work::Ask(_) | Work::Choose(_) | Work::FanOut(_) | Work::FanIn(_) => {
                Err(internal(format!("`{step}` performs nothing")))
            }
        }
    }

    /// Every secret that a step reads.
    fn secrets_of(
        &self,
        slot: Slot,
        source: &dyn Fn(&SecretName) -> Option<String>,
    ) -> Result<BTreeMap<SecretName, Value>, Failure> {
        let mut secrets = BTreeMap::new();
        let mut missing = Vec::new();
        each_template(&self.step_of(slot).config, &mut |template| {
            template.each_reference(&mut |_, reference| {
                for path in reference.paths() {
                    if let plan_model::Root::Secret(name) = &path.root
                        && !secrets.contains_key(name)
                    {
                        match source(name) {
                            Some(value) => {
                                secrets.insert(name.clone(), Value::from(value));
                            }
                            None => missing.push(format!("the host has no secret `{name}`")),
                        }
                    }
                }
            });
        });
        if missing.is_empty() {
            Ok(secrets)
        } else {
            Err(invalid(&missing))
        }
    }
}

/// Calls `visit` for every template of an effect.
fn each_template<'a>(config: &'a StepConfig, visit: &mut dyn FnMut(&'a Template)) {
    match Work::of(config) {
        Work::Tool(call) => call.arguments.values().for_each(visit),
        Work::Code(call) => {
            if let plan_model::CodeSource::File(file) = &call.source {
                visit(file);
            }
            call.args.iter().for_each(&mut *visit);
            call.stdin.iter().for_each(&mut *visit);
            call.env.values().for_each(&mut *visit);
            call.working_dir.iter().for_each(visit);
        }
        // secrets are no part of a prompt or an objective: `check` refuses them there
        Work::Prompt(_)
        | Work::Agent(_)
        | Work::Ask(_)
        | Work::Choose(_)
        | Work::FanOut(_)
        | Work::FanIn(_) => {}
    }
}

fn shortest(spans: [Option<plan_model::Seconds>; 2]) -> Option<Duration> {
    spans
        .into_iter()
        .flatten()
        .min()
        .map(plan_model::Seconds::as_duration)
}

fn refused(message: &str) -> Failure {
    Failure::new(FailureClass::RefusedByGrant, message)
        .with_effect(Effect::None)
        .with_retry(RetryAdvice::Never)
}

fn internal(message: String) -> Failure {
    Failure::new(FailureClass::Internal, message)
        .with_effect(Effect::None)
        .with_retry(RetryAdvice::Never)
}
