//! Whether a call that is about to be made is one that the plan declared.

use plan_model::{AgentName, LanguageName, ModelName, Reference, SecretName, StepId, ToolName};
use serde_json::{Map, Value};

use super::{Grant, SiteGrant, Target};
use crate::text;

/// Why a call is refused. No value of the call is in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The step may do nothing at all.
    #[error("the grant has nothing for step `{step}`")]
    NoSite {
        /// The step.
        step: StepId,
    },
    /// The step may do something else.
    #[error("the grant lets step `{step}` use {granted}, not {asked}")]
    OtherTarget {
        /// The step.
        step: StepId,
        /// What it may use.
        granted: String,
        /// What it would have used.
        asked: String,
    },
    /// The call has an argument that the plan did not declare.
    #[error("the plan gives step `{step}` no argument {argument}")]
    UndeclaredArgument {
        /// The step.
        step: StepId,
        /// The argument, quoted.
        argument: String,
    },
    /// The call lacks an argument that the grant constrains.
    #[error("the call of step `{step}` lacks the argument {argument}, which the grant constrains")]
    MissingArgument {
        /// The step.
        step: StepId,
        /// The argument, quoted.
        argument: String,
    },
    /// An argument has another value than the grant takes.
    #[error("the argument {argument} of step `{step}` {reason}")]
    Argument {
        /// The step.
        step: StepId,
        /// The argument, quoted.
        argument: String,
        /// What is wrong with it, as a clause.
        reason: String,
    },
    /// The call would go on to a URL that the grant does not take.
    #[error("the URL that the argument {argument} of step `{step}` leads to {reason}")]
    Onward {
        /// The step.
        step: StepId,
        /// The argument, quoted.
        argument: String,
        /// What is wrong with the URL, as a clause.
        reason: String,
    },
    /// The attempt is one more than the plan declared.
    #[error("step `{step}` has {granted} attempts, and this is number {attempt}")]
    Attempt {
        /// The step.
        step: StepId,
        /// The attempts that the grant gives.
        granted: u64,
        /// The number of this one.
        attempt: u64,
    },
    /// The secret is not in the grant.
    #[error("the grant does not hold the secret `{secret}`")]
    Secret {
        /// The secret.
        secret: SecretName,
    },
}

impl Grant {
    /// Whether a step may call a tool with these arguments, as they would be sent.
    ///
    /// `resolve` reads a reference of the plan at this moment. The world is closed: an argument that the
    /// plan did not declare, one that is missing, or a value that no rule takes refuses the call. An
    /// argument may be left out only where the plan's value for it is null.
    ///
    /// # Errors
    /// The first reason, in the order of the argument names.
    pub fn permits_call(
        &self,
        step: &StepId,
        tool: &ToolName,
        arguments: &Map<String, Value>,
        resolve: &dyn Fn(&Reference) -> Option<Value>,
    ) -> Result<(), Refusal> {
        let site = self.site_for(step)?;
        match &site.target {
            Target::Tool(granted) if granted == tool => {}
            other => {
                return Err(other_target(
                    step,
                    other,
                    format!("the tool {}", text::quoted(tool)),
                ));
            }
        }
        for (name, rule) in &site.arguments {
            let permitted = match arguments.get(name) {
                Some(value) => rule
                    .permits(value, resolve)
                    .map_err(|reason| Refusal::Argument {
                        step: step.clone(),
                        argument: text::quoted(name),
                        reason,
                    }),
                None => rule
                    .permits(&Value::Null, resolve)
                    .map_err(|_| Refusal::MissingArgument {
                        step: step.clone(),
                        argument: text::quoted(name),
                    }),
            };
            permitted?;
        }
        let undeclared = arguments
            .keys()
            .filter(|name| !site.arguments.contains_key(*name));
        match undeclared.min() {
            Some(name) => Err(Refusal::UndeclaredArgument {
                step: step.clone(),
                argument: text::quoted(name),
            }),
            None => Ok(()),
        }
    }

