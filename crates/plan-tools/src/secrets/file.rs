//! Secrets in a file, or in a folder with a file for each.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use plan_exec::{Secret, SecretError, SecretSource};
use plan_model::SecretName;
use serde_json::Value;

use crate::files::yaml_value;

/// The most bytes of a file of secrets.
const SECRET_BYTES: u64 = 1 << 20;

/// Secrets on disk, read anew each time that one is asked for, so that a rotated one is seen.
///
/// A file is one JSON or YAML object of texts by name. A folder has one file for each secret,
/// named as the secret, as container platforms mount them; one line break at its end is not part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSecrets {
    path: PathBuf,
    folder: bool,
}

/// Secrets that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretsFileError {
    /// There is nothing, or it may not be looked at.
    #[error("the secrets `{path}` cannot be looked at: {source}")]
    Hidden {
        /// The path.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no JSON or YAML object of texts, or too long.
    #[error("the secrets `{path}` are not one JSON or YAML object of texts by name")]
    Shape {
        /// The path.
        path: String,
    },
}

impl FileSecrets {
    /// The secrets of a file or a folder, which is looked at now so that a fault is told early.
    ///
    /// # Errors
    /// When there is nothing, or the file is no object of texts. No message holds what the file says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SecretsFileError> {
        let path = path.as_ref();
        let hidden = |source| SecretsFileError::Hidden {
            path: path.display().to_string(),
            source,
        };
        let real = path.canonicalize().map_err(hidden)?;
        let folder = real.metadata().map_err(hidden)?.is_dir();
        let secrets = Self { path: real, folder };
        if !folder {
            secrets.members()?;
        }
        Ok(secrets)
    }

    /// What others may do with the secrets, as a clause for a warning; `None` where they may do nothing.
    pub fn exposure(&self) -> Option<String> {
        let mode = self.path.metadata().ok()?.permissions().mode();
        (mode & 0o077 != 0).then(|| {
            format!(
                "the secrets `{}` are open to others (mode {:03o}); `chmod go= {}` closes them",
                self.path.display(),
                mode & 0o777,
                self.path.display()
            )
        })
    }

    fn members(&self) -> Result<serde_json::Map<String, Value>, SecretsFileError> {
        let path = || self.path.display().to_string();
        let mut bytes = Vec::new();
        std::fs::File::open(&self.path)
            .and_then(|file| file.take(SECRET_BYTES).read_to_end(&mut bytes))
            .map_err(|source| SecretsFileError::Hidden {
                path: path(),
                source,
            })?;
        // what a parser would say of a fault may be what the file holds
        let value = serde_json::from_slice(&bytes)
            .ok()
            .or_else(|| yaml_value(&bytes));
        match value {
            Some(Value::Object(members)) if members.values().all(Value::is_string) => Ok(members),
            _ => Err(SecretsFileError::Shape { path: path() }),
        }
    }

    fn read(&self, name: &str) -> Result<Option<Secret>, SecretError> {
        let failed = |message: String| SecretError { message };
        if !self.folder {
            let mut members = self.members().map_err(|error| failed(error.to_string()))?;
            return Ok(match members.remove(name) {
                Some(Value::String(secret)) => Some(Secret::new(secret)),
                _ => None,
            });
        }
        if name.starts_with('.') || name.contains('/') {
            return Ok(None);
        }
        let path = self.path.join(name);
        let about = |what: &str| failed(format!("the secret `{name}` {what}"));
        match path.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(about(&format!("cannot be looked at: {error}"))),
            Ok(found) if !found.is_file() => return Err(about("is no file")),
            Ok(found) if found.len() > SECRET_BYTES => return Err(about("is too long")),
            Ok(_) => {}
        }
        let text = std::fs::read_to_string(&path).map_err(|_| about("is no text"))?;
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        Ok(Some(Secret::new(text)))
    }
}

#[async_trait]
impl SecretSource for FileSecrets {
    async fn secret(&self, name: &SecretName) -> Result<Option<Secret>, SecretError> {
        let (secrets, name) = (self.clone(), name.to_string());
        let read = tokio::task::spawn_blocking(move || secrets.read(&name));
        read.await.unwrap_or_else(|_| {
            Err(SecretError {
                message: "the runtime is ending".to_owned(),
            })
        })
    }
}
