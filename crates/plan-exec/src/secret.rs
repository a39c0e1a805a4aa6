//! Where secrets come from.

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;
use plan_model::SecretName;

/// Holds the secrets that a host lends to plans.
///
/// Asked at the effect, and only for names that the grant lists. What it
/// returns reaches the call and nothing else: no journal, event, report, error
/// or log, and it is struck out of whatever the call returns.
#[async_trait]
pub trait SecretSource: fmt::Debug + Send + Sync {
    /// The secret of this name; `None` when there is none.
    ///
    /// # Errors
    /// When the source could not be asked. The message must not hold a secret.
    async fn secret(&self, name: &SecretName) -> Result<Option<Secret>, SecretError>;
}

/// A value that is shown to nobody: it has no `Display`, and its `Debug` is a mask.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself, for the call that it was lent to.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// A source of secrets that could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the source of secrets did not answer: {message}")]
pub struct SecretError {
    /// What happened, in a clause without a secret.
    pub message: String,
}

/// Secrets held in memory: for tests, and for hosts that fetched them before.
///
/// ```
/// use plan_exec::{MemorySecrets, Secret};
///
/// let secrets = MemorySecrets::new([("API_KEY", Secret::new("s3cr3t"))]);
/// assert_eq!(format!("{secrets:?}"), r#"MemorySecrets({"API_KEY": Secret(***)})"#);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemorySecrets(BTreeMap<String, Secret>);

impl MemorySecrets {
    /// The secrets by name.
    pub fn new<N: Into<String>>(secrets: impl IntoIterator<Item = (N, Secret)>) -> Self {
        Self(
            secrets
                .into_iter()
                .map(|(name, secret)| (name.into(), secret))
                .collect(),
        )
    }
}

#[async_trait]
impl SecretSource for MemorySecrets {
    async fn secret(&self, name: &SecretName) -> Result<Option<Secret>, SecretError> {
        Ok(self.0.get(name.as_str()).cloned())
    }
}

fn _is_object_safe(_: &dyn SecretSource) {}