    /// Whether a step may run a script in a language.
    ///
    /// # Errors
    /// The reason.
    pub fn permits_language(&self, step: &StepId, language: &LanguageName) -> Result<(), Refusal> {
        match &self.site_for(step)?.target {
            Target::Language(granted) if granted == language => Ok(()),
            other => Err(other_target(
                step,
                other,
                format!("the language {}", text::quoted(language)),
            )),
        }
    }

    /// Whether a step may ask a model.
    ///
    /// # Errors
    /// The reason.
    pub fn permits_model(&self, step: &StepId, model: &ModelName) -> Result<(), Refusal> {
        match &self.site_for(step)?.target {
            Target::Model(granted) if granted == model => Ok(()),
            other => Err(other_target(
                step,
                other,
                format!("the model {}", text::quoted(model)),
            )),
        }
    }

    /// Whether a step may use an agent.
    ///
    /// # Errors
    /// The reason.
    pub fn permits_agent(&self, step: &StepId, agent: Option<&AgentName>) -> Result<(), Refusal> {
        match &self.site_for(step)?.target {
            Target::Agent { agent: granted, .. } if granted.as_ref() == agent => Ok(()),
            other => Err(other_target(step, other, "another agent".to_owned())),
        }
    }

    /// Whether the agent of a step may call a tool with these arguments.
    ///
    /// The tool has to be among those that the step gives its agent, and every argument that the policy
    /// constrains has to be there and within.
    ///
    /// # Errors
    /// The first reason, in the order of the argument names.
    pub fn permits_agent_tool(
        &self,
        step: &StepId,
        tool: &ToolName,
        arguments: &Map<String, Value>,
    ) -> Result<(), Refusal> {
        let site = self.site_for(step)?;
        match &site.target {
            Target::Agent { tools, .. } if tools.contains(tool) => {}
            other => {
                let asked = format!("the tool {}", text::quoted(tool));
                return Err(other_target(step, other, asked));
            }
        }
        let prefix = format!("tools.{tool}.");
        let rules = site.arguments.iter().filter_map(|(name, rule)| {
            let argument = name.strip_prefix(prefix.as_str())?;
            Some((argument, rule))
        });
        for (argument, rule) in rules {
            let Some(value) = arguments.get(argument) else {
                return Err(Refusal::MissingArgument {
                    step: step.clone(),
                    argument: text::quoted(argument),
                });
            };
            // a policy's rule names no value of a run
            rule.permits(value, &|_| None)
                .map_err(|reason| Refusal::Argument {
                    step: step.clone(),
                    argument: text::quoted(argument),
                    reason,
                })?;
        }
        Ok(())
    }

    /// Whether an attempt of this number, from 1, is still within what the plan declared.
    ///
    /// # Errors
    /// The reason.
    pub fn permits_attempt(&self, step: &StepId, attempt: u64) -> Result<(), Refusal> {
        let granted = self.site_for(step)?.max_attempts;
        if attempt <= granted {
            return Ok(());
        }
        Err(Refusal::Attempt {
            step: step.clone(),
            granted,
            attempt,
        })
    }

    /// Whether a secret may be read.
    ///
    /// # Errors
    /// The reason.
    pub fn permits_secret(&self, secret: &SecretName) -> Result<(), Refusal> {
        if self.secrets.contains(secret) {
            return Ok(());
        }
        Err(Refusal::Secret {
            secret: secret.clone(),
        })
    }

    fn site_for(&self, step: &StepId) -> Result<&SiteGrant, Refusal> {
        self.sites
            .get(step)
            .ok_or_else(|| Refusal::NoSite { step: step.clone() })
    }
}

fn other_target(step: &StepId, granted: &Target, asked: String) -> Refusal {
    Refusal::OtherTarget {
        step: step.clone(),
        granted: granted.to_string(),
        asked,
    }
}
