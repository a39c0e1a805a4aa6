//! Secrets in the environment of this process.

use async_trait::async_trait;
use plan_exec::{Secret, SecretError, SecretSource};
use plan_model::SecretName;

/// The variables of this process, looked up when they are asked for.
///
/// `${secret.API_KEY}` is the variable `API_KEY`. With a prefix, only variables that
/// begin with it can be had, and plans name them without.
///
/// ```
/// use plan_tools::EnvironmentSecrets;
///
/// let all = EnvironmentSecrets::new();
/// let some = EnvironmentSecrets::with_prefix("PLANS_"); // ${secret.KEY} is PLANS_KEY
/// # drop((all, some));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentSecrets {
    prefix: String,
}

impl EnvironmentSecrets {
    /// Every variable.
    pub fn new() -> Self {
        Self::default()
    }

    /// The variables whose names begin so.
    pub fn with_prefix(prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
        }
    }
}

#[async_trait]
impl SecretSource for EnvironmentSecrets {
    async fn secret(&self, name: &SecretName) -> Result<Option<Secret>, SecretError> {
        let variable = format!("{}{name}", self.prefix);
        match std::env::var(&variable) {
            Ok(value) => Ok(Some(Secret::new(value))),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => Err(SecretError {
                message: format!("the variable `{variable}` is no text"),
            }),
        }
    }
}
